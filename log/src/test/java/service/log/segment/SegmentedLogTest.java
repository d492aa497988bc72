package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ServiceException;
import service.core.event.EventFormatException;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.SmallGraph;
import service.log.format.EventLog;
import service.log.format.LogVerification;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;
import service.log.testkit.Groups;

/** Opening: what is read, which copies are used, and what is refused. */
final class SegmentedLogTest {
    private static final long MICROS = 1_700_000_000_000_000L;
    private static final String BOOT = "boot-1";

    @TempDir
    Path directory;

    private final MemoryObjectStore bucket = new MemoryObjectStore();
    private final FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
    private Path copy;

    @BeforeEach
    void create() {
        copy = directory.resolve("copy");
        log(copy, BOOT).create(SmallGraph.SCHEMA, "tester", MICROS).close();
    }

    private SegmentStore segments() {
        return new SegmentStore(client, "g");
    }

    private SegmentedLog log(Path at, String boot) {
        return new SegmentedLog(segments(), at, LmdbOptions.unsynced(), CommitHook.NONE, boot);
    }

    private void write(EventLog log, int groups) {
        try (SegmentSink sink = new SegmentSink(log, segments(), SegmentSink.Waits.NONE, () -> {})) {
            for (int i = 0; i < groups; i++) {
                assertThat(Groups.write(sink, group(log))).isInstanceOf(GroupSink.Outcome.Durable.class);
            }
        }
    }

    private static EncodedGroup group(EventLog log) {
        return Groups.insert(log, "p");
    }

    private long requests(Path at, String boot, long lastOffset) {
        long before = client.requests();
        try (EventLog log = log(at, boot).open()) {
            assertThat(log.tail().offset()).isEqualTo(lastOffset);
            assertThat(LogVerification.run(log).damaged()).isEmpty();
        }
        return client.requests() - before;
    }

    private void write(int groups) {
        try (EventLog log = log(copy, BOOT).open()) {
            write(log, groups);
        }
    }

    @Test
    void aWarmCopyReadsOnlyTheTail() throws IOException {
        write(5);
        assertThat(requests(copy, BOOT, 5))
                .as("list of bases, list, last segment, list of packed, list")
                .isEqualTo(5);
        assertThat(requests(directory.resolve("other"), BOOT, 5))
                .as("two lists of images, list, six segments, list of packed, list")
                .isEqualTo(11);
        write(2);
        assertThat(requests(directory.resolve("other"), BOOT, 7))
                .as("as a warm one, and two segments")
                .isEqualTo(7);
    }

    @Test
    void theIdentityAndTheSecretComeFromTheBucket() {
        write(1);
        try (EventLog first = log(copy, BOOT).open();
                EventLog second = log(directory.resolve("other"), BOOT).open()) {
            assertThat(second.graph()).isEqualTo(first.graph());
            assertThat(second.secret()).isEqualTo(first.secret());
            assertThat(second.tail().hash()).isEqualTo(first.tail().hash());
            assertThat(second.tail().lastCommit()).isEqualTo(first.tail().lastCommit());
        }
    }

    /** After a failure of the machine a copy may have damaged pages, unless it was closed cleanly. */
    @Test
    void aCopyOfAnotherBootIsUsedOnlyAfterACleanClose() throws IOException {
        write(3);
        Path witness = copy.resolve("witness");
        Files.createFile(witness);
        assertThat(requests(copy, BOOT, 3)).isEqualTo(5);
        SegmentedLog home = log(copy, BOOT);
        EventLog log = home.open();
        home.close(log, log.sink());
        requests(copy, "boot-2", 3);
        assertThat(witness).exists();
        requests(copy, "boot-3", 3);
        assertThat(witness).doesNotExist();
    }

    /** A bucket that was restored to an older state, and a prefix that holds another graph. */
    @Test
    void aCopyOfAnotherLineageIsMadeAgain() {
        write(4);
        bucket.delete(segments().key(4));
        requests(copy, BOOT, 3);
        try (EventLog log = log(directory.resolve("other"), BOOT).open()) {
            write(log, 1);
        }
        requests(copy, BOOT, 4);
        bucket.list("", "", 100).forEach(bucket::delete);
        log(directory.resolve("new"), BOOT)
                .create(SmallGraph.SCHEMA, "tester", MICROS)
                .close();
        requests(copy, BOOT, 0);
    }

