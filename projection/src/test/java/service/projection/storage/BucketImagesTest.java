package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ServiceException;
import service.core.event.EventFormatException;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ObjectStore;
import service.core.port.RetentionPolicy;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.GeneratedHistory;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.testkit.ViewShows;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.object.RepeatedReads;
import service.log.retain.Retention;
import service.log.segment.SegmentStore;
import service.log.segment.SegmentedLog;
import service.log.segment.SegmentedLog.Source;
import service.projection.TestGraph;

/** Checkpoints and base images of a graph in a bucket: what is opened from them, and their deaths at each request. */
class BucketImagesTest {
    private static final RetentionPolicy KEEP = new RetentionPolicy(5L, null);

    /** Requests between two deaths of a cleanup at most; {@code -Dservice.image.step=1} for each of them. */
    private static final int STEP_MAX = Integer.getInteger("service.image.step", 8);

    @TempDir
    Path temporary;

    private final MemoryObjectStore bucket = new MemoryObjectStore();
    private int copies;
    private GeneratedHistory history;

    /** How long objects stay that are not needed any more. */
    private Duration kept = Duration.ZERO;

    @BeforeEach
    void create() {
        LmdbGraphStorage.create(
                        home(bucket, "g", "first", Source.NEWEST_IMAGE),
                        TestGraph.options(),
                        SmallGraph.SCHEMA,
                        "tester")
                .close();
    }

    private SegmentedLog home(ObjectStore client, String graph, String copy, Source source) {
        return new SegmentedLog(
                new SegmentStore(new RepeatedReads(client), graph, kept),
                temporary.resolve(copy),
                LmdbOptions.unsynced().withMapBytes(1L << 30, 4L << 30),
                CommitHook.NONE,
                "boot",
                source);
    }

    private LmdbGraphStorage open(ObjectStore client, String copy) {
        return LmdbGraphStorage.open(home(client, "g", copy, Source.NEWEST_IMAGE), TestGraph.options());
    }

    private String fresh() {
        return "copy-" + copies++;
    }

    /** The history that is written and its model. */
    private void write(LmdbGraphStorage storage, int events) {
        if (history == null) {
            history = new GeneratedHistory(7, storage, 4);
        }
        history.run(events, 50);
    }

    private List<String> keys(String folder) {
        String prefix = "graphs/g/" + folder + "/";
        return bucket.list(prefix, "", 10_000).stream()
                .map(key -> key.substring(prefix.length()))
                .toList();
    }

