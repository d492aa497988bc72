package service.projection.search.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.SearchStatus;
import service.core.value.Ulid;
import service.log.files.FileTrees;
import service.projection.search.SearchOptions;

/**
 * Makes the index of {@code main} follow the tables. It reads what changed in the table of arrivals and the texts in
 * the records, never the log, so it needs no place in the log: its position is in the commit of Lucene. When the
 * arrivals after it are not known any more, it begins again with all records.
 *
 * <p>It works in rounds on the threads of {@link SearchThreads}, one at a time: some time after a commit, and again
 * after a growing pause when a round has failed. Commits never wait for it.
 */
final class Indexer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Indexer.class);

    /** Older ones serve searches whose transaction began before the newest one was made. */
    private static final int SNAPSHOTS = 4;

    /** From so many events on the index does not wait. */
    private static final int EVENTS_SOON = 1_000;

    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_MILLIS_MAX = 60_000;
    private static final long PAUSED_MILLIS = 5_000;

    private final Path path;
    private final Ulid graph;
    private final SearchOptions options;
    private final EntityFeed feed;

    /** Held during a round. */
    private final ReentrantLock turn = new ReentrantLock();

    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean persisting = new AtomicBoolean();
    private final Object publishing = new Object();
    private final List<IndexSnapshot> snapshots = new ArrayList<>();
    private volatile boolean closed;
    private volatile long committed = -1;
    private volatile State state = new State(SearchStatus.State.BUILDING, null, List.of(), 0);

    // Under the turn.
    private @Nullable OwnIndex own;
    private long durable = -1;
    private long durableNanos;
    private long pauseMillis;

    /** What the index does, for its status. */
    record State(SearchStatus.State what, @Nullable String reason, List<IndexedField> fields, long bytes) {
        State with(SearchStatus.State now, @Nullable String why) {
            return new State(now, why, fields, bytes);
        }
    }

    /** @param path of the directory of the index */
    Indexer(Path path, Ulid graph, SearchOptions options, EntityFeedSource source) {
        this.path = path;
        this.graph = graph;
        this.options = options;
        this.feed = source.open(() -> closed);
    }

    /** Makes the feed of an indexer. */
    interface EntityFeedSource {
        /**
         * Makes one.
         *
         * @param stopped whether to give up
         */
        EntityFeed open(java.util.function.BooleanSupplier stopped);
    }

    State state() {
        return state;
    }

    /** Tells that events are in the tables. Returns at once; any thread. */
    void committed(long offset) {
        committed = offset;
        IndexSnapshot newest = newest();
        boolean soon = newest != null && offset - newest.position() >= EVENTS_SOON;
        later(soon ? 0 : options.refresh().toMillis());
    }

    private void later(long millis) {
        if (!closed && scheduled.compareAndSet(false, true)) {
            SearchThreads.after(millis, this::task);
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
        pauseMillis = Math.clamp(2 * pauseMillis, 1_000, PAUSE_MILLIS_MAX);
        LOG.warn(
                "{}: the search index {}; searches read the records, and it is tried again in {} s: {}",
                path,
                isDamaged ? "is damaged and is built anew" : "does not follow",
                pauseMillis / 1_000,
                e.toString());
        LOG.debug("the failure", e);
        abandon();
        if (isDamaged) {
            drop();
        }
        state = state.with(SearchStatus.State.FAILED, String.valueOf(e.getMessage()));
        later(pauseMillis);
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
        unpublish(0);
        FileTrees.deleteOrWarn(path);
        durable = -1;
    }

    private void round() throws IOException {
        EntityFeed.Head head = feed.head();
        if (head.fields().isEmpty()) {
            if (own != null || Files.exists(path)) {
                drop();
            }
            state = new State(SearchStatus.State.READY, null, List.of(), 0);
            return;
        }
        if (Files.getFileStore(existing()).getUsableSpace() < options.diskReserveBytes()) {
            abandon();
            state = new State(
                    SearchStatus.State.PAUSED,
                    "less than " + options.diskReserveBytes() + " bytes of the disk are free",
                    head.fields(),
                    state.bytes());
            later(PAUSED_MILLIS);
            return;
        }
        OwnIndex index = follow(opened(head), head);
        publish(index);
        if (System.nanoTime() - durableNanos >= COMMIT_NANOS || durable < 0) {
            persist(index);
        } else if (index.position() > durable) {
            persistLater();
        }
        state = new State(SearchStatus.State.READY, null, head.fields(), index.bytes());
        if (index.position() < committed) {
            later(options.refresh().toMillis());
        }
    }

    private Path existing() {
        Path folder = path.toAbsolutePath();
        while (!Files.exists(folder) && folder.getParent() != null) {
            folder = folder.getParent();
        }
        return folder;
    }

    private void persist(OwnIndex index) throws IOException {
        index.commit();
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
        index = OwnIndex.open(path, graph, head.fields(), head.applied());
        if (index == null) {
            if (Files.exists(path)) {
                LOG.info("{}: the search index does not fit the graph and is built anew", path);
            }
            index = OwnIndex.create(path, graph, head.fields());
        }
        durable = index.position();
        durableNanos = System.nanoTime();
        own = index;
        return index;
    }

    private static List<String> marks(List<IndexedField> fields) {
        return fields.stream().map(IndexedField::mark).sorted().toList();
    }

    /** Brings the index to the offset of the tables, or builds it there. */
    private OwnIndex follow(OwnIndex from, EntityFeed.Head head) throws IOException {
        OwnIndex index = from;
        while (index.position() < head.applied()) {
            try {
                EntityFeed.Changes changes =
                        index.position() < 0 ? null : feed.changes(index.position(), head.applied());
                if (changes != null) {
                    feed.apply(index, changes);
                    index.reached(changes.through());
                    continue;
                }
                if (index.position() >= 0) {
                    LOG.info("{}: the search index is built anew: not all changes since are known", path);
                    drop();
                    index = OwnIndex.create(path, graph, head.fields());
                    own = index;
                }
                state = new State(SearchStatus.State.BUILDING, null, head.fields(), 0);
                feed.all(index, head.applied());
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

    private void publish(OwnIndex index) throws IOException {
        IndexSnapshot newest = newest();
        if (newest != null && newest.position() == index.position()) {
            return;
        }
        IndexSnapshot made = index.snapshot(newest);
        synchronized (publishing) {
            snapshots.addFirst(made);
        }
        unpublish(SNAPSHOTS);
    }

    private void unpublish(int kept) {
        List<IndexSnapshot> dropped;
        synchronized (publishing) {
            List<IndexSnapshot> old = snapshots.subList(Math.min(kept, snapshots.size()), snapshots.size());
            dropped = List.copyOf(old);
            old.clear();
        }
        dropped.forEach(SearchMemory.SHARED::forget);
        dropped.forEach(IndexSnapshot::give);
    }

    private @Nullable IndexSnapshot newest() {
        synchronized (publishing) {
            return snapshots.isEmpty() ? null : snapshots.getFirst();
        }
    }

    /** Offset of the newest snapshot; −1 without one. */
    long position() {
        IndexSnapshot newest = newest();
        return newest == null ? -1 : newest.position();
    }

    /** How many texts of a field the newest snapshot has. */
    long indexed(IndexedField field) {
        IndexSnapshot newest = newest();
        return newest == null ? 0 : newest.texts(field).texts();
    }

    /**
     * The newest snapshot that is not ahead of a transaction, kept open; the caller gives it back.
     *
     * @param applied the last offset of the tables in the transaction
     */
    @Nullable
    IndexSnapshot take(long applied) {
        synchronized (publishing) {
            for (IndexSnapshot snapshot : snapshots) {
                if (snapshot.position() <= applied && snapshot.take()) {
                    return snapshot;
                }
            }
            return null;
        }
    }

    /** A search could not read it. */
    void damaged(Exception e) {
        LOG.warn("{}: the search index cannot be read and is built anew: {}", path, e.toString());
        rebuild();
    }

    /** Drops the index and builds it again, on another thread. */
    void rebuild() {
        unpublish(0);
        state = state.with(SearchStatus.State.BUILDING, null);
        SearchThreads.after(0, () -> {
            turn.lock();
            try {
                if (!closed) {
                    drop();
                }
            } finally {
                turn.unlock();
            }
            later(0);
        });
    }

    /** Brings it up to date and removes deleted texts from its files; when that fails, removes the files. */
    void purge() {
        turn.lock();
        try {
            if (closed || (own == null && !Files.exists(path))) {
                return;
            }
            round();
            if (own != null) {
                own.purge();
                durable = own.position();
                publishAgain(own);
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

    /** Replaces all snapshots, because they keep files open that are deleted. */
    private void publishAgain(OwnIndex index) throws IOException {
        IndexSnapshot made = index.snapshot(newest());
        unpublish(0);
        synchronized (publishing) {
            snapshots.addFirst(made);
        }
    }

    /** Waits for the piece in progress and writes what the index has. Call it before the tables are closed. */
    @Override
    public void close() {
        closed = true;
        turn.lock();
        try {
            if (own != null && own.position() > durable) {
                try {
                    own.commit();
                } catch (IOException | RuntimeException e) {
                    LOG.debug("{}: not committed at the end", path, e);
                }
            }
            unpublish(0);
            abandon();
        } finally {
            turn.unlock();
        }
    }
}
