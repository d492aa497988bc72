package service.log.format;

import com.google.errorprone.annotations.MustBeClosed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import service.core.error.ServiceException;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.core.event.SchemaChange;
import service.core.value.Ulid;
import service.log.group.GroupSink;
import service.log.group.LogTail;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.Table;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;

/**
 * The log of one graph: {@code <graph>/log}, an LMDB environment of events, and {@code <graph>/writer.lock}.
 *
 * <p>Opening checks the format and the last two events with their chain, since only those can be damaged by a crash;
 * {@link LogVerification} checks all events. A damaged event is thrown as {@link EventFormatException} with its offset,
 * and the opener of the graph quarantines it.
 *
 * <p>Thread rule: readers on any thread; {@link #sink} on the writer thread.
 */
public final class EventLog implements AutoCloseable {
    /** The environment's directory inside the graph's. */
    public static final String DIRECTORY = "log";

    private static final int TOOLS_KEPT_MAX = 64;

    /** A power of two. */
    private static final int CHECKED_KEPT = 64;

    /** The objects of a reader that are too expensive to make for each read. */
    record Tools(KeyBuffer key, EventCodec codec) {}

    private final Path directory;
    private final @Nullable GraphLock lock;
    private final LmdbEnvironment environment;
    private final Dbi<DirectBuffer> events;
    private final LogMarks marks;
    private final Dbi<DirectBuffer> blobs;
    private final ConcurrentLinkedQueue<Tools> readerTools = new ConcurrentLinkedQueue<>();
    private final LmdbGroupSink sink = new LmdbGroupSink(this);

    /** One more than the offsets of events whose changes were checked, each at its lower bits. */
    private final AtomicLongArray checked = new AtomicLongArray(CHECKED_KEPT);

    private volatile @Nullable LogTail tail;
    private volatile @Nullable Ulid graph;
    private volatile Retention retention = Retention.NONE;
    private volatile byte @Nullable [] secret;

    private EventLog(Path directory, @Nullable GraphLock lock, LmdbEnvironment environment) {
        this.directory = directory;
        this.lock = lock;
        this.environment = environment;
        this.events = environment.table(LogTables.EVENTS);
        this.marks = new LogMarks(environment.table(LogTables.META));
        this.blobs = environment.table(LogTables.BLOBS);
    }

    /**
     * Creates a graph: its directory, its log and its first event, all or nothing.
     *
     * @param schema in force from the start
     * @throws ServiceException CONFLICT when there is a graph already, or another process creates it
     */
    public static EventLog create(
            Path graphDirectory,
            LmdbOptions options,
            CommitHook hook,
            SchemaChange schema,
            @Nullable String actor,
            long nowMicros) {
        EventLogOpening.createFolder(graphDirectory);
        return opened(graphDirectory, GraphLock.Purpose.WRITING, options, hook, log -> {
            if (log.hasGenesis()) {
                throw ServiceException.conflict("there is a graph at " + graphDirectory + " already");
            }
            EventLogOpening.putGenesis(log, log.sink, schema, actor, nowMicros);
        });
    }

    /**
     * Opens a graph for writing.
     *
     * @throws ServiceException NOT_FOUND when there is no such graph; CONFLICT when another process, named in the
     *     message, holds its writer lock
     * @throws EventFormatException when the end of the log is damaged, or the log is of another version
     */
    public static EventLog open(Path graphDirectory, LmdbOptions options, CommitHook hook) {
        return open(graphDirectory, GraphLock.Purpose.WRITING, options, hook);
    }

    /**
     * Opens a graph under the writer's lock.
     *
     * @param purpose shown to other processes; also decides whether their writers wait: see {@link GraphLock#take}
     */
    public static EventLog open(Path graphDirectory, GraphLock.Purpose purpose, LmdbOptions options, CommitHook hook) {
        EventLogOpening.requireGraph(graphDirectory);
        return opened(graphDirectory, purpose, options, hook, log -> {});
    }

    /**
     * Creates a log for a graph that exists elsewhere.
     *
     * @param first appends its first events through a {@link LogIntake}
     */
    public static EventLog copy(Path graphDirectory, LmdbOptions options, CommitHook hook, Consumer<EventLog> first) {
        EventLogOpening.createFolder(graphDirectory);
        return opened(graphDirectory, GraphLock.Purpose.WRITING, options, hook, first);
    }

    /** Opens a graph for reading only; another process may write it. */
    public static EventLog openReadOnly(Path graphDirectory) {
        EventLogOpening.requireGraph(graphDirectory);
        LmdbEnvironment environment = LmdbEnvironment.open(
                graphDirectory.resolve(DIRECTORY), LmdbOptions.reading(), LogTables.ALL, CommitHook.NONE);
        EventLog log = new EventLog(graphDirectory, null, environment);
        return log.checked(any -> {});
    }

