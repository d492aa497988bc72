package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Image;
import service.core.event.Origin;
import service.core.port.Branch;
import service.core.port.CommitFollower;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RetentionPolicy;
import service.core.port.WriteCommand.Draft;
import service.core.testkit.GeneratedHistory;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.testkit.ViewShows;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.log.lmdb.CommitHook;
import service.log.retain.Retention;
import service.projection.TestGraph;

/** Histories with cleanups at random points, compared with an in-memory replay that keeps everything. */
class CleanupTest {
    private static final Duration NO_PAUSE = Duration.ZERO;

    @TempDir
    Path temporary;

    /** States that a cleanup has reclaimed. They stay reclaimed when a later policy or branch would keep them. */
    private final Set<ReadPoint> gone = new HashSet<>();

    private Path directory() {
        return temporary.resolve("graph");
    }

    private LmdbGraphStorage create(StorageOptions options) {
        return LmdbGraphStorage.create(directory(), options, SmallGraph.SCHEMA, "tester");
    }

    private static RetentionPolicy keep(long commits) {
        return new RetentionPolicy(commits, null);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void everythingAfterTheMarkEqualsTheReplayAndBeforeItIsReclaimed(long nth, @Seed long seed) {
        Random random = new Random(seed + nth);
        GeneratedHistory history;
        long reclaimed = 0;
        long read = 0;
        try (LmdbGraphStorage storage = create(TestGraph.options())) {
            history = new GeneratedHistory(seed + nth, storage, 4).withPastForks();
            for (int round = 0; round < 3; round++) {
                history.run(50, 2);
                long keep = 1L + random.nextInt(15);
                noteWhatIsGone(storage);
                Cleanup.Report preview = storage.cleanup().preview(keep(keep));
                Cleanup.Report report = storage.cleanup().run(keep(keep), NO_PAUSE);
                assertThat(report).as("round " + round).isEqualTo(preview);
                reclaimed += report.commits();
                read += showsWhatIsKept(storage, history, keep);
                Cleanup.Report again = storage.cleanup().run(keep(keep), NO_PAUSE);
                assertThat(again).isEqualTo(Cleanup.Report.nothing(again.pinnedBy()));
                List<String> findings = new ArrayList<>();
                GraphVerification.compare(
                        storage.events(), storage.environment(), TestGraph.options(), temporary, findings);
                assertThat(findings).isEmpty();
            }
            history.run(20, 2);
            showsWhatIsKept(storage, history, 1);
            // A short history may keep no state that was noted; three together do.
            assertThat(read).as("states read").isPositive();
            assertThat(reclaimed).isPositive();
            assertThat(gone).isNotEmpty();
        }
        GraphVerification.Report verified = GraphVerification.run(directory(), TestGraph.options(), temporary);
        assertThat(verified.findings()).isEmpty();
        LmdbGraphStorage.rebuild(directory(), TestGraph.options(), offset -> {});
        assertThat(GraphVerification.run(directory(), TestGraph.options(), temporary)
                        .findings())
                .isEmpty();
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.open(directory(), TestGraph.options().withBoot(() -> "other"))) {
            showsWhatIsKept(storage, history, 1);
        }
    }

    /**
     * A commit without changes, such as a change of the schema alone, has no images, but its state is reclaimed too.
     */
    @Test
    void aCommitWithoutChangesIsReclaimedLikeAnyOther() {
        try (LmdbGraphStorage storage = create(TestGraph.options())) {
            SmallGraph.commit(storage.log(), main(storage), people("a", 3));
            long bare =
                    SmallGraph.commit(storage.log(), main(storage), List.of()).offset();
            SmallGraph.commit(storage.log(), main(storage), people("b", 3));
            storage.cleanup().run(keep(2), NO_PAUSE);
            assertThat(storage.events().retention().isReclaimed(0, bare)).isFalse();

            assertThat(storage.cleanup().run(keep(1), NO_PAUSE).commits()).isZero();
            assertThat(storage.events().retention().isReclaimed(0, bare)).isTrue();
            long revision = storage.events().retention().revision();
            storage.cleanup().run(keep(1), NO_PAUSE);
            assertThat(storage.events().retention().revision()).isEqualTo(revision);
        }
    }

