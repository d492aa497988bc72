package service.log.lmdb;

import com.google.errorprone.annotations.MustBeClosed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.CopyFlags;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvInfo;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.StorageGauges;

/**
 * The owner of one LMDB environment. No other object of the process opens its path.
 *
 * <p>LMDB does not check how it is called. The rules that a JVM can break, and how this package enforces them (numbered
 * as in the notes on LMDB):
 *
 * <ol>
 *   <li>Closing a reset read leaks its reader slot: {@link ReadPool} renews before it ends one.
 *   <li>A transaction used by two threads reads wrong values: {@link ReadTransaction#txn} and
 *       {@link WriteTransaction#txn} check the thread.
 *   <li>A write belongs to one thread, and there is one: {@link #write} refuses a second write instead of waiting.
 *   <li>Opening a table inside a write deadlocks: all tables are opened by {@link #open}; {@link #table} only looks
 *       them up.
 *   <li>MAP_FULL spoils its transaction: {@link #grow} refuses while a write is open, waits for the reads, and then
 *       moves the map.
 *   <li>Moving or closing the map under a reader kills the JVM: {@link #grow} and {@link #close} wait for every read,
 *       and fail when one does not end in time.
 *   <li>A second opening of a path drops the first one's locks: a registry by canonical path refuses it.
 *   <li>An old read makes the file grow: {@link #oldestReadAgeNanos} returns its age.
 *   <li>Reader slots and key lengths are limited: 1,024 slots, pooled, and READERS_FULL is an error that a caller can
 *       repeat; {@link KeyBuffer} refuses more than 511 bytes.
 *   <li>Reader slots of dead processes stay taken: {@link #readerCheck} runs on opening and can be called on a
 *       schedule.
 *   <li>An unsynced environment may be damaged by power loss: {@link LmdbOptions.Durability} says which one is synced:
 *       the log is, and the tables can be made again from it.
 * </ol>
 *
 * <p>Thread rule: reads from any thread, writes from one.
 */
public final class LmdbEnvironment implements AutoCloseable {
    private static final OpenEnvironments OPEN = new OpenEnvironments();
    private static final Object OPENING = new Object();

    private final Path directory;
    private final LmdbOptions options;
    private final CommitHook hook;
    private final Env<DirectBuffer> env;
    private final OpenFiles files;
    private final int pageBytes;
    private final Map<String, Dbi<DirectBuffer>> tables;
    private final ReadPool reads;
    private final AtomicReference<@Nullable Thread> writing = new AtomicReference<>();
    private volatile long mapBytes;

    /** The newest transaction that {@link #sync} has made durable. */
    private volatile long syncedTransaction = -1;

    /** Whether a commit has failed, so that pages may be missing on the disk which the system believes written. */
    private volatile boolean doubtful;

    private volatile boolean closed;

    private LmdbEnvironment(Path directory, LmdbOptions options, CommitHook hook, Opening opening, List<Table> tables) {
        this.directory = directory;
        this.options = options;
        this.hook = hook;
        this.env = opening.env();
        this.files = OpenFiles.of(directory, opening.data());
        this.tables = openTables(env, tables, options.readOnly());
        this.reads = new ReadPool(env, directory, options.readersWait());
        this.mapBytes = env.info().mapSize;
        this.pageBytes = env.stat().pageSize;
        if (!options.readOnly()) {
            files.committed(env.info().lastTransactionId);
        }
    }

    /**
     * Checks, without opening it, that the file of an environment has its two heads and all its pages.
     *
     * @throws StorageFailure when it has not, or cannot be read
     */
    public static void requireWhole(Path directory) {
        Opening.requireWhole(directory);
    }

    /**
     * Opens an environment, creating directory and tables unless it is read-only.
     *
     * @throws ServiceException CONFLICT when this process has it open already
     * @throws StorageFailure when it is damaged, of another version, or cannot be read
     */
    public static LmdbEnvironment open(Path directory, LmdbOptions options, List<Table> tables, CommitHook hook) {
        synchronized (OPENING) {
            Path canonical = Opening.canonical(directory, options.readOnly());
            OPEN.requireUnopened(canonical);
            Opening opening = Opening.of(canonical, options, tables.size());
            try {
                LmdbEnvironment opened = new LmdbEnvironment(canonical, options, hook, opening, tables);
                opening.env().readerCheck();
                OPEN.add(opened);
                return opened;
            } catch (LmdbException e) {
                opening.close();
                throw StorageFailure.of(e, canonical);
            }
        }
    }

