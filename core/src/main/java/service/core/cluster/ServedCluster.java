package service.core.cluster;

import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.graph.Graph;

/**
 * The state that a running server serves, fixed from start to shutdown, except for what befalls the stored graphs.
 *
 * @param ledgerCas {@code sha256:<hex>} of the ledger's bytes
 * @param served opened graphs by id
 * @param quarantined graphs that could not be opened
 */
public record ServedCluster(
        String appliedDigest,
        long ledgerRevision,
        String ledgerCas,
        NavigableMap<String, Graph> served,
        NavigableMap<String, Quarantine> quarantined) {
    /** The served graphs in which a request has found damaged bytes since the start, with the first finding. */
    public NavigableMap<String, String> damaged() {
        return findings(Graph::damage);
    }

    /**
     * The opened graphs that are not written any more, because other programs moved, replaced or cut what is open; with
     * what they did. What is open of them is still read.
     */
    public NavigableMap<String, String> detached() {
        return findings(Graph::detached);
    }

    /**
     * The graphs that need an operator, with the reasons that callers may see: those that were not opened, and the
     * detached.
     */
    public NavigableMap<String, String> withheld() {
        NavigableMap<String, String> withheld = new TreeMap<>();
        quarantined.forEach((id, quarantine) -> withheld.put(id, quarantine.shown()));
        withheld.putAll(detached());
        return withheld;
    }

    private NavigableMap<String, String> findings(Function<Graph, @Nullable String> of) {
        NavigableMap<String, String> findings = new TreeMap<>();
        served.forEach((id, graph) -> {
            String finding = of.apply(graph);
            if (finding != null) {
                findings.put(id, finding);
            }
        });
        return findings;
    }
}
