package service.core.cluster;

import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import service.core.config.ConfigDiagnostic;
import service.core.policy.PolicyBundle;
import service.core.policy.PolicyReader;

/**
 * What {@code cluster.yaml} says, with the contents of the files that it names.
 *
 * @param storage where the applied state lies, or null for the directory of the file itself
 * @param graphs by graph id
 * @param policies by bundle name
 */
public record ClusterConfig(
        String name,
        @Nullable String storage,
        NavigableMap<String, GraphConfig> graphs,
        NavigableMap<String, PolicyConfig> policies) {
    /**
     * A file below the cluster's directory.
     *
     * @param path as messages show it
     * @param query the one query that the configuration takes from it, or null for all
     */
    public record SourceFile(
            String path, String text, @Nullable String query) {}

    /**
     * A graph.
     *
     * @param queries files of stored queries, by path
     * @param retention as JSON, or null
     * @param externalBlobs bases that external blobs may lie under
     */
    public record GraphConfig(
            SourceFile schema,
            List<SourceFile> queries,
            @Nullable String retention,
            List<String> externalBlobs) {}

    /** A policy bundle and the scopes that it binds to: graph ids, or {@code cluster} alone. */
    public record PolicyConfig(SourceFile file, List<String> appliesTo) {
        /** What a bundle for the whole cluster applies to. */
        public static final String CLUSTER_SCOPE = "cluster";

        /**
         * The bundle.
         *
         * @param found takes what is wrong
         * @return null when anything is wrong
         */
        public @Nullable PolicyBundle read(List<ConfigDiagnostic> found) {
            return PolicyReader.read(file.path(), file.text(), appliesTo.contains(CLUSTER_SCOPE), found);
        }
    }
}
