package service.projection.storage;

import com.google.errorprone.annotations.MustBeClosed;
import java.time.Duration;
import service.core.port.GraphSession;

/** A graph that a server has open, and closes while nothing uses it. Any thread. */
public interface ServedStorage extends StoredGraph {
    /**
     * As {@link #session()}.
     *
     * @param ended called when the session is closed; not when this throws
     */
    @MustBeClosed
    GraphSession session(Runnable ended);

    @MustBeClosed
    @Override
    default GraphSession session() {
        return session(() -> {});
    }

    /** Offset of the last event that sessions show. */
    default long shownOffset() {
        try (GraphSession session = session()) {
            return session.appliedOffset();
        }
    }

    /** Whether no background work runs that closing would interrupt. */
    boolean isQuiet();

    /**
     * Takes in what other processes commit from now on, until this is closed. Does nothing where none may write the
     * graph, and where this does so since it was opened.
     *
     * @param every how often to poll for new commits
     */
    default void followOthers(Duration every) {}

    /**
     * Whether other processes have deleted events that this one lacks, so that the graph must be closed and opened
     * again. Until then writes and reads of the newest state are NOT_YET_HERE, and plain reads go on.
     */
    default boolean isLeftBehind() {
        return false;
    }
}
