package service.core.port;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import service.core.schema.Catalog;

/** What an apply does to graphs; the composition root knows how. One thread. */
public interface GraphPort {
    /**
     * Makes a graph: its log with the genesis commit, durable when this returns.
     *
     * @param directory does not exist yet
     */
    void create(Path directory, String graphId, Catalog catalog, @Nullable String actor);

    /**
     * The digest of the schema in force on a graph's {@code main}, as {@code Catalog.digest()} gives it, or null when
     * the directory holds no graph that can be opened.
     */
    @Nullable
    String schemaDigest(Path directory);

    /** Who writes to the graph now, in words for a message, or null when nobody does. */
    @Nullable
    String writer(Path directory);
}
