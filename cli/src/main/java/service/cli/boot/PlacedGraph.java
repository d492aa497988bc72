package service.cli.boot;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.event.SchemaChange;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.EntityType;
import service.log.backup.BackupManifest;
import service.projection.apply.CatchUp;
import service.projection.storage.Compaction;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ServedStorage;
import service.projection.storage.StorageOptions;
import service.projection.storage.StoredGraph;

/**
 * What can be done with a graph where it is stored. {@link StorageKinds} makes the one that fits its place. One thread.
 */
interface PlacedGraph {
    /** What commands open a graph with. */
    StorageOptions OPTIONS = StorageOptions.defaults();

    /** Whether there is anything at the place. */
    boolean exists();

    /** Whether there is what may be a graph. */
    boolean isGraph();

    /**
     * Creates a graph, all or nothing.
     *
     * @throws service.core.error.ServiceException CONFLICT when there is one
     */
    void create(Catalog catalog, @Nullable String actor);

    /** Opens the graph for writing. */
    LmdbGraphStorage open(StorageOptions options);

    /**
     * Checks what can be checked of a graph without opening it, and takes what a process that serves it must hold while
     * it is not open.
     *
     * @param options to open it for writing
     */
    GraphOpening.Place<LmdbGraphStorage> know(StorageOptions options);

    /**
     * As {@link #know}, for a process that only reads the graph. What it opens polls for new commits.
     *
     * @param every how often to poll
     * @param patience how long an opening waits while the process that writes makes the tables, where both share them
     */
    GraphOpening.Place<ServedStorage> knowForReading(
            StorageOptions options, Duration every, Supplier<Duration> patience);

    /** Opens the graph for reading; another process may be writing it. */
    StoredGraph openForReading();

    /** Returns the disk space that cleanup has freed on this machine. */
    Compaction.Report compact();

    /**
     * Makes the tables again from the log.
     *
     * @param progress called with the last offset of each replayed batch
     */
    CatchUp.Result rebuild(LongConsumer progress);

    /**
     * Runs work that reads the files of the graph: those in its directory, or a whole copy of them.
     *
     * @param work gets the directory
     */
    <T> T withFiles(Function<Path, T> work);

    /**
     * As {@link #withFiles}, with a copy for which every object of the graph was read and checked.
     *
     * @throws service.core.event.EventFormatException naming an object that is damaged or missing
     */
    <T> T withCheckedFiles(Function<Path, T> work);

    /**
     * Makes the graph from a backup, all or nothing.
     *
     * @param file the backup
     * @throws service.core.error.ServiceException CONFLICT when there is one; BAD_REQUEST when the file is no backup
     */
    BackupManifest restore(Path file, LongConsumer progress) throws IOException;

    /** Deletes the graph: its place holds no graph from one moment on. */
    void delete();

    /** Removes what an interrupted {@link #create} or {@link #delete} has left. */
    void clear();

    /** Describes the process that has the graph open for writing; null when there is none, or it cannot be known. */
    @Nullable
    String writer();

    /** The schema change of a graph's first commit: it adds every type of the schema. */
    static SchemaChange genesis(Catalog catalog) {
        List<String> steps = new ArrayList<>();
        catalog.nodes().forEach(type -> steps.add(addType(type)));
        catalog.edges().forEach(type -> steps.add(addType(type)));
        return new SchemaChange(catalog.source(), catalog.digest(), CatalogCodec.encode(catalog), steps);
    }

    private static String addType(EntityType type) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("step", "add_type")
                .put("kind", type.kind().wireName())
                .put("type_name", type.name())
                .toString();
    }
}