    private static EventLog opened(
            Path graphDirectory,
            GraphLock.Purpose purpose,
            LmdbOptions options,
            CommitHook hook,
            Consumer<EventLog> prepare) {
        GraphLock lock = GraphLock.take(graphDirectory, purpose);
        EventLog log;
        try {
            LmdbEnvironment environment =
                    LmdbEnvironment.open(graphDirectory.resolve(DIRECTORY), options, LogTables.ALL, hook);
            log = new EventLog(graphDirectory, lock, environment);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
        return log.checked(opened -> {
            GraphLock.lockData(opened.environment);
            prepare.accept(opened);
        });
    }

    private EventLog checked(Consumer<EventLog> prepare) {
        try {
            prepare.accept(this);
            if (!hasGenesis()) {
                throw EventLogOpening.noLog(directory, "its log has no first event");
            }
            checkFormat();
            reloadTail();
            return this;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private boolean hasGenesis() {
        try (ReadTransaction read = environment.read()) {
            return marks.has(read.txn(), LogTables.GENESIS);
        }
    }

    private void checkFormat() {
        try (EventReader reader = read();
                ReadTransaction read = environment.read()) {
            int version =
                    marks.require(read.txn(), LogTables.FORMAT, Integer.BYTES).getInt();
            if (version != LogTables.FORMAT_VERSION) {
                EventFormatException.Kind kind = version > LogTables.FORMAT_VERSION
                        ? EventFormatException.Kind.TOO_NEW
                        : EventFormatException.Kind.TOO_OLD;
                throw new EventFormatException(kind, 0, "log format " + version);
            }
            ByteBuffer identity = marks.require(read.txn(), LogTables.GRAPH, 16);
            graph = new Ulid(identity.getLong(), identity.getLong());
            secret = marks.require(read.txn(), LogTables.SECRET, LogTables.SECRET_BYTES)
                    .array();
            byte[] genesis = marks.require(read.txn(), LogTables.GENESIS, EventCodec.HASH_LENGTH)
                    .array();
            reader.header(0); // Checks the bytes that the hash is taken from.
            if (!Arrays.equals(genesis, EventCodec.hashOf(reader.bytes(0)))) {
                throw EventFormatException.damaged(0, "it is the genesis of another graph");
            }
        }
    }

    /**
     * Reads the end of the log again from storage: after opening, and after a commit with an unknown outcome.
     *
     * @throws EventFormatException when the chain of the last two events is broken
     */
    public LogTail reloadTail() {
        try (EventReader reader = read();
                ReadTransaction read = environment.read()) {
            long last = reader.lastOffset();
            byte[] before = last == 0 ? EventCodec.hashBeforeFirst() : verifyAlone(reader, last - 1);
            DirectBuffer bytes = reader.bytes(last);
            byte[] hash = reader.codec().verify(bytes, last, before);
            long time = reader.header(last).timeMicros();
            requireWithoutGaps(read);
            int incarnations = marks.require(read.txn(), LogTables.INCARNATIONS, Integer.BYTES)
                    .getInt();
            LogTail reloaded =
                    new LogTail(last, hash, time, lastCommit(reader, last), incarnations, marks.generation(read.txn()));
            tail = reloaded;
            retention = retentionOf(read);
            return reloaded;
        } catch (LmdbException e) {
            throw StorageFailure.of(e, directory);
        }
    }

    /** Compares the number of events that the table claims to have with its last offset. */
    private void requireWithoutGaps(ReadTransaction read) {
        long entries = events.stat(read.txn()).entries;
        long last = lastOffsetOf(read);
        if (entries < last + 1) {
            throw EventFormatException.damaged(last, (last + 1 - entries) + " events before it are missing");
        }
        if (entries > last + 1) {
            throw EventFormatException.damaged(last + 1, "missing: the table has " + entries + " events");
        }
    }

    private static byte[] verifyAlone(EventReader reader, long offset) {
        DirectBuffer bytes = reader.bytes(offset);
        reader.codec().decodeHeader(bytes, offset);
        return reader.codec().verify(bytes, offset, EventCodec.previousHashOf(bytes));
    }

    private static Ulid lastCommit(EventReader reader, long last) {
        for (long offset = last; offset >= 0; offset--) {
            if (reader.header(offset) instanceof Event.Commit commit) {
                return commit.header().id();
            }
        }
        throw EventFormatException.damaged(0, "no genesis");
    }

    /** The graph's directory. */
    public Path directory() {
        return directory;
    }

    /** The identity of the graph: drawn at its creation and equal in every copy. */
    public Ulid graph() {
        Ulid identity = graph;
        if (identity == null) {
            throw new IllegalStateException(directory + " is not open");
        }
        return identity;
    }

    /**
     * The secret of the graph: random bytes drawn at its creation, equal in every copy. Must not be shown to clients.
     */
    public byte[] secret() {
        byte[] bytes = secret;
        if (bytes == null) {
            throw new IllegalStateException(directory + " is not open");
        }
        return bytes.clone();
    }

    /** The durable end of the log. */
    public LogTail tail() {
        LogTail current = tail;
        if (current == null) {
            throw new IllegalStateException(directory + " is not open");
        }
        return current;
    }

    /** The state of cleanup that this process read last. Any thread. */
    public Retention retention() {
        return retention;
    }

    /** Reads the state of cleanup again, because another process may have changed it. */
    public Retention reloadRetention() {
        try (ReadTransaction read = environment.read()) {
            Retention found = retentionOf(read);
            retention = found;
            return found;
        }
    }

    /** The state of cleanup in a read transaction of this log's environment. */
    public Retention retentionOf(ReadTransaction read) {
        byte[] encoded = marks.get(read.txn(), LogTables.RETENTION);
        try {
            return encoded == null ? Retention.NONE : Retention.decode(encoded);
        } catch (IllegalArgumentException e) {
            throw EventFormatException.damaged(0, "the mark 'retention': " + e.getMessage());
        }
    }

    /** The last offset in a read transaction of this log's environment. */
    public long lastOffsetOf(ReadTransaction read) {
        try (Cursor<DirectBuffer> cursor = events.openCursor(read.txn())) {
            return cursor.last() ? offsetOf(cursor.key()) : -1;
        } catch (LmdbException e) {
            throw StorageFailure.of(e, directory);
        }
    }

    /** The names of a log's tables, that of the events first. */
    public static List<String> tables() {
        return LogTables.ALL.stream().map(Table::name).toList();
    }

    /** The tables to open the environment of a log with. */
    public static List<Table> lmdbTables() {
        return LogTables.ALL;
    }

    /** Makes a new state of cleanup durable, then visible in this process. Writer thread, with no group open. */
    public void retain(Retention next) {
        try (WriteTransaction write = environment.write()) {
            marks.put(write.txn(), LogTables.RETENTION, next.encode());
            write.commit();
        } catch (LmdbException e) {
            throw StorageFailure.of(e, directory);
        }
        retention = next;
    }

    /** Begins a read of all durable events. */
    @SuppressWarnings("MustBeClosedChecker") // closed by the reader
    @MustBeClosed
    public EventReader read() {
        ReadTransaction read = environment.read();
        return new EventReader(this, read, read.txn(), takeTools());
    }

    /**
     * Reads in the transaction of the open group, on the writer's thread, so it sees the events that the group has
     * staged.
     */
    @MustBeClosed
    public EventReader readInside() {
        return new EventReader(this, null, sink.openTransaction(), takeTools());
    }

    /** Writes groups to this log. Writer thread. */
    public GroupSink sink() {
        return sink;
    }

    /** Enlarges the map after MAP_FULL; no group may be open. */
    public void grow() {
        environment.grow();
    }

    /**
     * The environment, for metrics and schedules: age of the oldest read, size of the map, check of the reader slots.
     */
    public LmdbEnvironment environment() {
        return environment;
    }

    Dbi<DirectBuffer> events() {
        return events;
    }

    Dbi<DirectBuffer> blobs() {
        return blobs;
    }

    static long offsetOf(DirectBuffer key) {
        return key.getLong(0, ByteOrder.BIG_ENDIAN);
    }

    /**
     * Whether this process has compared the checksum of an event's changes lately; false means that it may not have.
     */
    boolean hasChecked(long offset) {
        return checked.get((int) offset & (CHECKED_KEPT - 1)) == offset + 1;
    }

    void checked(long offset) {
        checked.set((int) offset & (CHECKED_KEPT - 1), offset + 1);
    }

    /**
     * @param reclaimed what {@link LogMarks#reclaim} has given in the transaction; null without an event of a cleanup
     */
    void committed(LogTail newTail, @Nullable Retention reclaimed) {
        if (reclaimed != null) {
            retention = reclaimed;
        }
        tail = newTail;
    }

    private Tools takeTools() {
        Tools taken = readerTools.poll();
        return taken == null ? new Tools(new KeyBuffer(), new EventCodec()) : taken;
    }

    void giveBack(Tools given) {
        if (readerTools.size() < TOOLS_KEPT_MAX) {
            readerTools.add(given);
        }
    }

    LogMarks marks() {
        return marks;
    }

    /** Waits for open reads, then closes the environment and releases the lock. */
    @Override
    public void close() {
        environment.close();
        if (lock != null) {
            lock.close();
        }
    }
}
