package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;

/**
 * Deletes a graph from a bucket. First it creates an object at the place of the next segment, so that a server which
 * still writes the graph is fenced. Then it deletes the first segment: from that moment on there is no graph. The
 * object that fences is deleted last. The caller holds the lock of the cluster.
 */
public final class GraphRemoval {
    private static final int PAGE = 1_000;
    private static final byte[] FENCE = "deleted\n".getBytes(StandardCharsets.US_ASCII);

    private GraphRemoval() {}

    /** Deletes a graph. */
    public static void run(ObjectStore store, String graphId) {
        SegmentStore segments = new SegmentStore(store, graphId);
        long end;
        do {
            end = end(segments);
        } while (end >= 0 && !store.putIfAbsent(segments.key(end), FENCE));
        store.delete(segments.key(0));
        rest(store, graphId);
    }

    /** Deletes what a deletion has left that was interrupted. There is no graph any more. */
    public static void rest(ObjectStore store, String graphId) {
        List<String> page;
        do {
            page = store.list("graphs/" + graphId + "/", "", PAGE);
            page.forEach(store::delete);
        } while (!page.isEmpty());
    }

    /** The offset behind the last segment; −1 when its last object is no segment, as when the graph is fenced. */
    private static long end(SegmentStore segments) {
        long last = -1;
        List<Long> page;
        do {
            page = segments.firstOffsets(last, PAGE);
            last = page.isEmpty() ? last : page.getLast();
        } while (page.size() == PAGE);
        try (@Nullable InputStream object = last < 0 ? null : segments.read(segments.key(last))) {
            return object == null ? -1 : SegmentHeader.read(object).last() + 1;
        } catch (IOException noSegment) {
            return -1;
        }
    }
}
