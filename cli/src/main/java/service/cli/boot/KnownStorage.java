package service.cli.boot;

import com.google.errorprone.annotations.MustBeClosed;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.blob.StageFile;
import service.core.blob.StagedBlobs;
import service.core.port.BlobStore;
import service.core.port.CommitFollower;
import service.core.port.CommitLog;
import service.core.port.FeedHold;
import service.core.port.FollowLag;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.SearchGauges;
import service.core.port.SearchIndex;
import service.core.port.SearchStatus;
import service.core.port.StateHold;
import service.core.port.StorageGauges;
import service.core.port.WritableGraphStorage;
import service.core.port.WriteCommand;
import service.core.value.Value;
import service.log.lmdb.StorageFailure;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ServedStorage;

/**
 * The storage that the use-cases of a {@link KnownGraph} have: each use opens the graph if it is closed, and keeps it
 * open until it ends. What only describes the graph does not open it. Any thread.
 */
sealed class KnownStorage<S extends ServedStorage> implements GraphStorage {
    private final KnownGraph<S> graph;
    private final BlobStore blobs = new Blobs();
    private final SearchIndex search = new Search();

    KnownStorage(KnownGraph<S> graph) {
        this.graph = graph;
    }

    @SuppressWarnings("MustBeClosedChecker") // the caller closes it
    @MustBeClosed
    @Override
    public GraphSession session() {
        S storage = graph.acquire();
        boolean begun = false;
        try {
            GraphSession session = storage.session(graph::release);
            begun = true;
            return session;
        } finally {
            if (!begun) {
                graph.release();
            }
        }
    }

    @Override
    public StateHold hold(ReadPoint point) {
        return begin(use -> {
            StateHold held = use.storage.hold(point);
            return new StateHold() {
                @Override
                public void read(Consumer<GraphView> work) {
                    held.read(work);
                }

                @Override
                public void close() {
                    held.close();
                    use.end();
                }
            };
        });
    }

    /** Ends a use with a future. */
    final <R> CompletableFuture<R> until(CompletableFuture<R> answer, KnownGraph<S>.Use use) {
        var unused = answer.whenComplete((result, failure) -> use.end());
        return answer;
    }

    /** Begins a use for an object that ends it, or ends it when there is no such object. */
    final <T> T begin(Function<KnownGraph<S>.Use, T> make) {
        KnownGraph<S>.Use use = graph.new Use();
        try {
            return make.apply(use);
        } catch (RuntimeException | Error e) {
            use.end();
            throw e;
        }
    }

    @Override
    public FeedHold holdFeed(int incarnation, long offset) {
        return begin(use -> {
            FeedHold held = use.storage.holdFeed(incarnation, offset);
            return new FeedHold() {
                @Override
                public void moveTo(long next, boolean atHead) {
                    held.moveTo(next, atHead);
                }

                @Override
                public void close() {
                    held.close();
                    use.end();
                }
            };
        });
    }

    @Override
    public boolean isShared() {
        return graph.isShared();
    }

    /** A closed graph asks its store nothing. */
    @Override
    public boolean isStoreSilent() {
        return graph.ifOpen(storage -> storage.isStoreSilent(), false);
    }

    @Override
    public CompletableFuture<Long> awaitTail(long sinceNanos) {
        return begin(use -> until(use.storage.awaitTail(sinceNanos), use));
    }

    @Override
    public BlobStore blobs() {
        return blobs;
    }

    @Override
    public SearchIndex search() {
        return search;
    }

    /** The numbers of the open storage; null while it is closed. */
    @Override
    public @Nullable StorageGauges gauges() {
        return graph.gauges();
    }

    /** That of the open storage; null while it is closed. */
    @Override
    public @Nullable FollowLag lag() {
        return graph.lag();
    }

    @Override
    public @Nullable String damage() {
        return graph.damage();
    }

    @Override
    public @Nullable String damageIn(Throwable failure) {
        return StorageFailure.damageIn(failure);
    }

    @Override
    public void compareStored() {
        graph.compareStored();
    }

    @Override
    public byte[] secret() {
        return graph.secret();
    }

    @Override
    public void follow(CommitFollower follower) {
        graph.follow(follower);
    }

    @Override
    public @Nullable String detached() {
        return graph.detached();
    }

    /** {@link #detached} of the open storage; null while it is closed. */
    @Nullable
    String detachedWhileOpen() {
        return graph.detachedWhileOpen();
    }

    @Override
    public void close() {
        graph.close();
    }

    class Blobs implements BlobStore {
        @Override
        public StagedBlobs stage() {
            return graph.with(storage -> storage.blobs().stage());
        }

        @Override
        public int read(Value.ManagedBlob blob, long offset, byte[] into) {
            return graph.with(storage -> storage.blobs().read(blob, offset, into));
        }
    }

    private final class Search implements SearchIndex {
        @Override
        public SearchStatus status() {
            return graph.with(storage -> storage.search().status());
        }

        @Override
        public SearchGauges gauges() {
            return graph.ifOpen(storage -> storage.search().gauges(), SearchGauges.NONE);
        }

        @Override
        public void rebuild(Set<SearchStatus.Property> properties) {
            graph.lend(storage -> storage.search().rebuild(properties));
        }

        @Override
        public Comparison compare(String branch) {
            return graph.with(storage -> storage.search().compare(branch));
        }
    }

    /** That of a graph which this process writes. */
    static final class Written extends KnownStorage<LmdbGraphStorage> implements WritableGraphStorage {
        private final KnownGraph<LmdbGraphStorage> graph;
        private final BlobStore staging = new Staging();
        private final CommitLog log = new Log();

        Written(KnownGraph<LmdbGraphStorage> graph) {
            super(graph);
            this.graph = graph;
        }

        @Override
        public CommitLog log() {
            return log;
        }

        @Override
        public BlobStore blobs() {
            return staging;
        }

        private final class Staging extends Blobs {
            /** A stage without a file needs no open graph. */
            @Override
            public StagedBlobs stage() {
                return StagedBlobs.in(this::file);
            }

            private StageFile file() {
                return begin(use -> {
                    StageFile file = use.storage.blobs().stageFile();
                    return new StageFile() {
                        @Override
                        public void write(long at, byte[] bytes, int count) {
                            file.write(at, bytes, count);
                        }

                        @Override
                        public void read(long at, byte[] into, int offset, int count) {
                            file.read(at, into, offset, count);
                        }

                        @Override
                        public void close() {
                            file.close();
                            use.end();
                        }
                    };
                });
            }
        }

        private final class Log implements CommitLog {
            @Override
            public <R> CompletableFuture<R> submit(WriteCommand<R> command, StagedBlobs staged, Duration patience) {
                return begin(use -> until(use.storage.log().submit(command, staged, patience), use));
            }

            @Override
            public int queueDepth() {
                return graph.ifOpen(storage -> storage.log().queueDepth(), 0);
            }

            @Override
            public boolean isFull() {
                return graph.ifOpen(storage -> storage.log().isFull(), false);
            }

            /** The graph closes it. */
            @Override
            public void close() {}
        }
    }
}
