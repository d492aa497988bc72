package service.log.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.EncodedEvent;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.core.event.Image;
import service.core.event.SchemaChange;
import service.core.event.Stamp;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.log.ChildJvm;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.WriteTransaction;
import service.log.testkit.Groups;

final class EventLogTest {
    private static final SchemaChange SCHEMA = new SchemaChange("node N {}", "sha256:00", new byte[0], List.of());
    private static final long NOW = 1_700_000_000_000_000L;

    @TempDir
    Path directory;

    @Test
    void aNewGraphHasItsGenesisAndKeepsItsIdentity() {
        service.core.value.Ulid identity;
        try (EventLog log = create()) {
            identity = log.graph();
            assertThat(log.tail().offset()).isZero();
            assertThat(log.tail().nextIncarnation()).isEqualTo(1);
        }
        try (EventLog log = open();
                EventReader reader = log.read()) {
            assertThat(log.graph()).isEqualTo(identity);
            CommitHeader genesis = reader.commitHeader(0);
            assertThat(genesis.kind()).isEqualTo(CommitKind.GENESIS);
            assertThat(genesis.branch()).isEqualTo("main");
            assertThat(genesis.parent()).isNull();
            assertThat(genesis.schema().source()).isEqualTo(SCHEMA.source());
            assertThat(log.tail().lastCommit()).isEqualTo(genesis.id());
        }
    }

    @Test
    void creatingOverAGraphAndOpeningAMissingOneAreRefused() {
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(ServiceException.class, e -> code(e, ErrorCode.NOT_FOUND));
        assertThat(directory.resolve("g")).doesNotExist();
        create().close();
        assertThatThrownBy(this::create)
                .isInstanceOfSatisfying(ServiceException.class, e -> code(e, ErrorCode.CONFLICT));
        open().close();
    }

    @Test
    void eventsAreReadSinglyByScanAndInsideAGroup() {
        try (EventLog log = create()) {
            EncodedGroup group = Groups.of(log.graph(), log.tail(), events(log, 1, 300));
            try (GroupSink.OpenGroup open = log.sink().begin(group)) {
                open.stage();
                try (EventReader inside = log.readInside()) {
                    assertThat(inside.lastOffset()).isEqualTo(300);
                    assertThat(inside.event(300)).isEqualTo(event(300, log));
                }
                try (EventReader outside = log.read()) {
                    assertThat(outside.lastOffset()).isZero();
                }
                assertThat(open.write(GroupSink.Progress.NONE)).isInstanceOf(GroupSink.Outcome.Durable.class);
            }
            assertThatThrownBy(log::readInside).isInstanceOf(IllegalStateException.class);
            try (EventReader reader = log.read()) {
                List<Long> offsets = new ArrayList<>();
                reader.scan(100, (offset, bytes) -> {
                    offsets.add(offset);
                    assertThat(reader.codec().decode(bytes, offset)).isEqualTo(event(offset, log));
                    return offset < 250;
                });
                assertThat(offsets).hasSize(151).startsWith(100L).endsWith(250L);
                assertThat(reader.changes(7).count()).isEqualTo(1);
                assertThat(((Event.Commit) reader.header(7)).changes().isEmpty())
                        .isTrue();
                assertThatThrownBy(() -> reader.bytes(301)).hasMessageContaining("ends with 300");
            }
            assertThat(LogVerification.run(log))
                    .isEqualTo(new LogVerification.Report(301, 300, sizeOf(log), 0, List.of(), List.of()));
        }
    }

    @Test
    void anEventAfterAGapIsRefused() {
        try (EventLog log = create()) {
            assertThatThrownBy(() -> Groups.append(log, List.of(event(1, log), event(3, log))))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(log.tail().offset()).isZero();
            append(log, 1, 1);
            assertThat(log.tail().offset()).isEqualTo(1);
        }
    }

