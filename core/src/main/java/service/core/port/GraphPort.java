package service.core.port;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.schema.Catalog;

/** The operations on graphs that a cluster needs. The composition root implements it. One thread. */
public interface GraphPort {
    /** Whether there is anything at the place of a graph, be it a graph or not. */
    boolean exists(Path directory);

    /** Whether there is a directory at the place of a graph. */
    boolean isDirectory(Path directory);

    /**
     * The ids of the directories in a folder of graphs, sorted; without what unfinished operations have left there.
     *
     * @param folder need not exist
     */
    List<String> list(Path folder);

    /**
     * Creates a graph: its log with the genesis commit, durable when this returns.
     *
     * @param directory must not exist
     */
    void create(Path directory, String graphId, Catalog catalog, @Nullable String actor);

    /** Looks at a graph without changing it. Another process may be writing it. */
    Observed observe(Path directory);

    /**
     * The steps from the schema in force to another one, with what the live data says of them. Changes nothing.
     *
     * @param desired the source of the desired schema, which compiles
     * @throws service.core.error.ServiceException when the graph cannot be read
     */
    Migration planMigration(Path directory, String graphId, String desired);

    /**
     * Changes the schema of {@code main} in one commit, durable when this returns.
     *
     * @param desired the source of the desired schema
     * @param dropsApproved whether types that hold entities may be dropped
     * @throws service.core.error.ServiceException CONFLICT when another process holds the writer lock or other branches
     *     exist, BAD_REQUEST when the data or a step does not allow it; nothing was changed
     */
    void migrate(Path directory, String graphId, String desired, boolean dropsApproved, @Nullable String actor);

    /**
     * Deletes a graph with its history. Its place is empty from one moment on; after a crash {@link #clear} removes the
     * rest.
     *
     * @throws service.core.error.ServiceException CONFLICT when another process holds the writer lock; nothing was
     *     changed
     */
    void delete(Path directory);

    /** Removes what an interrupted {@link #create} or {@link #delete} has left beside the place of a graph. */
    void clear(Path directory);

    /** Describes the process that has the graph open for writing, for a message; null when there is none. */
    @Nullable
    String writer(Path directory);

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
     */
    record Migration(List<String> steps, List<String> refusals, List<String> drops) {}
}
