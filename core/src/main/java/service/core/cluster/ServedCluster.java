package service.core.cluster;

import java.util.NavigableMap;
import service.core.graph.Graph;

/**
 * The state that a running server serves, fixed from start to shutdown.
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
        NavigableMap<String, String> quarantined) {}
