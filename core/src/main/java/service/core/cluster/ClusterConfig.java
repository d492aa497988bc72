package service.core.cluster;

import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import service.core.config.ConfigDiagnostic;
import service.core.policy.PolicyBundle;
import service.core.policy.PolicyReader;
import service.core.port.EmbeddingSource;

/**
 * The content of {@code cluster.yaml} and of the files that it names.
 *
 * @param storage the location of the applied state, or null for the directory of the file itself
 * @param graphs by graph id
 * @param policies by bundle name
 * @param warnings what is to be considered, but does not stop an apply
 */
public record ClusterConfig(
        String name,
        @Nullable String storage,
        NavigableMap<String, GraphConfig> graphs,
        NavigableMap<String, PolicyConfig> policies,
        List<ConfigDiagnostic> warnings) {
    /**
     * A file below the cluster's directory.
     *
     * @param path as messages show it
     * @param query the one query that the configuration takes from it, or null for all
     * @param line of the entry of that query in {@code cluster.yaml}; 0 without one, as the column
     */
    public record SourceFile(
            String path, String text, @Nullable String query, int line, int column) {}

    /**
     * A graph.
     *
     * @param queries files of stored queries, by path
     * @param retention as JSON, or null
     * @param externalBlobs allowed bases of external blobs
     * @param fastForwards whether merges may move a branch without a commit
     * @param embeddings the provider that embeds texts of searches, or null
     */
    public record GraphConfig(
            SourceFile schema,
            List<SourceFile> queries,
            @Nullable String retention,
            List<String> externalBlobs,
            boolean fastForwards,
            @Nullable EmbeddingSource embeddings) {}

    /** A policy bundle and the scopes that it is bound to: graph ids, or {@code cluster} alone. */
    public record PolicyConfig(SourceFile file, List<String> appliesTo) {
        /** The scope of a bundle for the whole cluster. */
        public static final String CLUSTER_SCOPE = "cluster";

        /** The rule of {@link #isName}, for messages. */
        static final String NAMES = "a bundle's name is 1 to 64 of A-Z a-z 0-9 _ -";

        /** Whether a text can name a bundle. */
        static boolean isName(String text) {
            return text.matches("[A-Za-z0-9_-]{1,64}");
        }

        /**
         * Reads the bundle.
         *
         * @param found receives the findings
         * @return null when there is a finding
         */
        public @Nullable PolicyBundle read(List<ConfigDiagnostic> found) {
            return PolicyReader.read(file.path(), file.text(), appliesTo.contains(CLUSTER_SCOPE), found);
        }
    }
}
