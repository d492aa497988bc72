package service.projection.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.SchemaChange;
import service.core.port.BlobStore;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.log.commit.Writer;
import service.log.format.EventLog;
import service.log.format.StoredBlobs;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;
import service.log.retain.Retention;
import service.projection.apply.CatchUp;
import service.projection.apply.LiveProjector;
import service.projection.table.AppliedTable;
import service.projection.table.ProjectionEnvironment;
import service.projection.view.Sessions;

/**
 * One graph's directory, open:
 *
 * <pre>
 *  log/               the events and the bytes of blobs, the only truth
 *  projection/        the tables, made of them
 *  projection.trust   whether the tables may be opened (see {@link TrustFile})
 *  checkpoint/        a synced copy of the tables
 *  staged/            bytes of blobs on their way in
 *  writer.lock        who writes
 * </pre>
 *
 * <p>Opening for writing trusts the tables, or puts the newest checkpoint in their place, or starts them anew, then
 * lets them catch up with the log. It reads no more than that: its time does not grow with the graph.
 */
public final class LmdbGraphStorage implements GraphStorage {
    /** The tables' directory inside the graph's. */
    public static final String PROJECTION = "projection";

    private static final Logger LOG = LoggerFactory.getLogger(LmdbGraphStorage.class);

    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final Sessions sessions;
    private final StoredBlobs blobs;
    private final @Nullable Writing writing;
    private final CopyOnWriteArrayList<LongConsumer> listeners = new CopyOnWriteArrayList<>();

    /** What only the one that writes has. */
    private record Writing(
            TrustFile trust,
            LiveProjector projector,
            Writer writer,
            Checkpoints checkpoints,
            Cleanup cleanup,
            StorageOptions options,
            AtomicBoolean copying) {}

    private volatile long checkpointed;
    private volatile @Nullable Thread copier;

    private LmdbGraphStorage(
            EventLog log, ProjectionEnvironment environment, StorageOptions options, @Nullable TrustFile trust) {
        this.log = log;
        this.environment = environment;
        this.sessions = new Sessions(environment, log, options.catalogs());
        this.blobs = new StoredBlobs(log);
        if (trust == null) {
            this.writing = null;
            return;
        }
        blobs.forgetStaged();
        LiveProjector projector = new LiveProjector(environment, log, sessions, options.catalogs());
        Checkpoints checkpoints = new Checkpoints(log.directory());
        this.checkpointed = Math.max(0, checkpoints.newestOffset());
        Writer writer = Writer.start(log, projector, options.writer(), options.clockMicros(), this::committed);
        Cleanup cleanup = new Cleanup(log, environment, writer, checkpoints, options.catalogs(), options.clockMicros());
        this.writing = new Writing(trust, projector, writer, checkpoints, cleanup, options, new AtomicBoolean());
    }

    /**
     * Makes a graph with its first commit, which carries the schema, and opens it.
     *
     * @throws ServiceException CONFLICT when there is a graph already
     */
    public static LmdbGraphStorage create(
            Path directory, StorageOptions options, SchemaChange schema, @Nullable String actor) {
        long now = options.clockMicros().getAsLong();
        EventLog log = EventLog.create(directory, options.log(), options.hook(), schema, actor, now);
        return opened(log, options);
    }

    /**
     * Gives back the reader slots of processes that died while they read. To be called now and then: LMDB has a fixed
     * number of slots.
     */
    public int freeDeadReaders() {
        return log.environment().readerCheck() + environment.environment().readerCheck();
    }

    /**
     * Opens a graph for reading and writing.
     *
     * @throws ServiceException NOT_FOUND when there is none, CONFLICT when another process, named in the message,
     *     writes it
     * @throws service.core.event.EventFormatException when the log's end is damaged
     */
    public static LmdbGraphStorage open(Path directory, StorageOptions options) {
        return opened(EventLog.open(directory, options.log(), options.hook()), options);
    }

    /**
     * Opens a graph for reading: by itself as {@link #open} does where nobody writes it, else beside the process that
     * does. What another process commits is seen by sessions opened afterwards.
     */
    public static LmdbGraphStorage openForReading(Path directory, StorageOptions options) {
        try {
            return open(directory, options);
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.CONFLICT) {
                throw e;
            }
        }
        EventLog log = EventLog.openReadOnly(directory);
        try {
            TrustFile trust = trust(log, options);
            if (!trust.trusted()) {
                throw ServiceException.conflict(
                        directory + ": its tables are being rebuilt by the process that writes it: try again");
            }
            ProjectionEnvironment environment =
                    ProjectionEnvironment.open(directory.resolve(PROJECTION), LmdbOptions.reading(), CommitHook.NONE);
            return new LmdbGraphStorage(log, environment, options, null);
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
    }

    private static TrustFile trust(EventLog log, StorageOptions options) {
        return new TrustFile(log.directory(), options.boot().get(), log.graph().toString());
    }

    private static LmdbGraphStorage opened(EventLog log, StorageOptions options) {
        ProjectionEnvironment environment = null;
        try {
            TrustFile trust = trust(log, options);
            environment = prepare(log, options, trust);
            new CatchUp(log, environment, options.catalogs()).run(log.tail().offset(), offset -> {});
            return new LmdbGraphStorage(log, environment, options, trust);
        } catch (RuntimeException e) {
            if (environment != null) {
                environment.close();
            }
            log.close();
            throw e;
        }
    }