    @Test
    void aCopyOfAnotherRootIsNotUsed() {
        write(2);
        new SegmentedLog(
                        new SegmentStore(client, "h"),
                        directory.resolve("h"),
                        LmdbOptions.unsynced(),
                        CommitHook.NONE,
                        BOOT)
                .create(SmallGraph.SCHEMA, "tester", MICROS)
                .close();
        try (EventLog log = new SegmentedLog(
                        new SegmentStore(client, "h"), copy, LmdbOptions.unsynced(), CommitHook.NONE, BOOT)
                .open()) {
            assertThat(log.tail().offset()).isZero();
        }
    }

    /** The segment is stored, and the commit of the copy fails or its answer is lost. */
    @Test
    void aFailureOfTheCopyIsMadeGoodFromTheSegment() {
        for (boolean after : new boolean[] {false, true}) {
            AtomicBoolean fails = new AtomicBoolean();
            CommitHook hook = new CommitHook() {
                @Override
                public void beforeCommit(Path environment) {
                    fail(!after);
                }

                @Override
                public void afterCommit(Path environment) {
                    fail(after);
                }

                private void fail(boolean now) {
                    if (now && fails.getAndSet(false)) {
                        throw new StorageFailure(StorageFailure.Kind.IO, "no answer");
                    }
                }
            };
            try (EventLog log = new SegmentedLog(segments(), copy, LmdbOptions.unsynced(), hook, BOOT).open();
                    SegmentSink sink = new SegmentSink(log, segments(), SegmentSink.Waits.NONE, () -> {})) {
                fails.set(true);
                EncodedGroup group = group(log);
                assertThat(Groups.write(sink, group)).isInstanceOf(GroupSink.Outcome.Unknown.class);
                assertThat(sink.settle()).isInstanceOf(GroupSink.Outcome.Durable.class);
                assertThat(log.tail().hash()).isEqualTo(group.tail().hash());
                assertThat(Groups.write(sink, group(log))).isInstanceOf(GroupSink.Outcome.Durable.class);
            }
        }
        requests(copy, BOOT, 4);
        requests(directory.resolve("other"), BOOT, 4);
    }

    @Test
    void aMissingSegmentIsNamed() {
        write(3);
        bucket.delete(segments().key(2));
        assertDamaged(2, "is missing");
        bucket.delete(segments().key(0));
        assertDamaged(0, "is missing");
        bucket.list("", "", 100).forEach(bucket::delete);
        assertThatThrownBy(() -> log(directory.resolve("other"), BOOT).open())
                .isInstanceOf(ServiceException.class)
                .hasMessageContaining("no graph at");
    }

    @Test
    void aDamagedSegmentIsNamed() {
        write(3);
        byte[] bytes = Objects.requireNonNull(bucket.get(segments().key(2))).bytes();
        bytes[bytes.length / 2] ^= 4;
        replace(2, bytes);
        assertDamaged(2, segments().key(2));
    }

    @Test
    void aSegmentOfAnotherPlaceOrGraphIsNamed() {
        write(3);
        byte[] second = Objects.requireNonNull(bucket.get(segments().key(2))).bytes();
        replace(2, Objects.requireNonNull(bucket.get(segments().key(3))).bytes());
        assertDamaged(2, "it begins with event 3");
        SegmentStore other = new SegmentStore(client, "h");
        new SegmentedLog(other, directory.resolve("h"), LmdbOptions.unsynced(), CommitHook.NONE, BOOT)
                .create(SmallGraph.SCHEMA, "tester", MICROS)
                .close();
        replace(2, second);
        replace(0, Objects.requireNonNull(bucket.get(other.key(0))).bytes());
        assertDamaged(1, "it is of the graph");
    }

    private void replace(long first, byte[] bytes) {
        bucket.delete(segments().key(first));
        bucket.putIfAbsent(segments().key(first), bytes);
    }

    private void assertDamaged(long offset, String finding) {
        assertThatThrownBy(() -> log(directory.resolve("made-again"), BOOT).open())
                .isInstanceOfSatisfying(
                        EventFormatException.class,
                        damage -> assertThat(damage.offset()).isEqualTo(offset))
                .hasMessageContaining(finding)
                .hasMessageContaining(segments().key(offset));
    }
}