    @Test
    void aDamagedEventIsReportedWithItsOffset() {
        filled(50);
        overwrite(20, (byte) 1);
        try (EventLog log = open()) {
            LogVerification.Report report = LogVerification.run(log);
            assertThat(report.sound()).isFalse();
            assertThat(report.damaged().getFirst().offset()).isEqualTo(20);
            assertThat(report.events()).isEqualTo(20);
            try (EventReader reader = log.read()) {
                assertThat(reader.event(19).offset()).isEqualTo(19);
                assertThatThrownBy(() -> reader.event(20))
                        .isInstanceOfSatisfying(
                                EventFormatException.class,
                                e -> assertThat(e.offset()).isEqualTo(20));
            }
        }
    }

    @Test
    void strippedEventsAreValidOnlyWhereCleanupReclaimedThem() {
        try (EventLog log = create()) {
            append(log, 1, 30);
            log.retain(log.retention().marked(new long[] {20}, Map.of()));
            long[] offsets = LongStream.range(0, 20).toArray();
            assertThat(new LogCleanup(log).strip(offsets, 0, Long.MAX_VALUE / 2))
                    .isEqualTo(20);
            assertThat(LogVerification.run(log).sound()).isTrue();
        }
        try (EventLog log = open();
                EventReader reader = log.read()) {
            assertThat(log.retention().mark(0)).isEqualTo(20);
            assertThat(reader.isStripped(20)).isFalse();
            assertThat(reader.event(20).offset()).isEqualTo(20);
            assertThat(reader.header(5).offset()).isEqualTo(5);
            long stripped = LongStream.range(0, 20).filter(reader::isStripped).count();
            assertThat(stripped).isPositive();
            log.retain(log.retention().marked(new long[] {3}, Map.of()));
            assertThat(LogVerification.run(log).damaged())
                    .singleElement()
                    .satisfies(damage -> assertThat(damage).hasMessageContaining("no cleanup"));
        }
    }

