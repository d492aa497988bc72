package service.cli.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.schema.Catalog;
import service.log.backup.BackupManifest;
import service.log.files.DurableFiles;
import service.log.files.FileTrees;
import service.log.format.DirectoryLog;
import service.log.format.GraphLock;
import service.log.lmdb.FileMask;
import service.projection.apply.CatchUp;
import service.projection.storage.Compaction;
import service.projection.storage.GraphBackup;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ReadOnlyGraphStorage;
import service.projection.storage.ServedStorage;
import service.projection.storage.StorageOptions;
import service.projection.storage.StoredGraph;

/** A graph in a directory of this machine. The directory of a new graph appears complete or not at all. */
record GraphInDirectory(Path directory) implements PlacedGraph {
    /** The ids of the graphs in a folder, sorted. The folder need not exist. */
    static List<String> list(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(Files::isDirectory)
                    .map(entry -> String.valueOf(entry.getFileName()))
                    .filter(name -> !name.startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean exists() {
        return Files.exists(directory);
    }

    @Override
    public boolean isGraph() {
        return Files.isDirectory(directory);
    }

    @Override
    public void create(Catalog catalog, @Nullable String actor) {
        Path absolute = directory.toAbsolutePath().normalize();
        if (Files.exists(absolute)) {
            throw ServiceException.conflict(directory + " exists already; name a directory that does not");
        }
        Path draft = draft(absolute);
        FileMask.restrict();
        try {
            FileTrees.delete(draft);
            Files.createDirectories(absolute.getParent());
            LmdbGraphStorage.create(draft, OPTIONS, PlacedGraph.genesis(catalog), actor)
                    .close();
            DurableFiles.move(draft, absolute);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public LmdbGraphStorage open(StorageOptions options) {
        if (!isOfCluster()) {
            return LmdbGraphStorage.open(directory, options);
        }
        GraphLock beside = GraphLock.takeBeside(directory, GraphLock.Purpose.SERVING);
        try {
            return LmdbGraphStorage.open(
                    new DirectoryLog(directory, options.log(), options.hook(), beside::close), options);
        } catch (RuntimeException | Error e) {
            beside.close();
            throw e;
        }
    }

    /** The lock beside the graph keeps other processes that write away while the graph is closed. */
    @Override
    public GraphOpening.Place<LmdbGraphStorage> know(StorageOptions options) {
        GraphLock beside = GraphLock.takeBeside(directory, GraphLock.Purpose.SERVING);
        DirectoryLog log = new DirectoryLog(directory, options.log(), options.hook());
        try {
            log.requireGraph();
        } catch (RuntimeException | Error e) {
            beside.close();
            throw e;
        }
        return new GraphOpening.Place<>(() -> LmdbGraphStorage.open(log, options), beside::close);
    }

    @Override
    public GraphOpening.Place<ServedStorage> knowForReading(
            StorageOptions options, Duration every, Supplier<Duration> patience) {
        new DirectoryLog(directory, options.log(), options.hook()).requireGraph();
        return new GraphOpening.Place<>(
                () -> ReadOnlyGraphStorage.follow(directory, options, every, patience.get()), () -> {});
    }

    /** The folder of a store is its user's, so no lock stays there. */
    private boolean isOfCluster() {
        Path graphs = directory.getParent();
        return graphs != null && graphs.endsWith("graphs");
    }

    @Override
    public StoredGraph openForReading() {
        return ReadOnlyGraphStorage.open(directory, OPTIONS);
    }

    @Override
    public Compaction.Report compact() {
        return Compaction.run(directory, OPTIONS);
    }

    @Override
    public CatchUp.Result rebuild(LongConsumer progress) {
        return LmdbGraphStorage.rebuild(directory, OPTIONS, progress);
    }

    @Override
    public <T> T withFiles(Function<Path, T> work) {
        return work.apply(directory);
    }

    @Override
    public <T> T withCheckedFiles(Function<Path, T> work) {
        return work.apply(directory);
    }

    @Override
    public BackupManifest restore(Path file, LongConsumer progress) throws IOException {
        GraphLock beside = GraphLock.takeBeside(directory, GraphLock.Purpose.RESTORING);
        try {
            return GraphBackup.restore(file, directory, OPTIONS, progress);
        } finally {
            if (isOfCluster()) {
                beside.close();
            } else {
                beside.remove();
            }
        }
    }

    @Override
    public void delete() {
        Path deleted = deleted();
        // A server may know the graph without having it open.
        GraphLock beside = GraphLock.takeBeside(directory, GraphLock.Purpose.SERVING);
        try (GraphLock lock = GraphLock.take(directory, GraphLock.Purpose.WRITING)) {
            FileTrees.delete(deleted);
            DurableFiles.move(lock.directory(), deleted);
            FileTrees.delete(deleted);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            beside.remove();
        }
    }

    @Override
    public void clear() {
        try {
            FileTrees.delete(deleted());
            FileTrees.delete(draft(directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The place beside a graph where {@link #create} makes it. */
    private static Path draft(Path directory) {
        return directory.resolveSibling("." + directory.getFileName() + ".new");
    }

    private Path deleted() {
        return directory.resolveSibling("." + directory.getFileName() + ".deleted");
    }

    @Override
    public @Nullable String writer() {
        return GraphLock.holderOf(directory);
    }
}