    /** Every head is that of the model, and the log and the tables agree. */
    private void requireComplete(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            List<Branch> branches = session.branches();
            assertThat(branches).isNotEmpty();
            for (Branch branch : branches) {
                try (GraphView view = session.view(branch.headPoint())) {
                    ViewShows.exactly(view, history.fold.state(branch.incarnation()));
                }
            }
        }
    }

    /** The requests of an opening without a copy, which is compared with the model. */
    private long openFresh() {
        FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
        try (LmdbGraphStorage storage = open(client, fresh())) {
            long requests = client.requests();
            requireComplete(storage);
            return requests;
        }
    }

    /** A copy has the marks of a cleanup a moment before its tables show the commits that the cleanup kept. */
    @Test
    void theHeadCanBeReadWhileACleanupOfAnotherServerIsTakenIn() {
        kept = Duration.ofMinutes(10);
        List<Long> heads = new ArrayList<>();
        AtomicReference<LmdbGraphStorage> follower = new AtomicReference<>();
        CommitHook reading = new CommitHook() {
            @Override
            public void beforeCommit(Path directory) {
                LmdbGraphStorage now = follower.get();
                if (now != null && directory.endsWith("projection")) {
                    try (GraphSession session = now.session();
                            GraphView view = session.view(Objects.requireNonNull(session.branch("main"))
                                    .headPoint())) {
                        heads.add(view.point().offset());
                    }
                }
            }
        };
        try (LmdbGraphStorage storage = open(bucket, fresh());
                LmdbGraphStorage other = LmdbGraphStorage.open(
                        home(bucket, "g", fresh(), Source.NEWEST_IMAGE),
                        TestGraph.options().withHook(reading))) {
            write(storage, 40);
            storage.cleanup().run(new RetentionPolicy(1L, null), Duration.ZERO);
            follower.set(other);
            CommitLog.await(other.awaitTail(System.nanoTime()));
            follower.set(null);
            assertThat(heads).as("of the state before").isNotEmpty().first().isEqualTo(0L);
            requireComplete(other);
        }
    }

    /** As {@link #openFresh}; the copy is then compared with one that is made from its log. */
    private long verifyFresh() {
        FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
        String copy = fresh();
        long requests;
        try (LmdbGraphStorage storage = open(client, copy)) {
            requests = client.requests();
            requireComplete(storage);
        }
        assertThat(GraphVerification.run(temporary.resolve(copy), TestGraph.options(), temporary)
                        .findings())
                .isEmpty();
        return requests;
    }

    private void damage(String key) {
        byte[] bytes = Objects.requireNonNull(bucket.get(key)).bytes();
        bytes[bytes.length / 2] ^= 8;
        bucket.delete(key);
        bucket.putIfAbsent(key, bytes);
    }

    private Map<String, byte[]> objects() {
        Map<String, byte[]> all = new TreeMap<>();
        // The lease is of a process, and not of a state.
        bucket.list("", "", 10_000).stream()
                .filter(key -> !key.endsWith("/lease"))
                .forEach(key ->
                        all.put(key, Objects.requireNonNull(bucket.get(key)).bytes()));
        return all;
    }

    private void restore(Map<String, byte[]> objects) {
        bucket.list("", "", 10_000).forEach(bucket::delete);
        objects.forEach(bucket::putIfAbsent);
    }

    @Test
    void anOpeningCostsTheEventsBehindTheCheckpoint() {
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 40);
            storage.keepImage();
            write(storage, 5);
            long requests = openFresh();
            assertThat(requests).isLessThan(25).isEqualTo(verifyFresh());
            write(storage, 60);
            storage.keepImage();
            write(storage, 5);
            assertThat(verifyFresh()).isEqualTo(requests);
            storage.keepImage();
            write(storage, 1);
            storage.keepImage();
            assertThat(keys("checkpoint")).as("the newest two stay").hasSize(2);
            storage.keepImage();
            assertThat(keys("checkpoint")).as("nothing was written since").hasSize(2);
        }
    }

    @Test
    void aDamagedCheckpointIsPassedOverForTheOneBefore() {
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 30);
            storage.keepImage();
            write(storage, 10);
            storage.keepImage();
        }
        long sound = openFresh();
        String newest = "graphs/g/checkpoint/" + keys("checkpoint").getLast();
        damage(newest);
        assertThat(openFresh())
                .as("the ten segments behind the one before, and not all forty")
                .isBetween(sound + 5, sound + 25);
        assertThatThrownBy(() ->
                        LmdbGraphStorage.open(home(bucket, "g", fresh(), Source.EVERY_OBJECT), TestGraph.options()))
                .isInstanceOf(EventFormatException.class)
                .hasMessageContaining(newest);
        damage("graphs/g/checkpoint/" + keys("checkpoint").getFirst());
        openFresh();
    }

    @Test
    void aCheckpointOfAnotherGraphOrHistoryIsNotUsed() {
        Map<String, byte[]> early;
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 20);
            early = objects();
        }
        try (LmdbGraphStorage other = LmdbGraphStorage.create(
                home(bucket, "h", "other", Source.NEWEST_IMAGE), TestGraph.options(), SmallGraph.SCHEMA, "tester")) {
            new GeneratedHistory(8, other, 4).run(25, 50);
            other.keepImage();
        }
        String foreign = bucket.list("graphs/h/checkpoint/", "", 1).getFirst();
        bucket.putIfAbsent(
                foreign.replace("graphs/h/", "graphs/g/"),
                Objects.requireNonNull(bucket.get(foreign)).bytes());
        openFresh();
        restore(early);
        String left = fresh();
        try (LmdbGraphStorage storage = open(bucket, left)) {
            GeneratedHistory unused = new GeneratedHistory(9, storage, 1);
            assertThat(unused.commits).isZero();
            SmallGraph.commit(storage.log(), main(storage), List.of(SmallGraph.person("lost", 1)));
            storage.keepImage();
        }
        String later = "graphs/g/checkpoint/" + keys("checkpoint").getLast();
        byte[] bytes = Objects.requireNonNull(bucket.get(later)).bytes();
        restore(early);
        try (LmdbGraphStorage storage = open(bucket, fresh())) {
            history.continueOn(storage);
            write(storage, 3);
        }
        bucket.putIfAbsent(later, bytes);
        openFresh();
    }

    @Test
    void aCheckpointProvesThatTheNewestSegmentsAreMissing() {
        String newest;
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 20);
            storage.keepImage();
            newest = "graphs/g/log/" + keys("log").getLast();
        }
        byte[] segment = Objects.requireNonNull(bucket.get(newest)).bytes();
        bucket.delete(newest);
        String checkpoint = "graphs/g/checkpoint/" + keys("checkpoint").getLast();
        for (String copy : List.of("first", fresh())) {
            for (Source source : List.of(Source.NEWEST_IMAGE, Source.EVERY_OBJECT)) {
                assertThatThrownBy(() -> LmdbGraphStorage.open(home(bucket, "g", copy, source), TestGraph.options()))
                        .isInstanceOf(EventFormatException.class)
                        .hasMessageContaining(newest + " is missing")
                        .hasMessageContaining(checkpoint);
            }
        }
        bucket.putIfAbsent(newest, segment);
        openFresh();
    }

    private static Branch main(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return Objects.requireNonNull(session.branch("main"));
        }
    }

    @Test
    void aCheckpointThatDiesAtAnyRequestLosesNothing(@Seed long seed) {
        FaultyObjectStore client = new FaultyObjectStore(bucket, seed);
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 10);
            storage.keepImage();
            write(storage, 10);
            storage.keepImage();
            write(storage, 10);
        }
        Map<String, byte[]> before = objects();
        int deaths = 0;
        try (LmdbGraphStorage storage = open(client, "first")) {
            boolean reached = true;
            for (int request = 0; reached; request++) {
                for (boolean afterEffect : new boolean[] {false, true}) {
                    restore(before);
                    client.killAt(client.requests() + request, afterEffect);
                    reached = dies(storage::keepImage);
                    client.killAt(Long.MAX_VALUE, false);
                    if (reached) {
                        deaths++;
                        openFresh();
                        assertThat(keys("checkpoint")).hasSizeBetween(1, 3);
                    }
                }
            }
        }
        assertThat(deaths).isGreaterThan(8);
        assertThat(keys("checkpoint")).hasSize(2);
    }

    /** Whether the client was killed. */
    private static boolean dies(Runnable work) {
        try {
            work.run();
            return false;
        } catch (FaultyObjectStore.Killed killed) {
            return true;
        } catch (ServiceException e) {
            // The writer's thread was killed.
            assertThat(e).hasRootCauseInstanceOf(FaultyObjectStore.Killed.class);
            return true;
        }
    }

    private static void cleanUp(LmdbGraphStorage storage) {
        storage.cleanup().run(KEEP, Duration.ZERO);
    }

    /** What was reclaimed, as the feed and the listing of commits see it. */
    private static long reclaimed(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return LongStream.rangeClosed(0, storage.events().tail().offset())
                    .filter(offset -> session.isReclaimed(0, offset))
                    .count();
        }
    }

    private void requireOnlyTheBase() {
        assertThat(keys("base")).hasSize(1);
        assertThat(keys("checkpoint")).isEmpty();
        assertThat(keys("packed")).isEmpty();
        List<String> segments = keys("log");
        assertThat(segments).hasSizeGreaterThan(1).first().isEqualTo("00000000000000000000.seg");
        assertThat(segments.subList(1, segments.size() - 1))
                .as("between the first segment and the newest one")
                .isEmpty();
    }

    @Test
    void aCleanupLeavesABaseImageThatEveryCopyIsMadeOf() {
        String stale = fresh();
        long gone;
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 40);
            storage.keepImage();
            open(bucket, stale).close();
            cleanUp(storage);
            requireOnlyTheBase();
            gone = reclaimed(storage);
            assertThat(gone).isPositive();
        }
        verifyFresh();
        for (String copy : List.of("first", stale, fresh())) {
            try (LmdbGraphStorage storage = open(bucket, copy)) {
                requireComplete(storage);
                assertThat(reclaimed(storage)).as(copy).isEqualTo(gone);
            }
        }
        long requests;
        try (LmdbGraphStorage storage = open(bucket, stale)) {
            history.continueOn(storage);
            write(storage, 5);
            storage.keepImage();
            requests = openFresh();
            write(storage, 30);
            cleanUp(storage);
            requireOnlyTheBase();
            write(storage, 5);
            storage.keepImage();
            assertThat(openFresh()).isEqualTo(requests);
            cleanUp(storage);
            assertThat(keys("base")).hasSize(1);
        }
        verifyFresh();
    }

    /**
     * A second process cleans up while the first one writes. The first one takes the marks in with the commits, deletes
     * what they take from its copy, and makes no image before. The base image of the other one becomes its own.
     */
    @Test
    void aCleanupOfAnotherProcessIsTakenIn() {
        kept = SegmentStore.RECLAIM_DELAY;
        try (LmdbGraphStorage one = open(bucket, "first");
                LmdbGraphStorage other = open(bucket, fresh())) {
            write(one, 30);
            CommitLog.await(other.awaitTail(System.nanoTime()));
            cleanUp(other);
            long gone = reclaimed(other);
            assertThat(gone).isPositive();
            assertThat(keys("base")).hasSize(1);
            CommitLog.await(one.awaitTail(System.nanoTime()));
            assertThat(reclaimed(one)).isEqualTo(gone);
            write(one, 10);
            one.keepImage();
            assertThat(keys("checkpoint")).as("the copy has what was reclaimed").isEmpty();
            one.cleanup().resume(Duration.ZERO);
            assertThat(one.events().retention().phase()).isEqualTo(Retention.Phase.DONE);
            assertThat(keys("base")).as("that of the other process").hasSize(1);
            requireComplete(one);
            one.keepImage();
            assertThat(keys("checkpoint")).hasSize(1);
            openFresh();
            cleanUp(one);
            assertThat(keys("base")).as("the one before stays for a time").hasSize(2);
            CommitLog.await(other.awaitTail(System.nanoTime()));
            other.cleanup().resume(Duration.ZERO);
            requireComplete(other);
            assertThat(reclaimed(other)).isEqualTo(reclaimed(one)).isGreaterThan(gone);
        }
        verifyFresh();
    }

    /** Base images that end with the same event are ordered by what they were made of, not by their names. */
    @Test
    void cleanupsWithoutEventsBetweenThemReplaceTheirBaseImages() {
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 30);
            for (long keep = 8; keep > 0; keep--) {
                Map<String, byte[]> before = objects();
                storage.cleanup().run(new RetentionPolicy(keep, null), Duration.ZERO);
                requireOnlyTheBase();
                long gone = reclaimed(storage);
                before.forEach(bucket::putIfAbsent);
                try (LmdbGraphStorage other = open(bucket, fresh())) {
                    assertThat(reclaimed(other))
                            .as("beside the older base image")
                            .isEqualTo(gone);
                    requireComplete(other);
                }
                before.keySet().stream().filter(key -> key.contains("/base/")).forEach(bucket::delete);
                bucket.list("graphs/g/log/", "graphs/g/log/00000000000000000000.seg", 1_000).stream()
                        .filter(key -> !key.equals(
                                bucket.list("graphs/g/log/", "", 1_000).getLast()))
                        .forEach(bucket::delete);
            }
        }
    }

    /** Each death is followed by openings, and by the next cleanup, of the same copy or of a new one. */
    @Test
    void aCleanupThatDiesAtAnyRequestLosesNothing(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 20);
            storage.keepImage();
            cleanUp(storage);
            write(storage, 20);
            storage.keepImage();
            write(storage, 3);
        }
        Map<String, byte[]> before = objects();
        boolean reached = true;
        int deaths = 0;
        for (int request = random.nextInt(STEP_MAX); reached; request += 1 + random.nextInt(STEP_MAX)) {
            restore(before);
            String copy = fresh();
            copy(temporary.resolve("first"), temporary.resolve(copy));
            FaultyObjectStore client = new FaultyObjectStore(bucket, seed + request);
            try (LmdbGraphStorage storage = open(client, copy)) {
                client.killAt(client.requests() + request, random.nextBoolean());
                reached = dies(() -> cleanUp(storage));
                client.killAt(Long.MAX_VALUE, false);
            }
            // The lease of the dead process is over.
            bucket.delete("graphs/g/lease");
            if (reached) {
                deaths++;
                openFresh();
                try (LmdbGraphStorage storage = open(bucket, random.nextBoolean() ? copy : fresh())) {
                    cleanUp(storage);
                    requireComplete(storage);
                }
            }
            requireOnlyTheBase();
        }
        assertThat(deaths).isPositive();
        verifyFresh();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    @Test
    void aBaseImageThatIsMissingOrDamagedIsNamed() {
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            write(storage, 30);
            cleanUp(storage);
            write(storage, 5);
        }
        String base = "graphs/g/base/" + keys("base").getFirst();
        Map<String, byte[]> sound = objects();
        damage(base);
        requireRefused(base);
        restore(sound);
        try (LmdbGraphStorage storage = open(bucket, "first")) {
            storage.keepImage();
        }
        assertThat(keys("checkpoint")).hasSize(1);
        damage(base);
        openFresh();
        bucket.delete(base);
        requireRefused(base);
        assertThatThrownBy(() -> open(bucket, "first"))
                .as("also with a copy")
                .isInstanceOf(EventFormatException.class)
                .hasMessageContaining(base);
    }

    private void requireRefused(String base) {
        assertThatThrownBy(() -> open(bucket, fresh()))
                .isInstanceOf(EventFormatException.class)
                .hasMessageContaining(base);
    }
}
