package service.cli.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.cli.boot.GraphOpening.Writers;
import service.core.cluster.AppliedCluster;
import service.core.cluster.AppliedCluster.AppliedGraph;
import service.core.cluster.Quarantine;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.request.StoredQueries;
import service.core.graph.request.Targets;
import service.core.port.GraphPlace;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.http.server.FileDescriptors;
import service.log.format.EventLog;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ServedStorage;
import service.projection.storage.StorageOptions;

/**
 * The start of the graphs of an applied cluster: all become known, and those that were written last are opened. A graph
 * that cannot be served is closed again, because its lock would keep an operator from mending it. One thread.
 */
final class GraphStart {
    private static final Logger LOG = LoggerFactory.getLogger(GraphStart.class);
    private static final int AT_ONCE = 4;

    /** Of requests to a store at one time, which only wait. */
    private static final int REQUESTS_AT_ONCE = 32;

    /** Where there are more graphs than may be open, a start opens graphs for so long. */
    private static final Duration OPENING = Duration.ofSeconds(2);

    /** How long an opening at the start waits for the tables that another process makes. */
    private static final Duration TABLES_AT_START = Duration.ofMinutes(1);

    /** How long a request waits for them. */
    private static final Duration TABLES_LATER = Duration.ofSeconds(5);

    /** The addresses that maps of open graphs may take when they are new: half of what x86-64 gives a process. */
    private static final long MAPPED_BYTES_MAX = 64L << 40;

    private static final int MAPS_OF_A_GRAPH = 2;

    private final AppliedCluster applied;
    private final Engine engine;
    private final @Nullable Duration follow;
    private final OpenGraphs.Bounds bounds;
    private final OpenGraphs places;
    private final Map<String, OpenedGraph> graphs = new ConcurrentHashMap<>();
    private final Map<String, KnownGraph<?>> known = new ConcurrentHashMap<>();
    private final Map<String, KnownGraph<LmdbGraphStorage>> written = new ConcurrentHashMap<>();
    private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
    private volatile boolean started;

    /** @param follow how often to poll for commits of the server that writes; null to write the graphs */
    GraphStart(AppliedCluster applied, Engine engine, @Nullable Duration follow, OpenGraphs.Bounds bounds) {
        this.applied = applied;
        this.engine = engine;
        this.follow = follow;
        this.bounds = bounds.within(
                FileDescriptors.max(), follow == null ? applied.graphs().size() : 0);
        this.places = new OpenGraphs(this.bounds);
    }

    private static boolean isInBucket(AppliedGraph graph) {
        return graph.place() instanceof GraphPlace.InBucket;
    }

    /**
     * The reason why a graph cannot be served.
     *
     * @param code code of the exception; CONFLICT when another process has the graph locked
     */
    private record Refusal(ErrorCode code, Quarantine quarantine) {
        Refusal(ErrorCode code, String reason) {
            this(code, Quarantine.of(reason));
        }

        static Refusal of(RuntimeException thrown) {
            String message = String.valueOf(thrown.getMessage());
            return switch (thrown) {
                case ServiceException refusal
                when refusal.code() == ErrorCode.BAD_REQUEST ->
                    new Refusal(
                            refusal.code(),
                            new Quarantine(
                                    "a stored query no longer fits the schema: " + message,
                                    "a stored query no longer fits the schema; `service cluster status` names it"));
                case ServiceException refusal -> new Refusal(refusal.code(), message);
                case StorageFailure failure -> new Refusal(failure.kind().code(), message);
                default -> new Refusal(ErrorCode.GRAPH_QUARANTINED, message);
            };
        }
    }

    /** Starts the graphs; returns when each of them is served or refused. */
    void run() {
        boolean inBucket = applied.graphs().values().stream().anyMatch(GraphStart::isInBucket);
        boolean some = applied.graphs().size() > bounds.max();
        forAll(applied.graphs().values(), inBucket && some ? REQUESTS_AT_ONCE : AT_ONCE, graph -> know(graph, some));
        long end = System.nanoTime() + OPENING.toNanos();
        List<AppliedGraph> opened = applied.graphs().values().stream()
                .filter(graph -> known.containsKey(graph.graphId()))
                .sorted(Comparator.comparingLong(GraphStart::writtenMillis).reversed())
                .limit(some ? bounds.max() / 2 : Integer.MAX_VALUE)
                .toList();
        forAll(opened, AT_ONCE, graph -> {
            if (!some || System.nanoTime() - end < 0) {
                open(graph.graphId());
            }
        });
        started = true;
    }

