package service.projection;

import service.core.testkit.SmallGraph;
import service.projection.storage.StorageOptions;
import service.projection.table.CatalogSource;

/** Options for storages over {@link SmallGraph}. */
public final class TestGraph {
    public static final CatalogSource CATALOGS = (source, identities) -> SmallGraph.CATALOG;

    private TestGraph() {}

    public static StorageOptions options() {
        return StorageOptions.defaults(CATALOGS)
                .withMapBytes(1L << 30, 4L << 30)
                .withCheckpointEvents(0);
    }
}
