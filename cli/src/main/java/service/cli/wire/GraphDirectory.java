package service.cli.wire;

import java.nio.file.Files;
import java.nio.file.Path;
import service.cli.client.CommandFailure;
import service.core.blob.ExternalBases;
import service.core.cluster.AppliedCluster;

/**
 * Where a graph lies on this machine.
 *
 * @param path the folder that holds its log and projections
 * @param graphId its id: in a cluster the graph's, of a store the folder's name
 */
public record GraphDirectory(Path path, String graphId) {
    /** A graph outside any cluster. */
    public static GraphDirectory ofStore(Path store) {
        Path path = store.toAbsolutePath().normalize();
        if (!Files.isDirectory(path.resolve("log"))) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "there is no graph in "
                            + store
                            + "; make one with `service init --schema FILE "
                            + store
                            + "`");
        }
        return new GraphDirectory(path, path.getFileName().toString());
    }

    /** A graph of a cluster whose root is a local directory. */
    public static GraphDirectory ofCluster(String root, String graphId) {
        if (root.contains("://") && !root.startsWith("file://")) {
            throw CommandFailure.usage(
                    "only clusters in a local directory can be worked on directly");
        }
        Path cluster =
                root.startsWith("file://") ? Path.of(java.net.URI.create(root)) : Path.of(root);
        Path path = cluster.resolve("graphs").resolve(graphId).toAbsolutePath().normalize();
        if (!Files.isDirectory(path.resolve("log"))) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "cluster "
                            + cluster
                            + " has no graph `"
                            + graphId
                            + "`; `service cluster status --config "
                            + cluster
                            + "` lists what is applied");
        }
        return new GraphDirectory(path, graphId);
    }

    /** The bases that external blobs may lie under: as applied in its cluster, else none. */
    ExternalBases externalBlobs() {
        Path graphs = path.getParent();
        Path root = graphs != null && graphs.endsWith("graphs") ? graphs.getParent() : null;
        return root == null ? ExternalBases.NONE : AppliedCluster.externalBlobs(root, graphId);
    }
}