    /** Cleanup keeps the images of events that a follower has not taken. */
    @Test
    void aFollowerKeepsWhatItHasNotTaken() {
        try (LmdbGraphStorage storage = create(TestGraph.options())) {
            long first = SmallGraph.commit(storage.log(), main(storage), people("a", 3))
                    .offset();
            CountDownLatch release = new CountDownLatch(1);
            AtomicLong taken = new AtomicLong();
            storage.follow(new CommitFollower() {
                @Override
                public boolean isInterested(long offset) {
                    return true;
                }

                @Override
                public void committed(long from, long to) {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    try (GraphSession session = storage.session()) {
                        for (long offset = from; offset <= to; offset++) {
                            assertThat(session.event(offset)).isInstanceOf(Event.Commit.class);
                        }
                    }
                    taken.set(to);
                }
            });
            for (String prefix : List.of("b", "c", "d", "e")) {
                SmallGraph.commit(storage.log(), main(storage), people(prefix, 3));
            }
            long last = storage.events().tail().offset();
            storage.cleanup().run(keep(1), NO_PAUSE);
            try (GraphSession session = storage.session()) {
                assertThat(session.isReclaimed(0, first)).isTrue();
                assertThat(session.isReclaimed(0, first + 1)).isFalse();
            }
            release.countDown();
            await().until(() -> taken.get() == last);
            // What the follower has taken counts only after its call has returned.
            await().until(() -> storage.cleanup().run(keep(1), NO_PAUSE).commits() > 0);
        }
    }