    private static Map<String, Dbi<DirectBuffer>> openTables(
            Env<DirectBuffer> env, List<Table> tables, boolean readOnly) {
        Map<String, Dbi<DirectBuffer>> opened = new LinkedHashMap<>();
        try (Txn<DirectBuffer> txn = readOnly ? env.txnRead() : env.txnWrite()) {
            for (Table table : tables) {
                List<DbiFlags> flags = new ArrayList<>(table.flags());
                if (!readOnly) {
                    flags.add(DbiFlags.MDB_CREATE);
                }
                byte[] name = table.name().getBytes(java.nio.charset.StandardCharsets.UTF_8);
                try {
                    opened.put(table.name(), env.openDbi(txn, name, null, false, flags.toArray(DbiFlags[]::new)));
                } catch (Dbi.KeyNotFoundException missing) {
                    if (!readOnly || !table.mayLack()) {
                        throw missing;
                    }
                }
            }
            txn.commit();
        }
        return Map.copyOf(opened);
    }

    public Path directory() {
        return directory;
    }

    public LmdbOptions options() {
        return options;
    }

    CommitHook hook() {
        return hook;
    }

    /** Whether the environment has a table; only one that {@link Table#mayLack} can be missing. */
    public boolean has(String name) {
        return tables.containsKey(name);
    }

    /** All tables, by name. */
    Map<String, Dbi<DirectBuffer>> tables() {
        return tables;
    }

    /** One of the tables named when the environment was opened. */
    public Dbi<DirectBuffer> table(String name) {
        Dbi<DirectBuffer> table = tables.get(name);
        if (table == null) {
            throw new IllegalArgumentException("no table " + name + " was opened in " + directory);
        }
        return table;
    }

    /**
     * Begins a read of the newest committed state; waits only while the map is being moved.
     *
     * @throws service.core.error.ServiceException OVERLOADED when all slots are taken
     * @throws ServiceException SHUTTING_DOWN when the environment is closed; GRAPH_QUARANTINED when its file was cut
     */
    @MustBeClosed
    public ReadTransaction read() {
        files.requireReadable();
        try {
            return reads.take();
        } catch (StorageFailure e) {
            if (e.kind() != StorageFailure.Kind.MAP_RESIZED) {
                throw e;
            }
            reads.alone(() -> enlarge(Math.max(mapBytes, env.info().mapSize) * 2));
            return reads.take();
        }
    }

    /**
     * Begins the write transaction.
     *
     * @throws IllegalStateException when one is open, because there is only one writer
     * @throws ServiceException GRAPH_QUARANTINED when the files are not those that were opened
     */
    @MustBeClosed
    public WriteTransaction write() {
        if (closed) {
            throw new ServiceException(ErrorCode.SHUTTING_DOWN, directory + " is closed");
        }
        files.requireOwn();
        Thread current = Thread.currentThread();
        if (!writing.compareAndSet(null, current)) {
            throw new IllegalStateException(directory + ": a write is open on " + writing.get());
        }
        Txn<DirectBuffer> txn = null;
        try {
            txn = env.txnWrite();
            files.begun(env.info().lastTransactionId);
            return new WriteTransaction(this, txn);
        } catch (LmdbException | ServiceException e) {
            writing.set(null);
            if (txn != null) {
                txn.close();
            }
            throw e instanceof LmdbException lmdb ? StorageFailure.of(lmdb, directory) : e;
        }
    }

    void writeEnded(WriteTransaction write) {
        writing.compareAndSet(write.owner(), null);
    }

    /**
     * Notes that a transaction is in the file.
     *
     * @throws ServiceException GRAPH_QUARANTINED when this took so long that the files were checked again, and are not
     *     those that were opened
     */
    void committed() {
        files.committed(env.info().lastTransactionId);
        files.requireOwn();
    }

    /** Notes that it is not known whether a transaction is in the file. */
    void outcomeUnknown() {
        doubtful = true;
        files.committed(-1);
    }

    /** The open files, compared with those at the path. */
    public OpenFiles files() {
        return files;
    }

