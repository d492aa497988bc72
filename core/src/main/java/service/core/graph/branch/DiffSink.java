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
     * @param digest the schema of the second state when it differs from the first; else null
     * @param steps the steps between the two schemas, as JSON objects; empty when the states are not in one history
     */
    void begin(@Nullable String digest, List<String> steps);

    /**
     * Takes a change.
     *
     * @return false when the page is full and the change was not taken
     */
    boolean change(Catalog before, Catalog after, EntityChange change);
}