    @Test
    void openingFindsADamagedLastEvent() {
        filled(50);
        overwrite(50, (byte) 1);
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        EventFormatException.class, e -> assertThat(e.offset()).isEqualTo(50));
        overwrite(50, (byte) 1);
        overwrite(49, (byte) 1);
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        EventFormatException.class, e -> assertThat(e.offset()).isEqualTo(49));
    }

    @Test
    void verificationFindsAMissingEvent() {
        filled(50);
        raw((environment, write) -> environment
                .table(LogTables.EVENTS)
                .delete(write.txn(), new KeyBuffer().putLong(30).key()));
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        EventFormatException.class, e -> assertThat(e).hasMessageContaining("missing"));
    }

    @Test
    void anEventAtTheOffsetOfAnotherBreaksTheChain() {
        filled(10);
        raw((environment, write) -> {
            put(environment, write, 5, new EventCodec().encode(forged(5), new byte[32]));
        });
        try (EventLog log = open()) {
            assertThat(LogVerification.run(log).damaged().getFirst().offset()).isEqualTo(5);
        }
    }

    @Test
    void aLogOfAnotherVersionIsReportedAsSuchAndNotAsDamaged() {
        create().close();
        raw((environment, write) -> {
            UnsafeBuffer newer = new UnsafeBuffer(ByteBuffer.allocateDirect(4));
            newer.putInt(0, 3);
            environment
                    .table(LogTables.META)
                    .put(
                            write.txn(),
                            new KeyBuffer()
                                    .putBytes("format".getBytes(java.nio.charset.StandardCharsets.UTF_8))
                                    .key(),
                            newer);
        });
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        EventFormatException.class,
                        e -> assertThat(e.kind()).isEqualTo(EventFormatException.Kind.TOO_NEW));
    }

    @Test
    void oneProcessWritesOthersReadAndTheLockEndsWithItsHolder() throws Exception {
        create().close();
        Path graph = directory.resolve("g");
        try (ChildJvm child = ChildJvm.start(EventLogTest.class, graph.toString())) {
            child.await("open");
            assertThatThrownBy(this::open).isInstanceOfSatisfying(ServiceException.class, e -> {
                code(e, ErrorCode.CONFLICT);
                assertThat(e).hasMessageContaining("process " + child.pid() + " on ");
            });
            try (EventLog reading = EventLog.openReadOnly(graph);
                    EventReader reader = reading.read()) {
                assertThat(reader.lastOffset()).isEqualTo(1);
                assertThat(reader.event(1).offset()).isEqualTo(1);
                assertThatThrownBy(() -> append(reading, 2, 2)).isInstanceOf(RuntimeException.class);
            }
            child.kill();
        }
        try (EventLog log = open()) {
            assertThat(log.tail().offset()).isEqualTo(1);
            assertThatThrownBy(this::open).hasMessageContaining("this process");
        }
        open().close();
    }

    /** The child process: opens the graph, appends once, prints that, and waits to be killed. */
    public static void main(String[] arguments) throws InterruptedException {
        EventLog log = EventLog.open(Path.of(arguments[0]), LmdbOptions.synced(), CommitHook.NONE);
        append(log, 1, 1);
        System.out.println("open");
        Thread.currentThread().join();
    }

    private EventLog create() {
        return EventLog.create(directory.resolve("g"), LmdbOptions.synced(), CommitHook.NONE, SCHEMA, "act-ada", NOW);
    }

    private EventLog open() {
        return EventLog.open(directory.resolve("g"), LmdbOptions.synced(), CommitHook.NONE);
    }

    private void filled(int events) {
        try (EventLog log = create()) {
            append(log, 1, events);
        }
    }

    private static void append(EventLog log, long from, long to) {
        Groups.append(log, events(log, from, to));
    }

    private static List<Event> events(EventLog log, long from, long to) {
        return LongStream.rangeClosed(from, to).mapToObj(at -> event(at, log)).toList();
    }

    private static Event forged(long offset) {
        return new Event.BranchDeleted(new Stamp(offset, NOW + offset, null), "x", 9);
    }

    private static Event event(long offset, EventLog log) {
        PropertyRow row = PropertyRow.of(Map.of(1, new Value.Text("value " + offset)));
        ChangeBlock changes =
                ChangeBlock.of(List.of(new EntityChange(EntityKind.NODE, 1, "n" + offset, null, Image.ofNode(row))));
        service.core.value.Ulid id = new service.core.value.Ulid(log.graph().high(), offset);
        return new Event.Commit(
                new CommitHeader(
                        new Stamp(offset, NOW + offset, null),
                        id,
                        CommitKind.LOAD,
                        new CommitHeader.Lineage("main", 0, id, null),
                        null,
                        changes.counts(),
                        null),
                changes);
    }

    private static long sizeOf(EventLog log) {
        long[] bytes = new long[1];
        try (EventReader reader = log.read()) {
            reader.scan(0, (offset, event) -> {
                bytes[0] += event.capacity();
                return true;
            });
        }
        return bytes[0];
    }

    private interface Change {
        void run(LmdbEnvironment environment, WriteTransaction write);
    }

    private void raw(Change change) {
        Path env = directory.resolve("g").resolve(EventLog.DIRECTORY);
        assertThat(Files.exists(env)).isTrue();
        try (LmdbEnvironment environment =
                        LmdbEnvironment.open(env, LmdbOptions.synced(), LogTables.ALL, CommitHook.NONE);
                WriteTransaction write = environment.write()) {
            change.run(environment, write);
            write.commit();
        }
    }

    /** Flips a bit in the middle of an event; a second call flips it back. */
    private void overwrite(long offset, byte mask) {
        raw((environment, write) -> {
            var table = environment.table(LogTables.EVENTS);
            var value = table.get(write.txn(), new KeyBuffer().putLong(offset).key());
            UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(value.capacity()));
            copy.putBytes(0, value, 0, value.capacity());
            int at = value.capacity() - 60;
            copy.putByte(at, (byte) (copy.getByte(at) ^ mask));
            table.put(write.txn(), new KeyBuffer().putLong(offset).key(), copy);
        });
    }

    private static void put(LmdbEnvironment environment, WriteTransaction write, long offset, EncodedEvent event) {
        UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(event.length()));
        event.copyTo(copy);
        environment
                .table(LogTables.EVENTS)
                .put(write.txn(), new KeyBuffer().putLong(offset).key(), copy);
    }

    private static void code(ServiceException e, ErrorCode code) {
        assertThat(e.code()).isEqualTo(code);
    }
}