    /**
     * Doubles the map. The writer calls it after MAP_FULL, with its transaction closed. New reads wait meanwhile, so a
     * thread that holds a read must not call it.
     *
     * @throws StorageFailure MAP_FULL when the map has its greatest size, READERS_BUSY when reads do not end in time
     */
    public void grow() {
        Thread current = Thread.currentThread();
        if (!writing.compareAndSet(null, current)) {
            throw new IllegalStateException(
                    directory + ": end the write on " + writing.get() + " before the map moves");
        }
        try {
            if (mapBytes >= options.mapBytesMax()) {
                throw new StorageFailure(
                        StorageFailure.Kind.MAP_FULL,
                        directory + ": the map has its greatest size of " + mapBytes + " bytes: raise the limit");
            }
            reads.alone(() -> enlarge(Math.min(options.mapBytesMax(), mapBytes * 2)));
        } finally {
            writing.set(null);
        }
    }

    private void enlarge(long bytes) {
        try {
            env.setMapSize(bytes);
            mapBytes = bytes;
        } catch (LmdbException e) {
            throw StorageFailure.of(e, directory);
        }
    }

    /** Frees the reader slots of dead processes; returns how many there were. */
    public int readerCheck() {
        return reading(env::readerCheck);
    }

    /** Waits until everything committed is on stable storage, in an unsynced environment too. */
    public void sync() {
        reading(() -> {
            long newest = env.info().lastTransactionId;
            env.sync(true);
            syncedTransaction = newest;
            return 0;
        });
    }

    /**
     * Writes a compacted copy into an existing empty directory, of one consistent state, while others read and write.
     */
    public void copyTo(Path emptyDirectory) {
        reading(() -> {
            env.copy(emptyDirectory.toFile(), CopyFlags.MDB_CP_COMPACT);
            return 0;
        });
    }

    /** Runs a call on the environment; a read that is open meanwhile prevents it from being closed or moved. */
    private int reading(java.util.function.IntSupplier call) {
        ReadTransaction pin = read();
        try {
            return call.getAsInt();
        } catch (LmdbException e) {
            throw StorageFailure.of(e, directory);
        } finally {
            pin.close();
        }
    }

    public int openReads() {
        return reads.openReads();
    }

    /** Age of the oldest open read in nanoseconds; 0 when none is open. Pages freed since then cannot be used again. */
    public long oldestReadAgeNanos() {
        return reads.oldestAgeNanos();
    }

    /** The size of a page, which the first opening of the environment has chosen. */
    public int pageBytes() {
        return pageBytes;
    }

    public long mapBytes() {
        return mapBytes;
    }

    /** Bytes of pages ever used: the size of the file. */
    public long usedBytes() {
        long[] bytes = new long[1];
        reading(() -> {
            EnvInfo info = env.info();
            bytes[0] = (info.lastPageNumber + 1) * pageBytes;
            return 0;
        });
        return bytes[0];
    }

    /** Reader slots in use or kept for reuse, of all processes. */
    public int readerSlots() {
        return reading(() -> env.info().numReaders);
    }

    /**
     * The state of this environment, for metrics. Takes a reader slot for a moment.
     *
     * @param name of the environment in metrics
     */
    public StorageGauges.Environment gauges(String name) {
        return new StorageGauges.Environment(
                name,
                fileBytes(),
                mapBytes,
                new StorageGauges.Readers(
                        reads.openReads(), reads.oldestAgeNanos(), takenSlots(), options.readersMax()));
    }

    private long fileBytes() {
        try {
            return Files.size(directory.resolve("data.mdb"));
        } catch (IOException e) {
            return 0;
        }
    }

    private int takenSlots() {
        try {
            return readerSlots();
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.OVERLOADED) {
                throw e;
            }
            return options.readersMax();
        }
    }

    public boolean isClosed() {
        return closed;
    }

    private boolean isDurable() {
        return !options.readOnly()
                && !doubtful
                && (options.durability() == LmdbOptions.Durability.SYNCED
                        || syncedTransaction == env.info().lastTransactionId);
    }

    /**
     * Waits for open reads, then closes, and gives the blocks of free pages back to the file system if the newest
     * commit is durable (see {@link FreeBlocks}). If they do not end in time it throws READERS_BUSY and leaves the
     * environment open, because closing it under a reader would crash the JVM. One whose file was cut stays mapped,
     * because LMDB would read it.
     *
     * @throws IllegalStateException when a write is open
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (!writing.compareAndSet(null, Thread.currentThread())) {
            throw new IllegalStateException(directory + ": end the write on " + writing.get() + " before closing");
        }
        try {
            if (files.isReadable()) {
                reads.close();
                boolean isDurable = isDurable();
                env.close();
                if (isDurable && files.finding() == null) {
                    files.punchFreePages();
                }
            }
            closed = true;
            files.close();
            OPEN.remove(this);
        } finally {
            writing.set(null);
        }
    }
}
