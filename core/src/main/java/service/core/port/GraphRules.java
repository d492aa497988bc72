package service.core.port;

import org.jspecify.annotations.Nullable;
import service.core.blob.ExternalBases;

/**
 * What a cluster declares for a graph that its requests cannot overrule.
 *
 * @param externalBlobs allowed bases of external blobs
 * @param fastForwards whether a merge may move its target without a commit
 * @param embeddings the provider that embeds texts of searches; null for none
 */
public record GraphRules(
        ExternalBases externalBlobs,
        boolean fastForwards,
        @Nullable EmbeddingSource embeddings) {
    /** The rules of a graph that declares none. */
    public static final GraphRules NONE = new GraphRules(ExternalBases.NONE, true, null);
}
