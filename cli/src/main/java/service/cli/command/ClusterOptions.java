package service.cli.command;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.boot.ClientConfig;
import service.cli.boot.Clusters;
import service.cli.boot.ServiceConfig;
import service.core.cluster.Cluster;

/** Which cluster: mixed into every command of {@code service cluster}. */
final class ClusterOptions {
    @Option(
            names = {"--config", "--cluster"},
            paramLabel = "DIR",
            description = "The cluster's directory (default: .).")
    private Path directory = Path.of(".");

    Cluster cluster() {
        return Clusters.at(directory);
    }

    /** A command for the same cluster, to be typed next. */
    String command(String words) {
        return "service cluster " + words + (directory.equals(Path.of(".")) ? "" : " --config " + directory);
    }

    /** The actor of a run: the one that was given, else the operator of the configuration, else none. */
    static @Nullable String actor(@Nullable String given) {
        return given != null
                ? given
                : ClientConfig.read(ServiceConfig.environment()).actor();
    }
}
