package service.cli.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.event.SchemaChange;
import service.core.schema.Catalog;
import service.log.backup.BackupManifest;
import service.log.files.DurableFiles;
import service.log.files.FileTrees;
import service.log.format.DirectoryLog;
import service.log.format.EventLog;
import service.log.format.GraphLock;
import service.log.format.LogHome;
import service.log.group.GroupSink;
import service.projection.apply.CatchUp;
import service.projection.storage.Compaction;
import service.projection.storage.GraphBackup;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ReadOnlyGraphStorage;
import service.projection.storage.StorageOptions;
import service.projection.storage.StoredGraph;

/** A graph in a directory of this machine. */
record DirectoryGraph(Path directory) implements GraphHome {
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
        Stores.create(directory, catalog, actor);
    }

    @Override
    public LmdbGraphStorage open(StorageOptions options) {
        if (!isOfCluster()) {
            return LmdbGraphStorage.open(directory, options);
        }
        GraphLock beside = GraphLock.takeBeside(directory, GraphLock.Purpose.SERVING);
        try {
            DirectoryLog log = new DirectoryLog(directory, options.log(), options.hook());
            return LmdbGraphStorage.open(new Served(log, beside), options);
        } catch (RuntimeException | Error e) {
            beside.close();
            throw e;
        }
    }

    /** The folder of a store is its user's, so no lock stays there. */
    private boolean isOfCluster() {
        Path graphs = directory.getParent();
        return graphs != null && graphs.endsWith("graphs");
    }

    /** A log under the lock beside its directory, which is released when it is closed. */
    private record Served(LogHome log, GraphLock beside) implements LogHome {
        @Override
        public EventLog create(SchemaChange schema, @Nullable String actor, long nowMicros) {
            return log.create(schema, actor, nowMicros);
        }

        @Override
        public EventLog open() {
            return log.open();
        }

        @Override
        public GroupSink sink(EventLog events, Runnable settled) {
            return log.sink(events, settled);
        }

        @Override
        public void close(EventLog events, GroupSink sink) {
            try {
                log.close(events, sink);
            } finally {
                beside.close();
            }
        }
    }

    @Override
    public StoredGraph openForReading() {
        return ReadOnlyGraphStorage.open(directory, Stores.OPTIONS);
    }

    @Override
    public StoredGraph follow(StorageOptions options, Duration every) {
        return ReadOnlyGraphStorage.follow(directory, options, every);
    }

    @Override
    public Compaction.Report compact() {
        return Compaction.run(directory, Stores.OPTIONS);
    }

    @Override
    public CatchUp.Result rebuild(LongConsumer progress) {
        return LmdbGraphStorage.rebuild(directory, Stores.OPTIONS, progress);
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
            return GraphBackup.restore(file, directory, Stores.OPTIONS, progress);
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
        try (GraphLock lock = GraphLock.take(directory, GraphLock.Purpose.WRITING)) {
            FileTrees.delete(deleted);
            DurableFiles.move(lock.directory(), deleted);
            FileTrees.delete(deleted);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void clear() {
        try {
            FileTrees.delete(deleted());
            FileTrees.delete(Stores.draft(directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path deleted() {
        return directory.resolveSibling("." + directory.getFileName() + ".deleted");
    }

    @Override
    public @Nullable String writer() {
        return GraphLock.holderOf(directory);
    }
}
