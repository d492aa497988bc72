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
        Path cluster = clusterPath(root);
        Path path = graphPath(cluster, graphId);
        if (!Files.isDirectory(path.resolve("log"))) {
            throw noGraph(cluster, graphId);
        }
        return new GraphDirectory(path, graphId);
    }

    private static Path clusterPath(String root) {
        if (root.contains("://") && !root.startsWith("file://")) {
            throw CommandFailure.usage(
                    "only clusters in a local directory can be worked on directly");
        }
        return root.startsWith("file://") ? Path.of(java.net.URI.create(root)) : Path.of(root);
    }

    private static Path graphPath(Path cluster, String graphId) {
        return cluster.resolve("graphs").resolve(graphId).toAbsolutePath().normalize();
    }

    private static CommandFailure noGraph(Path cluster, String graphId) {
        return new CommandFailure(
                CommandFailure.FAILED,
                "cluster "
                        + cluster
                        + " has no graph `"
                        + graphId
                        + "`; `service cluster status --config "
                        + cluster
                        + "` lists what is applied");
    }

    /** A store that is to be made. */
    public static GraphDirectory newStore(Path store) {
        Path path = store.toAbsolutePath().normalize();
        return new GraphDirectory(path, path.getFileName().toString());
    }

    /**
     * A graph of a cluster that is to be made again.
     *
     * @throws CommandFailure when the applied cluster has no graph of that id
     */
    public static GraphDirectory newInCluster(String root, String graphId) {
        Path cluster = clusterPath(root);
        AppliedCluster applied = AppliedCluster.read(cluster);
        if (!applied.graphs().containsKey(graphId) && !applied.quarantined().containsKey(graphId)) {
            throw noGraph(cluster, graphId);
        }
        return new GraphDirectory(graphPath(cluster, graphId), graphId);
    }

    /** The bases that external blobs may lie under: as applied in its cluster, else none. */
    ExternalBases externalBlobs() {
        Path graphs = path.getParent();
        Path root = graphs != null && graphs.endsWith("graphs") ? graphs.getParent() : null;
        return root == null ? ExternalBases.NONE : AppliedCluster.externalBlobs(root, graphId);
    }
}
