package service.cli.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.SchemaChange;
import service.core.port.GraphPlace;
import service.core.port.ObjectStore;
import service.core.schema.Catalog;
import service.log.backup.BackupManifest;
import service.log.files.FileTrees;
import service.log.format.FollowedLog;
import service.log.format.LogHome;
import service.log.segment.FollowedSegments;
import service.log.segment.GraphRemoval;
import service.log.segment.SegmentStore;
import service.log.segment.SegmentUpload;
import service.log.segment.SegmentedLog;
import service.projection.apply.CatchUp;
import service.projection.storage.Compaction;
import service.projection.storage.FollowedGraphStorage;
import service.projection.storage.GraphBackup;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ServedStorage;
import service.projection.storage.StorageOptions;
import service.projection.storage.StoredGraph;

/**
 * A graph in a bucket. Each opening takes a directory of the cache for its copy.
 *
 * @param beforeWriting throws when the bucket cannot be written safely; called before the graph is opened for writing
 */
record GraphInBucket(GraphPlace.InBucket place, ObjectStore store, Runnable beforeWriting, ServiceConfig.Bucket config)
        implements PlacedGraph {
    private static final String GRAPHS = "graphs/";

    /** Greater than the name of every folder of a graph. */
    private static final String BEHIND_FOLDERS = "/~";

    /** How often a command that waits for new commits polls for them. */
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    /** The ids of the graphs below a root, sorted; one request for each. */
    static List<String> list(ObjectStore store) {
        List<String> ids = new ArrayList<>();
        String after = "";
        while (true) {
            List<String> next = store.list(GRAPHS, after, 1);
            if (next.isEmpty()) {
                return ids.stream().sorted().toList();
            }
            String name = next.getFirst().substring(GRAPHS.length());
            int slash = name.indexOf('/');
            String id = slash < 0 ? name : name.substring(0, slash);
            if (slash > 0 && new SegmentStore(store, id).isGraph()) {
                ids.add(id);
            }
            after = GRAPHS + id + BEHIND_FOLDERS;
        }
    }

    private SegmentStore segments() {
        return new SegmentStore(store, place.graphId(), config.reclaimDelay());
    }

    private GraphRemoval removal() {
        return new GraphRemoval(store, place.graphId());
    }

    @Override
    public boolean exists() {
        return removal().isOccupied();
    }

    @Override
    public boolean isGraph() {
        return segments().isGraph();
    }

    @Override
    public void create(Catalog catalog, @Nullable String actor) {
        SchemaChange genesis = PlacedGraph.genesis(catalog);
        if (exists()) {
            throw ServiceException.conflict(
                    "there are objects at " + place + " already; name another graph, or move them away");
        }
        removal().everything();
        inCache(OPTIONS, home -> LmdbGraphStorage.create(home, OPTIONS, genesis, actor))
                .close();
    }

    @Override
    public LmdbGraphStorage open(StorageOptions options) {
        StorageOptions lingering = options.withWriter(options.writer()
                .withCommitGroupMicros(Math.max(options.writer().commitGroupMicros(), config.lingerMillis() * 1_000)));
        return inCache(lingering, home -> LmdbGraphStorage.open(home, lingering));
    }

    /** Nothing is held: any number of servers may write. */
    @Override
    public GraphOpening.Place<LmdbGraphStorage> know(StorageOptions options) {
        return new GraphOpening.Place<>(() -> open(options), () -> {});
    }

    @Override
    public GraphOpening.Place<ServedStorage> knowForReading(
            StorageOptions options, Duration every, Supplier<Duration> patience) {
        return new GraphOpening.Place<>(
                () -> following(options, home -> FollowedGraphStorage.serve(home, options, every)), () -> {});
    }

    @Override
    public StoredGraph openForReading() {
        return following(OPTIONS, home -> FollowedGraphStorage.open(home, OPTIONS, LOOK_EVERY));
    }

    private <S extends StoredGraph> S following(StorageOptions options, Function<FollowedLog, S> opening) {
        CacheDirectories.Place cache = cache();
        try {
            SegmentedLog log = log(options, cache.graph(), SegmentedLog.Source.NEWEST_IMAGE);
            return opening.apply(new FollowedSegments(segments(), log, cache::close));
        } catch (RuntimeException | Error e) {
            cache.close();
            throw e;
        }
    }

    /** Compacts the copy of this machine. The images in the bucket have no free pages. */
    @Override
    public Compaction.Report compact() {
        return withFiles(files -> Compaction.run(files, OPTIONS));
    }

    /** The new tables become an image, so that later openings of other machines have them. */
    @Override
    public CatchUp.Result rebuild(LongConsumer progress) {
        try (CacheDirectories.Place cache = cache()) {
            Path directory = cache.graph();
            FileTrees.delete(directory);
            CatchUp.Result result = withCopy(
                    log(OPTIONS, directory, SegmentedLog.Source.WHOLE_LOG),
                    directory,
                    files -> LmdbGraphStorage.rebuild(files, OPTIONS, progress));
            try (LmdbGraphStorage storage =
                    LmdbGraphStorage.open(log(OPTIONS, directory, SegmentedLog.Source.NEWEST_IMAGE), OPTIONS)) {
                storage.replaceImages();
            }
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The copy is complete when it was just opened: it has every segment that was there. */
    @Override
    public <T> T withFiles(Function<Path, T> work) {
        try (CacheDirectories.Place cache = cache()) {
            return withCopy(log(OPTIONS, cache.graph(), SegmentedLog.Source.NEWEST_IMAGE), cache.graph(), work);
        }
    }

    @Override
    public <T> T withCheckedFiles(Function<Path, T> work) {
        try (CacheDirectories.Place cache = cache()) {
            FileTrees.delete(cache.graph());
            return withCopy(log(OPTIONS, cache.graph(), SegmentedLog.Source.EVERY_OBJECT), cache.graph(), work);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> T withCopy(SegmentedLog log, Path directory, Function<Path, T> work) {
        LmdbGraphStorage.open(log, OPTIONS).close();
        return work.apply(directory);
    }

    /** Opens a storage for writing whose closing gives the directory back. */
    private LmdbGraphStorage inCache(StorageOptions options, Function<LogHome, LmdbGraphStorage> opening) {
        beforeWriting.run();
        CacheDirectories.Place cache = cache();
        try {
            return opening.apply(log(options, cache.graph(), SegmentedLog.Source.NEWEST_IMAGE)
                    .whenClosed(cache::close));
        } catch (RuntimeException | Error e) {
            cache.close();
            throw e;
        }
    }

    private CacheDirectories.Place cache() {
        return CacheDirectories.take(config.cacheDirectory(), place.root(), place.graphId());
    }

    private SegmentedLog log(StorageOptions options, Path directory, SegmentedLog.Source source) {
        // The environment of the log is a copy here, as little durable as the tables.
        return new SegmentedLog(
                segments(),
                directory,
                options.projection(),
                options.hook(),
                options.machine().boot().get(),
                source);
    }

    /** The graph is made in the cache first, which checks the backup. */
    @Override
    public BackupManifest restore(Path file, LongConsumer progress) throws IOException {
        if (isGraph()) {
            throw ServiceException.conflict("there is a graph at " + place + " already");
        }
        try (CacheDirectories.Place cache = cache()) {
            FileTrees.delete(cache.graph());
            BackupManifest manifest = GraphBackup.restore(file, cache.graph(), OPTIONS, progress);
            // A backup of a graph in the middle of a cleanup.
            try (LmdbGraphStorage storage = LmdbGraphStorage.open(cache.graph(), OPTIONS)) {
                storage.cleanup().resume(Duration.ZERO);
            }
            removal().everything();
            SegmentUpload.run(cache.graph(), segments());
            return manifest;
        }
    }

    @Override
    public void delete() {
        removal().run();
    }

    @Override
    public void clear() {
        if (!isGraph()) {
            removal().rest();
        }
    }

    /** A bucket does not show who writes. Any number of servers may. */
    @Override
    public @Nullable String writer() {
        return null;
    }
}
