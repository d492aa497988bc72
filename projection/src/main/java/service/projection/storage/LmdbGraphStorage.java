package service.projection.storage;

import com.google.errorprone.annotations.MustBeClosed;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.SchemaChange;
import service.core.lifecycle.Closing;
import service.core.port.CommitFollower;
import service.core.port.CommitLog;
import service.core.port.FeedHold;
import service.core.port.GraphSession;
import service.core.port.ReadPoint;
import service.core.port.SearchIndex;
import service.core.port.StateHold;
import service.core.port.StorageGauges;
import service.core.port.WritableGraphStorage;
import service.log.commit.Writer;
import service.log.commit.WriterPoll;
import service.log.follow.LogFollowers;
import service.log.format.DirectoryLog;
import service.log.format.EventLog;
import service.log.format.GraphImages;
import service.log.format.LogHome;
import service.log.format.StoredBlobs;
import service.log.group.GroupSink;
import service.log.retain.Retention;
import service.projection.apply.CatchUp;
import service.projection.apply.LiveProjector;
import service.projection.resident.ResidentBlocks;
import service.projection.search.index.GraphSearch;
import service.projection.table.ProjectionEnvironment;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/**
 * The open directory of one graph:
 *
 * <pre>
 *  log/               the events and the bytes of blobs: the source of all other files
 *  projection/        the tables, made from the log
 *  projection.trust   whether the tables may be opened (see {@link TrustFile})
 *  checkpoint/        a synced copy of the tables
 *  staged/            bytes of blobs that no committed event refers to yet
 *  writer.lock        the process that writes
 * </pre>
 *
 * <p>Opening for writing takes the tables if they may be trusted, or else the newest checkpoint, or else empty tables,
 * and replays the events that they have not applied. It reads nothing else, so the time to open does not grow with the
 * graph.
 */
public final class LmdbGraphStorage implements WritableGraphStorage, ServedStorage {
    /** The directory of the tables in the directory of the graph. */
    public static final String PROJECTION = GraphTables.DIRECTORY;

    private final LogHome home;
    private final EventLog log;
    private final GroupSink sink;
    private final GraphImages images;
    private final ProjectionEnvironment environment;
    private final GraphSearch search;
    private final ResidentBlocks blocks;
    private final Sessions sessions;
    private final StoredBlobs blobs;
    private final LogFollowers followers;
    private final OwnFiles files;
    private final LiveProjector projector;
    private final Checkpoints checkpoints;
    private final Checkpointing checkpointing;
    private final StorageOptions options;
    private final Writer writer;
    private final ReadHolds holds;
    private final Cleanup cleanup;
    private final long openedMillis;
    private volatile @Nullable WriterPoll others;

    private LmdbGraphStorage(
            LogHome home, EventLog log, ProjectionEnvironment environment, StorageOptions options, TrustFile trust) {
        this.home = home;
        this.log = log;
        this.sink = home.sink(log, this::settled);
        this.images = home.images(log);
        this.environment = environment;
        this.options = options;
        this.files = new OwnFiles(log, environment, trust);
        this.openedMillis = nowMillis();
        this.search = new GraphSearch(
                environment, log, options.catalogs(), options.machine().search());
        this.blocks = new ResidentBlocks(
                environment,
                log::retention,
                ViewSource.tables(search),
                options.machine().resident(),
                this::between,
                "resident-" + log.directory().getFileName());
        this.sessions = new Sessions(environment, log, options.catalogs(), blocks);
        this.blobs = new StoredBlobs(log);
        blobs.forgetStaged();
        this.followers = new LogFollowers("follow-" + log.directory().getFileName());
        this.projector = new LiveProjector(
                environment, log, sessions, options.catalogs(), options.ordinalsMax(), blocks.marks());
        this.checkpoints = new Checkpoints(log.directory());
        this.checkpointing = new Checkpointing(
                checkpoints,
                new Checkpointing.Copied(log, environment, images),
                options.checkpointEvents(),
                this::between,
                () -> detached() != null);
        this.writer = Writer.start(
                log, sink, projector, options.writer(), options.machine().clockMicros(), this::committed);
        this.holds = new ReadHolds(options.machine().readHold(), System::nanoTime, followers::leastPosition);
        CleanedGraph cleaned = new CleanedGraph(
                log, environment, options.catalogs(), options.machine().clockMicros());
        this.cleanup = new Cleanup(
                cleaned,
                search,
                writer,
                checkpoints,
                new CleanupMarks(cleaned, writer, projector, holds, sink.isShared()),
                images);
        search.start(log.tail().offset());
    }

