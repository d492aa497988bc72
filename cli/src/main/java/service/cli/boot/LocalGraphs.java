package service.cli.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.EventFormatException;
import service.core.graph.request.ReadTarget;
import service.core.port.GraphPort;
import service.core.schema.Catalog;
import service.log.format.GraphLock;
import service.log.lmdb.StorageFailure;

/** The graphs of a cluster in directories of this machine. */
record LocalGraphs() implements GraphPort {
    @Override
    public boolean exists(Path directory) {
        return Files.exists(directory);
    }

    @Override
    public boolean isDirectory(Path directory) {
        return Files.isDirectory(directory);
    }

    @Override
    public List<String> list(Path folder) {
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
    public void create(Path directory, String graphId, Catalog catalog, @Nullable String actor) {
        Stores.create(directory, catalog, actor);
    }

    @Override
    public Observed observe(Path directory) {
        try (OpenedGraph opened = OpenedGraph.reading(
                new GraphDirectory(directory, directory.getFileName().toString()), Engine.ofProcess())) {
            return new Observed(opened.graph().schema(ReadTarget.MAIN).source(), null);
        } catch (ServiceException | EventFormatException | StorageFailure e) {
            return new Observed(null, "it cannot be opened: " + e.getMessage());
        }
    }

    @Override
    public Migration planMigration(Path directory, String graphId, String desired) {
        return new Migration(
                List.of(), List.of("this build cannot migrate the schema of a graph; keep the applied one"), List.of());
    }

    @Override
    public void migrate(Path directory, String graphId, String desired, boolean dropsApproved, @Nullable String actor) {
        throw ServiceException.conflict("this build cannot migrate the schema of a graph; keep the applied one");
    }

    @Override
    public void delete(Path directory) {
        Path deleted = deleted(directory);
        try (GraphLock lock = GraphLock.take(directory, GraphLock.Purpose.WRITING)) {
            Directories.delete(deleted);
            Files.move(lock.directory(), deleted, StandardCopyOption.ATOMIC_MOVE);
            Directories.syncName(deleted);
            Directories.delete(deleted);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void clear(Path directory) {
        try {
            Directories.delete(deleted(directory));
            Directories.delete(Stores.draft(directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path deleted(Path directory) {
        return directory.resolveSibling("." + directory.getFileName() + ".deleted");
    }

    @Override
    public @Nullable String writer(Path directory) {
        return GraphLock.holderOf(directory);
    }
}
