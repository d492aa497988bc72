package service.core.graph.branch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;

/**
 * The events that changed one entity, on all branches, newest first. The tables know them, so that the cost grows with
 * the changes of the entity and not with those of the graph. Of those that cleanup has reclaimed some are missing. One
 * thread, with its session.
 */
final class EntityEvents {
    private static final int CHUNK = 256;

    private final GraphSession session;
    private final int type;
    private final String id;
    private final Deque<CommitPosition> found = new ArrayDeque<>();
    private long before;
    private boolean ended;

    /**
     * The events of an entity.
     *
     * @param type its type's identity
     * @param before only events before this offset
     */
    EntityEvents(GraphSession session, int type, String id, long before) {
        this.session = session;
        this.type = type;
        this.id = id;
        this.before = before;
    }

    /** The next event, or null at the end. */
    @Nullable
    CommitPosition next() {
        if (found.isEmpty() && !ended) {
            List<CommitPosition> chunk = session.changesOf(type, id, before, CHUNK);
            ended = chunk.size() < CHUNK;
            found.addAll(chunk);
            before = chunk.isEmpty() ? 0 : chunk.getLast().offset();
        }
        return found.poll();
    }
}