    /** When the log was last written; 0 where it cannot be told. */
    private static long writtenMillis(AppliedGraph graph) {
        try {
            return graph.place() instanceof GraphPlace.InDirectory directory
                    ? Files.getLastModifiedTime(
                                    directory.path().resolve(EventLog.DIRECTORY).resolve("data.mdb"))
                            .toMillis()
                    : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** @param mayStayClosed whether the opening may come later, so that what it would find is not found now */
    private void know(AppliedGraph graph, boolean mayStayClosed) {
        String id = graph.graphId();
        try {
            if (follow == null) {
                KnownGraph<LmdbGraphStorage> own = writing(graph);
                know(graph, own, new KnownStorage.Written(own), mayStayClosed);
                written.put(id, own);
            } else {
                KnownGraph<ServedStorage> others = reading(graph, follow);
                know(graph, others, new KnownStorage<>(others), mayStayClosed);
            }
        } catch (RuntimeException e) {
            refusals.put(id, Refusal.of(e));
        }
    }

    private <S extends ServedStorage> void know(
            AppliedGraph graph, KnownGraph<S> own, KnownStorage<S> storage, boolean mayStayClosed) {
        own.know();
        if (mayStayClosed && isInBucket(graph)) {
            requireThere(graph.place());
        }
        known.put(graph.graphId(), own);
        graphs.put(graph.graphId(), OpenedGraph.known(graph, storage, engine));
    }

    private KnownGraph<LmdbGraphStorage> writing(AppliedGraph graph) {
        StorageOptions options = mapped(engine.storageOf(graph.graphId()));
        return known(
                graph,
                isInBucket(graph) ? Writers.ALL : Writers.THIS,
                () -> StorageKinds.graph(graph.place()).know(options));
    }

    private KnownGraph<ServedStorage> reading(AppliedGraph graph, Duration every) {
        StorageOptions options = mapped(engine.storageOf(graph.graphId()));
        return known(
                graph,
                isInBucket(graph) ? Writers.OTHERS_ELSEWHERE : Writers.OTHERS_HERE,
                () -> StorageKinds.graph(graph.place())
                        .knowForReading(options, every, () -> started ? TABLES_LATER : TABLES_AT_START));
    }

    private <S extends ServedStorage> KnownGraph<S> known(
            AppliedGraph graph, Writers writers, Supplier<GraphOpening.Place<S>> know) {
        String id = graph.graphId();
        return new KnownGraph<>(
                new GraphOpening<>(
                        id, writers, know, storage -> requireFit(graph, storage), failure -> refused(id, failure)),
                places);
    }

    /** To know a graph in a bucket costs no request, unless one must ask whether it is there. */
    private static void requireThere(GraphPlace place) {
        if (!StorageKinds.graph(place).isGraph()) {
            throw new ServiceException(ErrorCode.NOT_FOUND, "there is no graph at " + place);
        }
    }

    /** New maps take less address space each where many may be open. */
    private StorageOptions mapped(StorageOptions options) {
        long open = Math.max(1, Math.min(bounds.max(), applied.graphs().size()));
        long most = Long.highestOneBit(MAPPED_BYTES_MAX / (MAPS_OF_A_GRAPH * open));
        LmdbOptions log = options.log();
        return most >= log.mapBytes() ? options : options.withMapBytes(most, log.mapBytesMax());
    }

    private void open(String id) {
        try {
            Objects.requireNonNull(known.get(id)).open();
        } catch (RuntimeException e) {
            drop(id, Refusal.of(e));
        }
    }

    /** @param refusal where none is known that says more */
    private void drop(String id, Refusal refusal) {
        refusals.putIfAbsent(id, refusal);
        known.remove(id);
        written.remove(id);
        close(id, graphs.remove(id));
    }

    /** Checks that a graph has the applied schema and that its stored queries fit it. */
    private void requireFit(AppliedGraph graph, GraphStorage storage) {
        try (GraphSession session = storage.session()) {
            String schema = session.catalog(Targets.main(session).headPoint()).source();
            if (!schema.equals(graph.schemaSource())) {
                throw new ServiceException(
                        ErrorCode.GRAPH_QUARANTINED, "its schema is not the applied one; run `service cluster apply`");
            }
        }
        new StoredQueries(storage, engine.graphs().compiler(), graph.queries()).list();
    }

    /** Why a graph cannot be served. After the start it is logged here. */
    private Quarantine refused(String id, RuntimeException failure) {
        Refusal refusal = Refusal.of(failure);
        if (started) {
            LOG.atWarn()
                    .addKeyValue("graph", id)
                    .log("quarantined: {}", refusal.quarantine().reason());
        } else {
            refusals.put(id, refusal);
        }
        return refusal.quarantine();
    }

    private static void close(String id, @Nullable AutoCloseable refused) {
        try {
            if (refused != null) {
                refused.close();
            }
        } catch (Exception e) {
            LOG.atWarn().addKeyValue("graph", id).setCause(e).log("a graph that is not served was not closed");
        }
    }

    private void forAll(Iterable<AppliedGraph> all, int atOnce, Consumer<AppliedGraph> work) {
        try (ExecutorService threads = Executors.newFixedThreadPool(atOnce)) {
            Map<String, Future<?>> running = new TreeMap<>();
            all.forEach(graph -> running.put(graph.graphId(), threads.submit(() -> work.accept(graph))));
            running.forEach((id, outcome) -> {
                try {
                    outcome.get();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    drop(id, new Refusal(ErrorCode.SHUTTING_DOWN, "interrupted while it was opened"));
                } catch (ExecutionException e) {
                    LOG.error("a graph could not be opened", e.getCause());
                    drop(id, new Refusal(ErrorCode.INTERNAL, "it cannot be opened: " + e.getCause()));
                }
            });
        }
    }

    /** The served graphs by id. */
    Map<String, OpenedGraph> graphs() {
        return graphs;
    }

    /** Those that this process writes, by id. */
    Map<String, KnownGraph<LmdbGraphStorage>> written() {
        return written;
    }

    OpenGraphs places() {
        return places;
    }

    /** The graphs that cannot be served. */
    NavigableMap<String, Quarantine> quarantined() {
        NavigableMap<String, Quarantine> quarantined = new TreeMap<>();
        refusals.forEach((id, refusal) -> quarantined.put(id, refusal.quarantine()));
        return quarantined;
    }

    /** The graphs that another process has locked. */
    Set<String> locked() {
        Set<String> locked = new HashSet<>();
        refusals.forEach((id, refusal) -> {
            if (refusal.code() == ErrorCode.CONFLICT) {
                locked.add(id);
            }
        });
        return locked;
    }
}
