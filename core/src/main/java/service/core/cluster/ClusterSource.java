package service.core.cluster;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import service.core.config.InvalidConfigException;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.port.ConfigFiles;
import service.core.port.RootAddress;

/**
 * Where the files and the root of a cluster are. At least one of {@code directory} and {@code named} is not null.
 *
 * @param directory the directory with {@code cluster.yaml}; null without the files
 * @param named the root that was named; null where the files name it
 */
record ClusterSource(
        @Nullable Path directory, @Nullable RootAddress named, QueryValidation queries, ClusterPorts ports) {
    boolean hasFiles() {
        return directory != null;
    }

    /**
     * The content of the files.
     *
     * @throws InvalidConfigException when they are not valid
     * @throws StartRefusedException {@code config_invalid} when their root is another one than the named one
     * @throws ServiceException BAD_REQUEST without files
     */
    ClusterConfig config() {
        ClusterConfig config = ClusterConfigReader.read(files(), queries);
        address(config.storage());
        return config;
    }

    /** The root of a configuration that {@link #config} has returned. */
    ClusterRoot root(ClusterConfig config) {
        return new ClusterRoot(address(config.storage()), ports.stores());
    }

    /**
     * The root. Of the files, only the entry {@code storage} is read.
     *
     * @throws InvalidConfigException when this entry cannot be read
     * @throws StartRefusedException {@code config_invalid} when it is no root, or another one than the named one
     */
    ClusterRoot root() {
        String storage = hasFiles() ? ClusterConfigReader.readStorage(files()) : null;
        return new ClusterRoot(address(storage), ports.stores());
    }

    /** The content of a file; empty when there is none. */
    String text(String path) {
        return hasFiles() && files().find(path) instanceof ConfigFiles.Text file ? file.text() : "";
    }

    /** The options of a command that name this cluster, with {@code DIR} for files that are not known. */
    String options() {
        String files = "--config " + (directory == null ? "DIR" : directory);
        return named == null ? files : files + " --cluster " + named.uri();
    }

    private ConfigFiles files() {
        return ports.files().open(requireDirectory());
    }

    /**
     * The directory with {@code cluster.yaml}.
     *
     * @throws ServiceException BAD_REQUEST without files
     */
    Path requireDirectory() {
        if (directory == null) {
            throw ServiceException.badRequest(
                    "this needs the files of the cluster as well: give --config DIR, the directory with its cluster.yaml");
        }
        return directory;
    }

    private RootAddress address(@Nullable String storage) {
        if (named == null) {
            return ClusterRoot.named(requireDirectory(), storage);
        }
        if (directory != null && storage != null) {
            RootAddress declared = ClusterRoot.named(directory, storage);
            if (!declared.equals(named)) {
                throw new StartRefusedException(
                        "config_invalid",
                        "the storage in %s is %s, but --cluster names %s; remove one of the two"
                                .formatted(directory.resolve(ClusterConfigReader.FILE), declared.uri(), named.uri()));
            }
        }
        return named;
    }
}
