package service.core.port;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import service.core.schema.Catalog;

/** The operations on graphs that a cluster needs. The composition root implements it. One thread. */
public interface GraphPort {
    /** Whether there is anything at the place of a graph, be it a graph or not. */
    boolean exists(Path directory);

    /** Whether there is a directory at the place of a graph. */
    boolean isDirectory(Path directory);

    /**
     * Creates a graph: its log with the genesis commit, durable when this returns.
     *
     * @param directory must not exist
     */
    void create(Path directory, String graphId, Catalog catalog, @Nullable String actor);

    /**
     * The digest of the schema in force on a graph's {@code main}, as {@code Catalog.digest()} returns it; null when
     * the directory holds no graph that can be opened.
     */
    @Nullable
    String schemaDigest(Path directory);

    /** Describes the process that has the graph open for writing, for a message; null when there is none. */
    @Nullable
    String writer(Path directory);
}
