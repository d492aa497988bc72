package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;

/**
 * Deletes a graph from a bucket. First it creates an object at the place of the next segment, the <em>fence</em>: a
 * server that still writes the graph cannot create a segment there. Then it deletes the first segment: from that moment
 * on there is no graph. The fence stays until a graph is made at the same place. The caller holds the lock of the
 * cluster.
 */
public final class GraphRemoval {
    private static final int PAGE = 1_000;
    private static final byte[] FENCE = "deleted\n".getBytes(StandardCharsets.US_ASCII);

    private final ObjectStore store;
    private final SegmentStore segments;
    private final String folder;

    /** @param graphId the name of the graph in its cluster */
    public GraphRemoval(ObjectStore store, String graphId) {
        this.store = store;
        this.segments = new SegmentStore(store, graphId);
        this.folder = "graphs/" + graphId + "/";
    }

    /** Deletes the graph. */
    public void run() {
        String last = last();
        while (last != null && !isFence(last)) {
            long end = end(last);
            if (end < 0 || store.putIfAbsent(segments.key(end), FENCE)) {
                break;
            }
            last = last();
        }
        store.delete(segments.key(0));
        rest();
    }

    /** Deletes what an interrupted deletion has left, except the fence. There must be no graph. */
    public void rest() {
        String last = last();
        delete(last != null && isFence(last) ? last : "");
    }

    /** Deletes the fence as well, for a new graph. There must be no graph. */
    public void everything() {
        delete("");
    }

    private void delete(String kept) {
        String after = "";
        List<String> page;
        do {
            page = store.list(folder, after, PAGE);
            after = page.isEmpty() ? after : page.getLast();
            store.deleteAll(page.stream().filter(key -> !key.equals(kept)).toList());
        } while (page.size() == PAGE);
    }

    /** Whether the place holds anything but the fence of a deleted graph. */
    public boolean isOccupied() {
        // A server that has not noticed the deletion may take the lease of the background work, or ask for a turn.
        List<String> keys = store.list(folder, "", 4).stream()
                .filter(key -> !segments.isNote(key))
                .toList();
        return keys.size() > 1 || (keys.size() == 1 && !isFence(keys.getFirst()));
    }

    /** The key of the last segment, or of the fence; null when there is neither. */
    private @Nullable String last() {
        long last = -1;
        List<Long> page;
        do {
            page = segments.firstOffsets(last, PAGE);
            last = page.isEmpty() ? last : page.getLast();
        } while (page.size() == PAGE);
        return last < 0 ? null : segments.key(last);
    }

    private boolean isFence(String key) {
        try (@Nullable InputStream object = segments.read(key)) {
            return object != null && Arrays.equals(object.readNBytes(FENCE.length + 1), FENCE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The offset after a segment; −1 when the object is damaged. */
    private long end(String key) {
        try (@Nullable InputStream object = segments.read(key)) {
            return object == null ? -1 : SegmentHeader.read(object).last() + 1;
        } catch (IOException noSegment) {
            return -1;
        }
    }
}
