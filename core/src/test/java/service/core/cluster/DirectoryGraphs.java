package service.core.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import service.core.port.GraphPort;
import service.core.schema.Catalog;

/** Graphs that are directories with the digest of their schema, created by a rename like the real ones. */
final class DirectoryGraphs implements GraphPort {
    final List<String> created = new ArrayList<>();
    Runnable beforeCreate = () -> {};
    Runnable afterCreate = () -> {};

    @Override
    public boolean exists(Path directory) {
        return Files.exists(directory);
    }

    @Override
    public boolean isDirectory(Path directory) {
        return Files.isDirectory(directory);
    }

    @Override
    public void create(Path directory, String graphId, Catalog catalog, String actor) {
        beforeCreate.run();
        try {
            Path beside = directory.resolveSibling(graphId + ".new");
            Files.createDirectories(beside);
            Files.writeString(beside.resolve("schema"), catalog.digest());
            Files.move(beside, directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        created.add(graphId);
        afterCreate.run();
    }

    @Override
    public String schemaDigest(Path directory) {
        try {
            return Files.readString(directory.resolve("schema"));
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public String writer(Path directory) {
        return null;
    }
}