    /**
     * Creates a graph with its first commit, which sets the schema, and opens it.
     *
     * @throws ServiceException CONFLICT when the graph exists already
     */
    public static LmdbGraphStorage create(
            Path directory, StorageOptions options, SchemaChange schema, @Nullable String actor) {
        return create(inDirectory(directory, options), options, schema, actor);
    }

    /** Creates a graph whose log is durable elsewhere. */
    public static LmdbGraphStorage create(
            LogHome home, StorageOptions options, SchemaChange schema, @Nullable String actor) {
        long now = options.machine().clockMicros().getAsLong();
        return opened(home, home.create(schema, actor, now), options);
    }

    private static LogHome inDirectory(Path directory, StorageOptions options) {
        return new DirectoryLog(directory, options.log(), options.hook());
    }

    /**
     * Frees the reader slots of processes that died during a read, and returns how many. Call it regularly: LMDB has a
     * fixed number of slots.
     */
    public int freeDeadReaders() {
        return log.environment().readerCheck() + environment.environment().readerCheck();
    }

    /**
     * Opens a graph for reading and writing.
     *
     * @throws ServiceException NOT_FOUND when there is no such graph; CONFLICT when another process, named in the
     *     message, writes it
     * @throws service.core.event.EventFormatException when the end of the log is damaged
     */
    public static LmdbGraphStorage open(Path directory, StorageOptions options) {
        return open(inDirectory(directory, options), options);
    }

    /** Opens a graph whose log is durable elsewhere, for reading and writing. */
    public static LmdbGraphStorage open(LogHome home, StorageOptions options) {
        return opened(home, home.open(), options);
    }

    private static LmdbGraphStorage opened(LogHome home, EventLog log, StorageOptions options) {
        ProjectionEnvironment environment = null;
        try {
            GraphTables tables = new GraphTables(log, options);
            environment = tables.open(offset -> {}).environment();
            return new LmdbGraphStorage(home, log, environment, options, tables.trust());
        } catch (RuntimeException e) {
            if (environment != null) {
                environment.close();
            }
            log.close();
            throw e;
        }
    }

    /**
     * Deletes the tables and checkpoints of a graph that no process has open, and makes the tables again from the log,
     * or after a cleanup from the base image that the log names and the events after it. After a cleanup it also frees
     * the ordinals of entities that no readable state has.
     *
     * @return what was replayed
     */
    public static CatchUp.Result rebuild(Path directory, StorageOptions options, LongConsumer progress) {
        try (EventLog log = EventLog.open(directory, options.log(), options.hook())) {
            Checkpoints checkpoints = new Checkpoints(directory);
            checkpoints.keepBase(log.retention().base());
            GraphTables tables = new GraphTables(log, options);
            // An ordinal may become that of another entity.
            GraphSearch.drop(directory);
            tables.trust().forget();
            CatchUp.Result result = tables.catchUp(progress);
            tables.reclaimOrdinals(checkpoints);
            return result;
        }
    }

    @MustBeClosed
    @Override
    public GraphSession session(Runnable ended) {
        return sessions.reading(ended);
    }

    @Override
    public long shownOffset() {
        return log.tail().offset();
    }

    /** Whether every follower has taken every event, and no checkpoint is being made. */
    @Override
    public boolean isQuiet() {
        return followers.leastPosition() >= log.tail().offset() && !checkpointing.isCopying();
    }

    @Override
    public StateHold hold(ReadPoint point) {
        return holds.hold(point, this::session);
    }

    @Override
    public FeedHold holdFeed(int incarnation, long offset) {
        return holds.holdFeed(incarnation, offset);
    }

