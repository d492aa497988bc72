package service.core.graph.branch;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.EntityChange;
import service.core.schema.Catalog;

/** Takes one page of a diff. Called on one thread, with no read transaction open. */
public interface DiffSink {
    /**
     * Begins the page.
     *
     * @param digest the schema after, where it is another one than before; else null
     * @param steps the steps that led there, as JSON objects; empty where the way is not a history
     */
    void begin(@Nullable String digest, List<String> steps);

    /**
     * Takes a change.
     *
     * @return false when there is no room: nothing was taken
     */
    boolean change(Catalog before, Catalog after, EntityChange change);
}