    /** Opens the tables that may be trusted, else a checkpoint's, else empty ones. */
    private static ProjectionEnvironment prepare(EventLog log, StorageOptions options, TrustFile trust) {
        Path directory = log.directory().resolve(PROJECTION);
        if (trust.trusted()) {
            ProjectionEnvironment environment = openTables(directory, options);
            if (fits(environment, log)) {
                trust.markOpen();
                return environment;
            }
            LOG.warn("{}: the tables do not fit the log; they are made anew", log.directory());
            environment.close();
        }
        remove(directory);
        if (new Checkpoints(log.directory()).restore(directory, leastApplied(log))) {
            trust.markOpen();
            ProjectionEnvironment environment = openTables(directory, options);
            if (fits(environment, log)) {
                return environment;
            }
            environment.close();
            remove(directory);
        }
        if (log.retention().base() != null) {
            throw new StorageFailure(
                    StorageFailure.Kind.DAMAGED,
                    log.directory()
                            + ": the base image that its last cleanup made is missing, damaged, or of another layout: restore the graph from a backup");
        }
        trust.markOpen();
        return openTables(directory, options);
    }

    /** What tables must have applied at least: a replay cannot go through stripped events. */
    private static long leastApplied(EventLog log) {
        Retention.Base base = log.retention().base();
        return base == null ? -1 : base.offset();
    }

    private static ProjectionEnvironment openTables(Path directory, StorageOptions options) {
        return ProjectionEnvironment.open(directory, options.projection(), options.hook());
    }

    private static boolean fits(ProjectionEnvironment environment, EventLog log) {
        try (var read = environment.environment().read()) {
            var access = environment.access(read);
            int version = AppliedTable.version(access);
            long applied = AppliedTable.offset(access);
            return (version == AppliedTable.VERSION || version == 0)
                    && applied >= leastApplied(log)
                    && applied <= log.tail().offset();
        }
    }

    private static void remove(Path directory) {
        try {
            Checkpoints.deleteTree(directory);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": cannot be removed (" + e.getMessage() + ")", e);
        }
    }

    /**
     * Drops the tables and checkpoints of a graph that nobody has open, and makes the tables anew from the log and,
     * after a cleanup, the base image that the log names.
     *
     * @return what was replayed
     */
    public static CatchUp.Result rebuild(Path directory, StorageOptions options, LongConsumer progress) {
        try (EventLog log = EventLog.open(directory, options.log(), options.hook())) {
            Checkpoints checkpoints = new Checkpoints(directory);
            Retention.Base base = log.retention().base();
            if (base == null) {
                checkpoints.deleteAll();
            } else {
                checkpoints.keepOnly(base);
            }
            TrustFile trust = trust(log, options);
            trust.forget();
            CatchUp.Result result;
            try (ProjectionEnvironment environment = prepare(log, options, trust)) {
                result = new CatchUp(log, environment, options.catalogs())
                        .run(log.tail().offset(), progress);
                environment.environment().sync();
            }
            trust.markClean();
            return result;
        }
    }

    @Override
    public GraphSession session() {
        return writing == null ? sessions.readingBeside() : sessions.reading();
    }

    /**
     * Reclaims history.
     *
     * @throws ServiceException CONFLICT when the graph is open for reading only
     */
    public Cleanup cleanup() {
        return writing().cleanup();
    }

    private Writing writing() {
        Writing mine = writing;
        if (mine == null) {
            throw ServiceException.conflict(log.directory() + " is open for reading only: another process writes it");
        }
        return mine;
    }

    /** What the graph holds. */
    public GraphStatistics statistics() {
        return GraphStatistics.of(this);
    }

    /** For metrics and tests: the tables' environment. */
    public ProjectionEnvironment environment() {
        return environment;
    }

    /** For metrics and tests: the log itself. */
    public EventLog events() {
        return log;
    }

    @Override
    public BlobStore blobs() {
        return blobs;
    }

    @Override
    public CommitLog log() {
        return writing().writer();
    }

    @Override
    public byte[] secret() {
        return log.secret();
    }

    @Override
    public void onCommitted(LongConsumer listener) {
        listeners.add(listener);
    }

    private void committed(long offset) {
        for (LongConsumer listener : listeners) {
            listener.accept(offset);
        }
        Writing mine = writing;
        if (mine == null) {
            return;
        }
        long every = mine.options().checkpointEvents();
        if (every > 0 && offset - checkpointed >= every && mine.copying().compareAndSet(false, true)) {
            copier = Thread.ofPlatform()
                    .name("checkpoint-" + log.directory().getFileName())
                    .daemon(true)
                    .start(() -> checkpoint(mine, offset));
        }
    }

    private void checkpoint(Writing mine, long offset) {
        try {
            write(mine, offset);
            checkpointed = offset;
        } catch (RuntimeException e) {
            checkpointed = offset;
            LOG.warn("{}: no checkpoint at event {}", log.directory(), offset, e);
        } finally {
            mine.copying().set(false);
        }
    }

    /** Makes a checkpoint now, on the calling thread. */
    public void checkpoint() {
        Writing mine = writing;
        if (mine != null) {
            joinCopier();
            write(mine, log.tail().offset());
            checkpointed = log.tail().offset();
        }
    }

    /** A newer checkpoint takes over as the base image of a graph that has one. */
    private void write(Writing mine, long offset) {
        mine.checkpoints().write(environment, offset, base -> {
            if (log.retention().base() != null) {
                Cleanup.await(mine.writer(), () -> rebase(base));
            }
        });
    }

    private void rebase(Retention.Base base) {
        Retention now = log.retention();
        log.retain(now.based(base, now.phase()));
    }

    private void joinCopier() {
        Thread running = copier;
        if (running != null) {
            try {
                running.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        Writing mine = writing;
        if (mine != null) {
            mine.writer().close();
        }
        try {
            if (mine != null) {
                joinCopier();
                mine.projector().close();
                environment.environment().sync();
            }
            environment.close();
            if (mine != null) {
                mine.trust().markClean();
            }
        } finally {
            log.close();
        }
    }
}
