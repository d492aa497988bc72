package service.cli.command;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.boot.ClientConfig;
import service.cli.boot.Clusters;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;
import service.core.cluster.Cluster;
import service.core.error.ServiceException;
import service.core.port.RootAddress;

/**
 * Which cluster: mixed into every command of {@code service cluster}. A directory has the files, which name the root. A
 * URI is the root itself; a command that needs files as well takes them from {@code --config}, or else from the working
 * directory.
 */
final class ClusterOptions {
    private static final String HERE = ".";
    private static final String FILE = "cluster.yaml";

    @Option(
            names = "--config",
            paramLabel = "DIR",
            description = "The directory with the files of the cluster (default: .).")
    private @Nullable String config;

    @Option(
            names = "--cluster",
            paramLabel = "DIR|URI",
            description = {
                "The same directory, or the root of the cluster, such as s3://bucket/prefix.",
                "With a root, status, refresh and force-unlock need no files; others take those of --config."
            })
    private @Nullable String cluster;

    /** The cluster with the files that were named; without them where only the root was. */
    Cluster cluster() {
        return at(files());
    }

    /** The cluster with its files, for a command that compares them with what is applied or writes them. */
    Cluster clusterWithFiles() {
        Path files = filesOrHere();
        if (files == null) {
            throw CommandFailure.usage(
                    "this needs the files of the cluster as well, and there is no %s in the working directory; add --config DIR, the directory with it"
                            .formatted(FILE));
        }
        return at(files);
    }

    /** The cluster with its files if there are any. */
    Cluster clusterWithFilesIfAny() {
        return at(filesOrHere());
    }

    private Cluster at(@Nullable Path files) {
        String root = root();
        if (root == null) {
            return Clusters.at(Objects.requireNonNull(files).toString());
        }
        return files == null ? Clusters.at(root) : Clusters.at(files, root);
    }

    /** The directory that was named, or the working directory where nothing was; null where only a root was named. */
    private @Nullable Path files() {
        String given = config == null || RootAddress.isUri(config) ? null : config;
        String place = cluster == null ? null : address(cluster);
        if (place != null && config != null && (given == null || !RootAddress.isUri(place))) {
            throw CommandFailure.usage(
                    "--config is the directory with %s, and --cluster beside it is a root such as s3://bucket/prefix"
                            .formatted(FILE));
        }
        if (given != null) {
            return Path.of(given);
        }
        if (place != null && !RootAddress.isUri(place)) {
            return Path.of(place);
        }
        return root() == null ? Path.of(HERE) : null;
    }

    private @Nullable Path filesOrHere() {
        Path named = files();
        return named == null && Files.exists(Path.of(HERE, FILE)) ? Path.of(HERE) : named;
    }

    /** The root that was named; null where only a directory was, or nothing. */
    private @Nullable String root() {
        String place = cluster != null ? address(cluster) : config == null ? HERE : checked(config);
        return RootAddress.isUri(place) ? place : null;
    }

    /**
     * The directory or root that the option {@code --cluster} of a command names.
     *
     * @param given a directory, a URI, or the name of a cluster of the configuration
     */
    static String address(String given) {
        return checked(ClientConfig.read(ServiceConfig.environment()).clusterRoot(given));
    }

    /** An address of a cluster; a URI that names no root is a mistake in the command line. */
    static String checked(String address) {
        if (RootAddress.isUri(address)) {
            try {
                RootAddress.ofUri(address);
            } catch (ServiceException e) {
                throw CommandFailure.usage(e.getMessage());
            }
        }
        return address;
    }

    /** A command for the same cluster, to be typed next. */
    String command(String words) {
        return ProgramName.service() + " cluster " + words + option("--config", config) + option("--cluster", cluster);
    }

    private static String option(String name, @Nullable String value) {
        return value == null || value.equals(HERE) ? "" : " " + name + " " + ProgramName.word(value);
    }

    /** The actor of a run: the one that was given, else the operator of the configuration, else none. */
    static @Nullable String actor(@Nullable String given) {
        return given != null
                ? given
                : ClientConfig.read(ServiceConfig.environment()).actor();
    }
}