    /**
     * The type has ten ordinals: after a cleanup and a rebuild the ordinals of deleted entities are assigned again, and
     * no others.
     */
    @Test
    void aRebuildAfterACleanupFreesOrdinals() {
        StorageOptions options = TestGraph.options().withOrdinalsMax(10);
        try (LmdbGraphStorage storage = create(options)) {
            SmallGraph.commit(storage.log(), main(storage), people("a", 10));
            SmallGraph.commit(storage.log(), main(storage), gone("a", 2, 9));
            assertThatThrownBy(() -> SmallGraph.commit(storage.log(), main(storage), people("b", 1)))
                    .hasMessageContaining("`service rebuild`");
            storage.cleanup().run(keep(2), NO_PAUSE);
        }
        rebuildsSoundly(options);
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(directory(), options)) {
            assertThatThrownBy(() -> SmallGraph.commit(storage.log(), main(storage), people("b", 1)))
                    .as("the commit before the deletions still shows all ten")
                    .hasMessageContaining("`service rebuild`");
            SmallGraph.commit(storage.log(), main(storage), List.of());
            storage.cleanup().run(keep(1), NO_PAUSE);
        }
        rebuildsSoundly(options);
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(directory(), options)) {
            SmallGraph.commit(storage.log(), main(storage), people("b", 7));
            assertThatThrownBy(() -> SmallGraph.commit(storage.log(), main(storage), people("c", 1)))
                    .hasMessageContaining("`service rebuild`");
            try (GraphSession session = storage.session();
                    GraphView view = session.view(main(storage).headPoint())) {
                assertThat(view.count(SmallGraph.PERSON)).isEqualTo(10);
                assertThat(view.lookup(SmallGraph.PERSON, "a9")).isEqualTo(9);
                assertThat(view.lookup(SmallGraph.PERSON, "b0")).isEqualTo(2);
                assertThat(view.lookup(SmallGraph.PERSON, "b6")).isEqualTo(8);
                assertThat(view.lookup(SmallGraph.PERSON, "a2")).isNegative();
            }
        }
        assertThat(GraphVerification.run(directory(), options, temporary).findings())
                .isEmpty();
        rebuildsSoundly(options);
    }

    private void rebuildsSoundly(StorageOptions options) {
        LmdbGraphStorage.rebuild(directory(), options, offset -> {});
        assertThat(GraphVerification.run(directory(), options, temporary).findings())
                .isEmpty();
    }

    private static Branch main(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return Objects.requireNonNull(session.branch("main"));
        }
    }

    private static Image image(String id) {
        return Image.ofNode(PropertyRow.of(Map.of(SmallGraph.NAME, new Value.Text(id))));
    }

    private static List<EntityChange> people(String prefix, int n) {
        return IntStream.range(0, n)
                .mapToObj(
                        i -> new EntityChange(EntityKind.NODE, SmallGraph.PERSON, prefix + i, null, image(prefix + i)))
                .toList();
    }

    /** Deletes the {@link #people} from one number to another, exclusive. */
    private static List<EntityChange> gone(String prefix, int from, int below) {
        return IntStream.range(from, below)
                .mapToObj(
                        i -> new EntityChange(EntityKind.NODE, SmallGraph.PERSON, prefix + i, image(prefix + i), null))
                .toList();
    }

    /** A cleanup that keeps more than an earlier one restores no state. */
    private void noteWhatIsGone(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            for (Branch branch : session.branches()) {
                for (long place = 0; place < branch.historyLength(); place++) {
                    CommitHeader header = session.header(session.history(branch.incarnation(), place));
                    if (session.isReclaimed(header.incarnation(), header.offset())) {
                        gone.add(session.position(header.id()).point());
                    }
                }
            }
        }
    }

    /**
     * Each readable state is as it was written, and each state that must be kept is readable. Returns the number of
     * readable states.
     */
    private int showsWhatIsKept(LmdbGraphStorage storage, GeneratedHistory history, long keep) {
        int readable = 0;
        try (GraphSession session = storage.session()) {
            Set<ReadPoint> kept = kept(session, keep);
            for (ReadPoint point : kept) {
                assertReadable(session, point);
            }
            for (var copy : history.copies.entrySet()) {
                try (GraphView view = session.view(copy.getKey())) {
                    readable++;
                    ViewShows.exactly(view, copy.getValue());
                } catch (ServiceException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_RECLAIMED);
                    assertThat(kept).doesNotContain(copy.getKey());
                    gone.add(copy.getKey());
                } catch (AssertionError e) {
                    throw new AssertionError("at " + copy.getKey() + ": " + e.getMessage(), e);
                }
            }
            for (Branch branch : session.branches()) {
                try (GraphView view = session.view(branch.headPoint())) {
                    ViewShows.exactly(view, history.fold.state(branch.incarnation()));
                }
            }
            historyIsListed(session);
        }
        return readable;
    }

    /** The states that the policy must keep, computed from its definition and not as the implementation does. */
    private Set<ReadPoint> kept(GraphSession session, long keep) {
        Set<ReadPoint> kept = new HashSet<>();
        for (Branch branch : session.branches()) {
            kept.add(branch.headPoint());
            kept.add(session.position(branch.head()).point());
            long since = 0;
            if (branch.fork() != null) {
                kept.add(session.position(branch.fork().commit()).point());
                while (session.history(branch.incarnation(), since)
                        != session.position(branch.fork().commit()).offset()) {
                    since++;
                }
                since++;
            }
            long last = branch.historyLength() - 1;
            for (long place = Math.max(since, last + 1 - keep); place <= last; place++) {
                CommitHeader header = session.header(session.history(branch.incarnation(), place));
                ReadPoint point = session.position(header.id()).point();
                if (gone.contains(point)) {
                    continue;
                }
                kept.add(point);
                assertThat(session.isReclaimed(header.incarnation(), header.offset()))
                        .as("changes of a kept commit")
                        .isFalse();
            }
        }
        return kept;
    }

    /** Every commit record is listed; its changes are readable or reported as reclaimed. */
    private static void historyIsListed(GraphSession session) {
        for (Branch branch : session.branches()) {
            for (long place = 0; place < branch.historyLength(); place++) {
                CommitHeader header = session.header(session.history(branch.incarnation(), place));
                assertThat(session.position(header.id()).offset()).isEqualTo(header.offset());
                int[] changes = new int[1];
                if (session.isReclaimed(header.incarnation(), header.offset())) {
                    if (header.counts().equals(service.core.event.ChangeCounts.NONE)) {
                        continue;
                    }
                    assertThatThrownBy(() -> session.event(header.offset()))
                            .isInstanceOfSatisfying(
                                    ServiceException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_RECLAIMED));
                } else {
                    changes[0] = session.commit(header.offset(), 0).changes().count();
                }
            }
        }
    }

    /** The plan was made before there was the branch, and the marks come after it. */
    @Test
    void aBranchFromAnEarlierCommitMadeDuringACleanupKeepsItsState() {
        Thread cleaner = Thread.currentThread();
        Runnable[] meanwhile = {null};
        LongSupplier clock = () -> {
            Runnable once = Thread.currentThread().equals(cleaner) ? meanwhile[0] : null;
            if (once != null) {
                meanwhile[0] = null;
                once.run();
            }
            return 1_700_000_000_000_000L;
        };
        try (LmdbGraphStorage storage = create(TestGraph.options().withClock(clock))) {
            CommitHeader old =
                    ((Event.Commit) SmallGraph.commit(storage.log(), main(storage), people("a", 3))).header();
            for (int i = 0; i < 5; i++) {
                SmallGraph.commit(storage.log(), main(storage), people("b" + i, 3));
            }
            Branch then = Branch.at(old, 2);
            meanwhile[0] = () ->
                    SmallGraph.write(storage.log(), new Draft.CreateBranch("old", then, true, Origin.of("tester")));
            storage.cleanup().run(keep(1), NO_PAUSE);
            assertThat(meanwhile[0]).as("the branch was made").isNull();
            assertThat(storage.events().retention().isReclaimed(0, old.offset()))
                    .isTrue();
            try (GraphSession session = storage.session();
                    GraphView view = session.view(session.branch("old").headPoint())) {
                assertThat(view.count(SmallGraph.PERSON)).isEqualTo(3);
                assertReadable(session, new ReadPoint(0, old.offset()));
            }
            List<String> findings = new ArrayList<>();
            GraphVerification.compare(
                    storage.events(), storage.environment(), TestGraph.options(), temporary, findings);
            assertThat(findings).isEmpty();
        }
    }

    @Test
    void olderThanKeepsYoungerCommits() {
        long[] now = {1_700_000_000_000_000L};
        StorageOptions plain = TestGraph.options();
        StorageOptions options = plain.withCheckpointEvents(0).withClock(() -> now[0]);
        try (LmdbGraphStorage storage = create(options)) {
            GeneratedHistory history = new GeneratedHistory(11, storage, 6);
            history.run(50, 2);
            long old = storage.events().tail().offset();
            now[0] += 10_000_000;
            history.run(25, 2);
            storage.cleanup().run(RetentionPolicy.of(null, "5s"), NO_PAUSE);
            showsWhatIsKept(storage, history, 1);
            try (GraphSession session = storage.session()) {
                for (ReadPoint point : history.copies.keySet()) {
                    if (point.offset() > old) {
                        assertReadable(session, point);
                    }
                }
                assertThat(session.isReclaimed(0, 1)).isTrue();
            }
            RetentionPolicy both = RetentionPolicy.of(1_000_000L, "1s");
            Cleanup.Report none = storage.cleanup().preview(both);
            assertThat(none).isEqualTo(Cleanup.Report.nothing(none.pinnedBy()));
        }
    }

    /** A copy of the files after each durable step equals what a kill between two steps leaves. */
    @Test
    void aCleanupKilledAfterAnyStepIsResumed() throws IOException {
        Path[] copies = {null};
        List<Path> taken = new ArrayList<>();
        StorageOptions plain = TestGraph.options();
        CommitHook hook = new CommitHook() {
            @Override
            public void afterCommit(Path environment) {
                Path into = copies[0];
                if (into != null) {
                    Path copy = into.resolve("copy-" + taken.size());
                    taken.add(copy);
                    copyAsIfKilled(directory(), copy);
                }
            }
        };
        StorageOptions options = plain.withCheckpointEvents(0).withHook(hook);
        GeneratedHistory history;
        try (LmdbGraphStorage storage = create(options)) {
            history = new GeneratedHistory(5, storage, 8);
            history.run(60, 2);
            storage.cleanup().run(keep(12), NO_PAUSE);
            history.run(25, 2);
            showsWhatIsKept(storage, history, 1);
            copies[0] = temporary;
            storage.cleanup().run(keep(5), NO_PAUSE);
            copies[0] = null;
        }
        Set<Retention.Phase> phases = new HashSet<>();
        for (Path copy : taken) {
            try (LmdbGraphStorage storage = LmdbGraphStorage.open(copy, plain)) {
                phases.add(storage.events().retention().phase());
                storage.cleanup().resume(NO_PAUSE);
                assertThat(storage.events().retention().phase()).isEqualTo(Retention.Phase.DONE);
                showsWhatIsKept(storage, history, 5);
            }
            assertThat(GraphVerification.run(copy, plain, temporary).findings()).isEmpty();
            LmdbGraphStorage.rebuild(copy, plain, offset -> {});
        }
        assertThat(phases).containsExactlyInAnyOrder(Retention.Phase.values());
    }

    @Test
    void aMissingBaseImageIsNamedAndNoTablesAreBuiltWithoutIt() throws IOException {
        try (LmdbGraphStorage storage = create(TestGraph.options())) {
            GeneratedHistory history = new GeneratedHistory(9, storage, 4);
            history.run(60, 20);
            storage.cleanup().run(keep(3), NO_PAUSE);
            history.run(20, 20);
            storage.checkpoint();
            history.run(5, 5);
        }
        Path checkpoints = directory().resolve(Checkpoints.DIRECTORY);
        try (Stream<Path> files = Files.list(checkpoints)) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            Files.delete(all.getFirst());
        }
        assertThat(GraphVerification.run(directory(), TestGraph.options(), temporary)
                        .findings())
                .singleElement()
                .asString()
                .contains("base image", "backup");
        assertThatThrownBy(() -> LmdbGraphStorage.rebuild(directory(), TestGraph.options(), offset -> {}))
                .hasMessageContaining("base image");
    }

    private static void copyAsIfKilled(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertReadable(GraphSession session, ReadPoint point) {
        try (GraphView view = session.view(point)) {
            assertThat(view.point()).isEqualTo(point);
        }
    }
}
