package service.cli.command;

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
            paramLabel = "DIR|URI",
            description = {
                "The cluster's directory (default: .).",
                "Status, refresh and force-unlock also take a root such as s3://bucket/prefix."
            })
    private String directory = ".";

    Cluster cluster() {
        return Clusters.at(directory);
    }

    /** A command for the same cluster, to be typed next. */
    String command(String words) {
        return ProgramName.service() + " cluster " + words
                + (directory.equals(".") ? "" : " --config " + ProgramName.word(directory));
    }

    /** The actor of a run: the one that was given, else the operator of the configuration, else none. */
    static @Nullable String actor(@Nullable String given) {
        return given != null
                ? given
                : ClientConfig.read(ServiceConfig.environment()).actor();
    }
}
