package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.RetentionPolicy;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.projection.TestGraph;

/** What cleanups and compactions make of the sizes of a graph and of its backup. */
final class CleanupSizeTest {
    /** Files of a graph and a backup have times in them, whose texts are longer or shorter. */
    private static final int TIMES_BYTES = 64;

    @TempDir
    Path temporary;

    private Random random = new Random();
    private final Map<String, String> names = new TreeMap<>();

    private Path directory() {
        return temporary.resolve("graph");
    }

    private long diskBytes() throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.walk(directory())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += file.endsWith("lock.mdb") ? 0 : Files.size(file);
            }
        }
        return bytes;
    }

    private long checkpointBytes() throws IOException {
        Path folder = directory().resolve(Checkpoints.DIRECTORY);
        long bytes = 0;
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    bytes += Files.size(file);
                }
            }
        }
        return bytes;
    }

    private long backupBytes() throws IOException {
        ByteArrayOutputStream backup = new ByteArrayOutputStream();
        GraphBackup.write(directory(), "g", backup);
        return backup.size();
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(30); i >= 0; i--) {
            text.append(Integer.toString(random.nextInt(40_000), 36)).append(' ');
        }
        return text.toString();
    }

    private static Image image(String name) {
        return Image.ofNode(PropertyRow.of(Map.of(SmallGraph.NAME, new Value.Text(name))));
    }

    private static Branch main(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return Objects.requireNonNull(session.branch("main"));
        }
    }

    /** Inserts or updates people; returns the number of changes. */
    private void commit(LmdbGraphStorage storage, int from, int count) {
        List<EntityChange> changes = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            String id = "p" + i;
            String now = text();
            String before = names.put(id, now);
            changes.add(new EntityChange(
                    EntityKind.NODE, SmallGraph.PERSON, id, before == null ? null : image(before), image(now)));
        }
        changes.sort(java.util.Comparator.comparing(EntityChange::id));
        SmallGraph.commit(storage.log(), main(storage), changes);
    }

    private LmdbGraphStorage create() {
        return LmdbGraphStorage.create(directory(), TestGraph.options(), SmallGraph.SCHEMA, "tester");
    }

    private LmdbGraphStorage open() {
        return LmdbGraphStorage.open(directory(), TestGraph.options());
    }

    private Cleanup.Report clean(long keep) {
        try (LmdbGraphStorage storage = open()) {
            return storage.cleanup().runIfSmaller(new RetentionPolicy(keep, null), Duration.ZERO);
        }
    }

    private void assertSound() {
        assertThat(GraphVerification.run(directory(), TestGraph.options(), temporary)
                        .findings())
                .isEmpty();
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.open(directory(), TestGraph.options().withBoot(() -> "after a power failure"))) {
            assertThat(main(storage).historyLength()).isPositive();
        }
        assertThat(GraphVerification.run(directory(), TestGraph.options(), temporary)
                        .findings())
                .isEmpty();
    }

    /** Histories with few and with many superseded versions, cleaned up again and again. */
    @Test
    void neitherTheGraphNorItsBackupGrowsByACleanup(@Seed long seed) throws IOException {
        random = new Random(seed);
        create().close();
        int reclaimed = 0;
        int declined = 0;
        for (int round = 0; round < 8; round++) {
            try (LmdbGraphStorage storage = open()) {
                commit(storage, 600 * round, 600);
                for (int i = random.nextInt(8) * random.nextInt(3); i > 0; i--) {
                    commit(storage, random.nextInt(names.size() - 500), 500);
                }
            }
            Compaction.run(directory(), TestGraph.options());
            long disk = diskBytes();
            long backup = backupBytes();
            Cleanup.Report report = clean(1L + random.nextInt(2));
            Compaction.run(directory(), TestGraph.options());
            String what = "round " + round + ": " + report;
            assertThat(diskBytes()).as(what).isLessThanOrEqualTo(disk + checkpointBytes() + TIMES_BYTES);
            long tolerated = report.imageBytes() <= Cleanup.SMALL_IMAGE_BYTES ? Cleanup.SMALL_IMAGE_BYTES : TIMES_BYTES;
            assertThat(backupBytes()).as(what).isLessThanOrEqualTo(backup + tolerated);
            reclaimed += report.commits() > 0 ? 1 : 0;
            declined += report.isSmaller() ? 0 : 1;
        }
        assertThat(reclaimed).isPositive();
        assertThat(reclaimed + declined).isPositive();
        assertSound();
    }

    /** A graph whose history is what it shows: its image would be as large as its events. */
    @Test
    void nothingIsWrittenWhereNothingIsGained() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            commit(storage, 0, 3_000);
            commit(storage, 0, 1);
        }
        Compaction.run(directory(), TestGraph.options());
        long disk = diskBytes();
        long backup = backupBytes();
        Cleanup.Report report = clean(1);
        assertThat(report.isSmaller()).isFalse();
        assertThat(report.commits()).isZero();
        assertThat(report.imageBytes()).isGreaterThan(Cleanup.SMALL_IMAGE_BYTES);
        assertThat(checkpointBytes()).isZero();
        assertThat(diskBytes()).isEqualTo(disk);
        assertThat(backupBytes()).isLessThan(backup + TIMES_BYTES);

        try (LmdbGraphStorage storage = open()) {
            assertThat(storage.cleanup()
                            .run(new RetentionPolicy(1L, null), Duration.ZERO)
                            .commits())
                    .as("all the same")
                    .isPositive();
        }
        assertThat(checkpointBytes()).isPositive();
        assertSound();
    }

    @Test
    void aCompactionThatFailsLeavesNoCopy() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            commit(storage, 0, 10);
        }
        Path lock = directory().resolve("log/lock.mdb");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock held = channel.lock(0, 1, false)) {
            assertThat(held.isValid()).isTrue();
            assertThatThrownBy(() -> Compaction.run(directory(), TestGraph.options()))
                    .isInstanceOf(OverlappingFileLockException.class);
        }
        try (Stream<Path> files = Files.walk(temporary)) {
            assertThat(files).noneMatch(file -> file.endsWith("compacting"));
        }
        assertSound();
    }

    /** A commit without changes loses nothing, so that a replay needs no image. */
    @Test
    void noImageIsMadeWhereNoEventLosesItsChanges() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            SmallGraph.commit(storage.log(), main(storage), List.of());
            commit(storage, 0, 10);
        }
        clean(1);
        assertThat(checkpointBytes()).isZero();
        try (LmdbGraphStorage storage = open()) {
            assertThat(storage.events().retention().mark(0)).isPositive();
            assertThat(storage.events().retention().base()).isNull();
        }
        assertSound();
    }

    /** A copy of the tables is a small part of them. */
    @Test
    void aCheckpointIsSmallerThanTheTables() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            commit(storage, 0, 5_000);
            storage.checkpoint();
        }
        long tables = Files.size(directory().resolve(GraphTables.DIRECTORY).resolve("data.mdb"));
        assertThat(checkpointBytes()).isLessThan(tables / 2);
        assertSound();
    }
}