    /** The cleanup of this graph. */
    public Cleanup cleanup() {
        return cleanup;
    }

    /** Sizes and counts of the graph. */
    public GraphStatistics statistics() {
        return GraphStatistics.of(this);
    }

    @Override
    public StorageGauges gauges() {
        long last = log.tail().offset();
        long nowMillis = nowMillis();
        long checkpointMillis = checkpoints.newestMillis();
        Retention retention = log.retention();
        return new StorageGauges(
                last + 1,
                writer.gauges(),
                List.of(
                        log.environment().gauges(EventLog.DIRECTORY),
                        environment.environment().gauges(PROJECTION)),
                new StorageGauges.Checkpoint(
                        Math.max(0, nowMillis - (checkpointMillis < 0 ? openedMillis : checkpointMillis)),
                        last - checkpoints.newestOffset()),
                new StorageGauges.Retention(
                        retention.mark(0), retention.pinCount(), retention.phase() != Retention.Phase.DONE),
                log.directory().toFile().getUsableSpace(),
                log.directory().toFile().getTotalSpace(),
                null);
    }

    private long nowMillis() {
        return options.machine().clockMicros().getAsLong() / 1_000;
    }

    /** The environment of the tables, for metrics and tests. */
    public ProjectionEnvironment environment() {
        return environment;
    }

    /** The log, for metrics and tests. */
    public EventLog events() {
        return log;
    }

    @Override
    public SearchIndex search() {
        return search;
    }

    @Override
    public StoredBlobs blobs() {
        return blobs;
    }

    @Override
    public CommitLog log() {
        return writer;
    }

    @Override
    public byte[] secret() {
        return log.secret();
    }

    @Override
    public void follow(CommitFollower follower) {
        followers.add(follower, appliedOffset());
        // A commit may have become visible before the follower was added, and its notification has missed the follower.
        followers.advance(appliedOffset());
    }

    @Override
    public boolean isShared() {
        return sink.isShared();
    }

    @Override
    public boolean isStoreSilent() {
        WriterPoll polling = others;
        return polling != null && polling.isStoreSilent();
    }

    @Override
    public CompletableFuture<Long> awaitTail(long sinceNanos) {
        return writer.awaitTail(sinceNanos);
    }

    @Override
    public void followOthers(Duration every) {
        if (sink.isShared()) {
            others = WriterPoll.start(writer, String.valueOf(log.directory().getFileName()), every);
        }
    }

    /** Lets the writer take the events of a group whose outcome was unknown. */
    private void settled() {
        CompletableFuture<Void> unused = writer.between(() -> {});
    }

    private CompletableFuture<Void> between(Runnable work) {
        return writer.between(work);
    }

    @Override
    public void compareStored() {
        files.check();
        home.compareStored();
    }

    @Override
    public @Nullable String detached() {
        String ofFiles = files.finding();
        return ofFiles == null ? home.detached() : ofFiles;
    }

    @Override
    public boolean isLeftBehind() {
        return home.isLeftBehind();
    }

    private long appliedOffset() {
        try (GraphSession session = session()) {
            return session.appliedOffset();
        }
    }

    private void committed(long offset) {
        followers.advance(offset);
        search.committed(offset);
        checkpointing.committed(offset);
    }

    /** Makes a checkpoint on the calling thread. */
    public void checkpoint() {
        checkpointing.now(false);
    }

    /**
     * Makes an image of the events that no image has, when the log is kept outside of this machine. Call it at the
     * clean stop of a server. A failure is logged, because the next opening only replays more.
     */
    public void keepImage() {
        checkpointing.keepImage();
    }

    /** Makes an image of these tables the one from which other machines open the graph, after a rebuild. */
    public void replaceImages() {
        if (log.retention().base() != null) {
            cleanup.publish();
        } else {
            images.dropCheckpoints();
            checkpointing.now(true);
        }
    }

    @Override
    public void close() {
        WriterPoll polling = others;
        Closing.all(
                polling == null ? () -> {} : polling,
                writer,
                followers,
                checkpointing,
                blocks,
                search,
                projector,
                files::closeTables,
                () -> home.close(log, sink));
    }
}
