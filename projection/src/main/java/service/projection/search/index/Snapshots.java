package service.projection.search.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What searches read of an index: its last snapshots. One thread makes them; any thread takes them. */
final class Snapshots {
    /** Older ones serve searches whose transaction began before the newest one was made. */
    private static final int KEPT = 4;

    private final List<IndexSnapshot> snapshots = new ArrayList<>();
    private final KnownViews views;

    /** @param views what searches learned about views of the graph */
    Snapshots(KnownViews views) {
        this.views = views;
    }

    /** Makes a snapshot of what an index has, unless there is one. */
    void publish(OwnIndex index) throws IOException {
        IndexSnapshot newest = newest();
        if (newest == null || newest.position() != index.position()) {
            add(index.snapshot(newest, views.memory()), KEPT - 1);
        }
    }

    /** Replaces all snapshots, because they keep files open that are deleted. */
    void replace(OwnIndex index) throws IOException {
        add(index.snapshot(newest(), views.memory()), 0);
    }

    WorkTimes times() {
        return views.times();
    }

    private void add(IndexSnapshot made, int kept) {
        List<IndexSnapshot> dropped;
        synchronized (this) {
            dropped = dropped(kept);
            snapshots.addFirst(made);
        }
        forget(dropped);
    }

    /** Closes all, once nobody reads them. */
    void clear() {
        List<IndexSnapshot> dropped;
        synchronized (this) {
            dropped = dropped(0);
        }
        forget(dropped);
    }

    private List<IndexSnapshot> dropped(int kept) {
        List<IndexSnapshot> old = snapshots.subList(Math.min(kept, snapshots.size()), snapshots.size());
        List<IndexSnapshot> dropped = List.copyOf(old);
        old.clear();
        return dropped;
    }

    private void forget(List<IndexSnapshot> dropped) {
        List<IndexSnapshot> used;
        synchronized (this) {
            used = List.copyOf(snapshots);
        }
        dropped.forEach(each -> each.retire(used));
        dropped.forEach(views::forget);
        dropped.forEach(IndexSnapshot::give);
    }

    /** The newest one; null without one. */
    synchronized @Nullable IndexSnapshot newest() {
        return snapshots.isEmpty() ? null : snapshots.getFirst();
    }

    /** Offset of the newest one; −1 without one. */
    long position() {
        IndexSnapshot newest = newest();
        return newest == null ? -1 : newest.position();
    }

    /** How many texts of a field the newest one has. */
    long indexed(IndexedField field) {
        IndexSnapshot newest = newest();
        return newest == null ? 0 : newest.texts(field).texts();
    }

    /** How many documents the newest one has. */
    long documents() {
        IndexSnapshot newest = newest();
        return newest == null ? 0 : newest.documents();
    }

    /** How many documents of the newest one are replaced or deleted. */
    long deleted() {
        IndexSnapshot newest = newest();
        return newest == null ? 0 : newest.deleted();
    }

    /**
     * The newest one that is not ahead of a transaction, kept open; the caller gives it back.
     *
     * @param applied the last offset of the tables in the transaction
     */
    synchronized @Nullable IndexSnapshot take(long applied) {
        for (IndexSnapshot snapshot : snapshots) {
            if (snapshot.position() <= applied && snapshot.take()) {
                return snapshot;
            }
        }
        return null;
    }
}
