package service.core.cluster;

import java.util.NavigableMap;
import java.util.TreeMap;
import service.core.graph.Graph;

/**
 * The state that a running server serves, fixed from start to shutdown, except for the damage that requests meet.
 *
 * @param ledgerCas {@code sha256:<hex>} of the ledger's bytes
 * @param served opened graphs by id
 * @param quarantined graphs that could not be opened, with a reason that an operator can act on
 */
public record ServedCluster(
        String appliedDigest,
        long ledgerRevision,
        String ledgerCas,
        NavigableMap<String, Graph> served,
        NavigableMap<String, String> quarantined) {
    /** The served graphs in which a request has met damaged bytes since the start, with the first finding. */
    public NavigableMap<String, String> damaged() {
        NavigableMap<String, String> damaged = new TreeMap<>();
        served.forEach((id, graph) -> {
            String finding = graph.damage();
            if (finding != null) {
                damaged.put(id, finding);
            }
        });
        return damaged;
    }
}
