package service.projection.search.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.Branch;
import service.core.port.SearchStatus;
import service.log.files.FileTrees;

/**
 * Makes an index of {@code main}, or of a branch, follow the tables. It reads what changed in the table of arrivals and
 * the texts in the records, never the log, so it needs no place in the log: its position is in the commit of Lucene.
 * When the arrivals after it are not known any more, it begins again with all records. The index of a branch ends when
 * the branch was deleted.
 *
 * <p>It works in rounds on the threads of {@link SearchThreads}, one at a time: some time after a commit, and again
 * after a growing pause when a round has failed. Commits never wait for it.
 */
final class Indexer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Indexer.class);

    /** From so many events on the index does not wait. */
    private static final int EVENTS_SOON = 1_000;

    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_MILLIS_MAX = 60_000;
    private static final long PAUSED_MILLIS = 5_000;

    private final IndexPlace place;
    private final Path path;
    private final SearchOptions options;
    private final KnownViews views;
    private final EntityFeed feed;
    private final Consumer<Indexer> done;

    /** Held during a round. */
    private final ReentrantLock turn = new ReentrantLock();

    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile Future<?> next = CompletableFuture.completedFuture(null);
    private final AtomicBoolean persisting = new AtomicBoolean();
    private final Snapshots snapshots;
    private volatile boolean closed;
    private volatile String branch = Branch.MAIN;
    private final IndexLag lag = new IndexLag();
    private volatile State state = new State(SearchStatus.State.BUILDING, null, List.of(), 0);

    // Changed under the turn.
    private volatile @Nullable OwnIndex own;
    private long durable = -1;
    private long durableNanos;
    private long pauseMillis;

    /** What it does, for its status. */
    record State(SearchStatus.State what, @Nullable String reason, List<IndexedField> fields, long bytes) {
        State with(SearchStatus.State now, @Nullable String why) {
            return new State(now, why, fields, bytes);
        }
    }

    /**
     * Makes one that has read nothing yet.
     *
     * @param views what searches learned about views of the graph
     * @param source makes its feed, and is told whether to give up
     * @param done is told after each round that has changed or ended it
     */
    Indexer(
            IndexPlace place,
            SearchOptions options,
            KnownViews views,
            Function<BooleanSupplier, EntityFeed> source,
            Consumer<Indexer> done) {
        this.views = views;
        this.snapshots = new Snapshots(views);
        this.place = place;
        this.path = place.directory();
        this.done = done;
        this.options = options;
        this.feed = source.apply(() -> closed);
    }

    State state() {
        return state;
    }

    IndexPlace place() {
        return place;
    }

    String branch() {
        return branch;
    }

    /** Whether there is nothing to index any more, or not all of it is known: the files are deleted. */
    boolean isEnded() {
        State now = state;
        return now.what() == SearchStatus.State.READY && now.fields().isEmpty();
    }

    /** Tells that events are in the tables. Returns at once; any thread. */
    void committed(long offset) {
        lag.committed(offset);
        IndexSnapshot newest = snapshots.newest();
        boolean soon = newest != null && offset - newest.position() >= EVENTS_SOON;
        later(soon ? 0 : options.refresh().toMillis());
    }

    private void later(long millis) {
        if (!closed && scheduled.compareAndSet(false, true)) {
            next = SearchThreads.after(millis, this::task);
        }
    }

    private void task() {
        scheduled.set(false);
        turn.lock();
        try {
            if (!closed) {
                round();
                pauseMillis = 0;
            }
        } catch (EntityFeed.StoppedException e) {
            LOG.debug("{}: stopped", path);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            failed(e);
        } finally {
            turn.unlock();
        }
    }

    /** Closes what cannot be used any more, and tries again later. */
    private void failed(Throwable e) {
        boolean isDamaged = e instanceof CorruptIndexException
                || e instanceof IndexFormatTooOldException
                || e instanceof IndexFormatTooNewException
                || e instanceof java.nio.file.NoSuchFileException
                || e instanceof java.io.EOFException;
        if (e instanceof ServiceException refused && refused.code() == ErrorCode.SHUTTING_DOWN) {
            return;
        }
        // A damaged index is built again at once, unless the attempt before this one has failed, too.
        boolean isNow = isDamaged && pauseMillis == 0;
        pauseMillis = Math.clamp(2 * pauseMillis, 1_000, PAUSE_MILLIS_MAX);
        LOG.warn(
                "{}: the search index {}; searches read the records, and it is tried again in {} s: {}",
                path,
                isDamaged ? "is damaged and is built anew" : "does not follow",
                isNow ? 0 : pauseMillis / 1_000,
                e.toString());
        LOG.debug("the failure", e);
        abandon();
        if (isDamaged) {
            drop();
        }
        state = state.with(SearchStatus.State.FAILED, String.valueOf(e.getMessage()));
        later(isNow ? 0 : pauseMillis);
    }

    private void abandon() {
        if (own != null) {
            own.abandon();
            own = null;
        }
    }

    /** Deletes the index. Searches that read it read it to the end. */
    private void drop() {
        abandon();
        snapshots.clear();
        FileTrees.deleteOrWarn(path);
        durable = -1;
    }

    private void round() throws IOException {
        EntityFeed.Head head = feed.head();
        if (head.branch() != null) {
            branch = head.branch();
        }
        if (head.fields().isEmpty()) {
            end();
            return;
        }
        state = new State(state.what(), state.reason(), head.fields(), state.bytes());
        if (place.freeBytes() < options.diskReserveBytes()) {
            abandon();
            pause("less than " + options.diskReserveBytes() + " bytes of the disk are free");
            return;
        }
        long bytes = options.memory().writingBytes();
        if (!options.memory().tryReserve(bytes)) {
            pause("the process has no memory free for indexing");
            return;
        }
        try {
            round(head);
        } finally {
            options.memory().release(bytes);
        }
    }

    private void pause(String why) {
        state = state.with(SearchStatus.State.PAUSED, why);
        later(PAUSED_MILLIS);
    }

    private void round(EntityFeed.Head head) throws IOException {
        OwnIndex index = follow(opened(head), head);
        if (index == null) {
            end();
            return;
        }
        long beganNanos = System.nanoTime();
        snapshots.publish(index);
        snapshots.times().since(WorkTimes.Work.REFRESH, beganNanos);
        lag.followed(head.applied());
        if (System.nanoTime() - durableNanos >= COMMIT_NANOS || durable < 0) {
            persist(index);
        } else if (index.position() > durable) {
            persistLater();
        }
        state = new State(SearchStatus.State.READY, null, head.fields(), index.bytes());
        if (lag.hasMoreThan(head.applied())) {
            later(options.refresh().toMillis());
        }
        done.accept(this);
    }

    /** How many events are not followed yet. */
    long lagCommits() {
        return lag.commits(snapshots.position());
    }

    /** Since when there are such, in seconds. */
    double lagSeconds() {
        return lag.seconds();
    }

    private void end() {
        lag.clear();
        if (own != null || Files.exists(path)) {
            drop();
        }
        state = new State(SearchStatus.State.READY, null, List.of(), 0);
        done.accept(this);
    }

    private void persist(OwnIndex index) throws IOException {
        long beganNanos = System.nanoTime();
        index.commit();
        snapshots.times().since(WorkTimes.Work.COMMIT, beganNanos);
        durable = index.position();
        durableNanos = System.nanoTime();
    }

    /** On an idle graph, too, what was indexed becomes durable. */
    private void persistLater() {
        if (persisting.compareAndSet(false, true)) {
            SearchThreads.after(TimeUnit.NANOSECONDS.toMillis(COMMIT_NANOS), () -> {
                persisting.set(false);
                later(0);
            });
        }
    }

    private OwnIndex opened(EntityFeed.Head head) throws IOException {
        OwnIndex index = own;
        if (index != null && marks(index.fields()).equals(marks(head.fields()))) {
            return index;
        }
        if (index != null) {
            LOG.info("{}: the search index is built anew, because the schema searches other texts", path);
            drop();
        }
        index = OwnIndex.open(place, head.fields(), head.applied(), views);
        if (index == null) {
            if (Files.exists(path)) {
                LOG.info("{}: the search index does not fit the graph and is built anew", path);
            }
            index = OwnIndex.create(place, head.fields(), views);
        }
        durable = index.position();
        durableNanos = System.nanoTime();
        own = index;
        return index;
    }

    private static List<String> marks(List<IndexedField> fields) {
        return fields.stream().map(IndexedField::mark).sorted().toList();
    }

    /** Brings the index to the offset of the tables, or builds it there; null when not all is known. */
    private @Nullable OwnIndex follow(OwnIndex from, EntityFeed.Head head) throws IOException {
        OwnIndex index = from;
        while (index.position() < head.applied()) {
            long beganNanos = System.nanoTime();
            try {
                EntityFeed.Changes changes =
                        index.position() < 0 ? null : feed.changes(index.position(), head.applied());
                if (changes != null && changes.entities().length == 0 && !place.isOfMain()) {
                    // Searches of the branch keep what they have learned over this snapshot.
                    return index;
                }
                if (changes != null) {
                    feed.apply(index, changes);
                    snapshots.times().since(WorkTimes.Work.FOLLOW, beganNanos);
                    index.reached(changes.through());
                    continue;
                }
                if (index.position() >= 0) {
                    LOG.info("{}: the search index is built anew: not all changes since are known", path);
                    drop();
                    index = OwnIndex.create(place, head.fields(), views);
                    own = index;
                }
                state = state.with(SearchStatus.State.BUILDING, null);
                if (!feed.all(index, head.applied())) {
                    return null;
                }
                snapshots.times().since(WorkTimes.Work.BUILD, beganNanos);
                index.reached(head.applied());
            } catch (ServiceException e) {
                if (e.code() != ErrorCode.SNAPSHOT_RECLAIMED) {
                    throw e;
                }
                drop();
                throw new IOException("cleanup took the state that was being indexed", e);
            }
        }
        return index;
    }

    Snapshots snapshots() {
        return snapshots;
    }

    /** A search could not read it. */
    void damaged(Exception e) {
        LOG.warn("{}: the search index cannot be read and is built anew: {}", path, e.toString());
        rebuild();
    }

    /** Drops the index and builds it again, on another thread. */
    void rebuild() {
        stopMerges();
        snapshots.clear();
        state = state.with(SearchStatus.State.BUILDING, null);
        SearchThreads.after(0, () -> {
            turn.lock();
            try {
                if (!closed) {
                    drop();
                    pauseMillis = 0;
                }
            } finally {
                turn.unlock();
            }
            task(); // Others that have failed do not put it off.
        });
    }

    private void stopMerges() {
        OwnIndex index = own;
        if (index != null) {
            index.stopMerges();
        }
    }

    /** Closes it and deletes its files. */
    void discard() {
        closed = true;
        stopMerges();
        turn.lock();
        try {
            drop();
        } finally {
            turn.unlock();
        }
    }

    /** Brings it up to date and removes deleted texts from its files; when that fails, removes the files. */
    void purge() {
        turn.lock();
        try {
            if (closed || (own == null && !Files.exists(path))) {
                return;
            }
            round();
            if (own != null && !place.isOfVectors()) {
                own.purge();
                durable = own.position();
                snapshots.replace(own);
            }
            if (own == null || own.hasDeletions()) {
                // A graph of neighbours cannot lose nodes in place. A merge or a round for which there is no memory or
                // disk now would leave the texts in the files. A cleanup does not wait until the index is made again.
                drop();
                later(0);
            }
        } catch (EntityFeed.StoppedException e) {
            LOG.debug("{}: stopped", path);
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}: the search index is built anew after a cleanup: {}", path, e.toString());
            drop();
            later(0);
        } finally {
            turn.unlock();
        }
    }

    /** Waits for the piece in progress, gives up a merge, and writes what it has. Before the tables are closed. */
    @Override
    public void close() {
        closed = true;
        next.cancel(false);
        stopMerges();
        turn.lock();
        try {
            if (own != null && own.position() > durable) {
                try {
                    own.commit();
                } catch (IOException | RuntimeException e) {
                    LOG.debug("{}: not committed at the end", path, e);
                }
            }
            snapshots.clear();
            abandon();
        } finally {
            turn.unlock();
        }
    }
}
