package service.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.Origin;
import service.core.schema.Catalog;

/** The operations on graphs that a cluster needs. The composition root implements it. One thread. */
public interface GraphPort {
    /** Whether there is anything at the place of a graph, be it a graph or not. */
    boolean exists(GraphPlace place);

    /** Whether the place holds what may be a graph: a directory, or the first events in a bucket. */
    boolean isGraph(GraphPlace place);

    /**
     * The ids of the graphs of a root, sorted; without what unfinished operations have left there.
     *
     * @param root need not exist
     */
    List<String> list(RootAddress root);

    /**
     * Creates a graph: its log with the genesis commit, durable when this returns.
     *
     * @param place must be empty
     */
    void create(GraphPlace place, String graphId, Catalog catalog, @Nullable String actor);

    /** Looks at a graph without changing it. Another process may be writing it. */
    Observed observe(GraphPlace place);

    /**
     * The steps from the schema in force to another one, with what the live data says of them. Changes nothing.
     *
     * @param desired the source of the desired schema, which compiles
     * @throws service.core.error.ServiceException when the graph cannot be read
     */
    Migration planMigration(GraphPlace place, String graphId, String desired);

    /**
     * Changes the schema of {@code main} in one commit, durable when this returns.
     *
     * @param desired the source of the desired schema
     * @param dropsApproved whether types that hold entities may be dropped
     * @throws service.core.error.ServiceException CONFLICT when another process holds the writer lock or other branches
     *     exist, BAD_REQUEST when the data or a step does not allow it; nothing was changed
     */
    void migrate(GraphPlace place, String graphId, String desired, boolean dropsApproved, Origin origin);

    /**
     * Deletes a graph with its history. Its place is empty from one moment on; after a crash {@link #clear} removes the
     * rest.
     *
     * @throws service.core.error.ServiceException CONFLICT when another process holds the writer lock; nothing was
     *     changed
     */
    void delete(GraphPlace place);

    /** Removes what an interrupted {@link #create} or {@link #delete} has left beside the place of a graph. */
    void clear(GraphPlace place);

    /** Describes the process that has the graph open for writing, for a message; null when there is none. */
    @Nullable
    String writer(GraphPlace place);

    /**
     * The state of a graph.
     *
     * @param schemaSource the schema in force on {@code main}; null when the graph cannot be read
     * @param fault why it cannot be read; null when it can
     */
    record Observed(@Nullable String schemaSource, @Nullable String fault) {}

    /**
     * A planned change of schema.
     *
     * @param steps each a JSON object, in their order
     * @param refusals why it is not possible, each with its remedy; empty when it is possible
     * @param drops the dropped types that hold entities, each in words; they need an approval
     * @param codes those of the refusals and of the drops, such as {@code PG-DS-102}, each once
     */
    record Migration(List<String> steps, List<String> refusals, List<String> drops, List<String> codes) {}
}
