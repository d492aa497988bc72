package service.projection.storage;

import static service.projection.TestGraph.*;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.Branch;
import service.core.port.RetentionPolicy;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.projection.TestGraph;

/**
 * How long commits wait beside a cleanup: latencies of single commits, one after the other, before and while a history
 * of a million versions is reclaimed. Run by hand, see docs/operations.
 */
public final class CleanupMeasure {
    private static final int PEOPLE = 50_000;
    private static final int REWRITES = 20;

    private CleanupMeasure() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory(Path.of(arguments[0]), "cleanup-measure");
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(directory.resolve("g"), TestGraph.options(), SCHEMA, null)) {
            for (int round = 0; round <= REWRITES; round++) {
                List<EntityChange> changes = new ArrayList<>();
                for (int i = 0; i < PEOPLE; i++) {
                    changes.add(person("p" + i, round));
                }
                commit(storage.log(), main(storage), changes);
            }
            System.out.println("alone        " + latencies(storage, new AtomicBoolean(), 2_000));
            AtomicBoolean done = new AtomicBoolean();
            Cleanup.Report[] report = new Cleanup.Report[1];
            long began = System.nanoTime();
            Thread cleaner = new Thread(() -> {
                report[0] = storage.cleanup().run(new RetentionPolicy(1L, null), Duration.ofMillis(5));
                done.set(true);
            });
            cleaner.start();
            System.out.println("with cleanup " + latencies(storage, done, Integer.MAX_VALUE));
            cleaner.join();
            System.out.println("%s in %d ms, the writer held for at most %d µs at a time"
                    .formatted(
                            report[0],
                            (System.nanoTime() - began) / 1_000_000,
                            storage.cleanup().longestHold().toNanos() / 1_000));
        } finally {
            Checkpoints.deleteTree(directory);
        }
    }

    private static String latencies(LmdbGraphStorage storage, AtomicBoolean stop, int most) {
        List<Long> nanos = new ArrayList<>();
        while (!stop.get() && nanos.size() < most) {
            long from = System.nanoTime();
            commit(storage.log(), main(storage), List.of(person("q" + from, 1)));
            nanos.add(System.nanoTime() - from);
        }
        long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(sorted);
        return "%d commits, µs: p50 %d, p99 %d, p99.9 %d, max %d"
                .formatted(sorted.length, at(sorted, 0.5), at(sorted, 0.99), at(sorted, 0.999), at(sorted, 1));
    }

    private static long at(long[] sorted, double part) {
        return sorted[(int) Math.min(sorted.length - 1L, (long) (part * sorted.length))] / 1_000;
    }

    private static EntityChange person(String id, long age) {
        Image after = Image.ofNode(PropertyRow.of(Map.of(NAME, new Value.Text(id), AGE, new Value.Int(age))));
        Image before = age == 0 || id.startsWith("q")
                ? null
                : Image.ofNode(PropertyRow.of(Map.of(NAME, new Value.Text(id), AGE, new Value.Int(age - 1))));
        return new EntityChange(EntityKind.NODE, PERSON, id, before, after);
    }

    private static Branch main(LmdbGraphStorage storage) {
        try (var session = storage.session()) {
            return Objects.requireNonNull(session.branch("main"));
        }
    }
}
