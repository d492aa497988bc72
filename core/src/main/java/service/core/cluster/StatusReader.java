package service.core.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.cluster.AppliedCluster.AppliedGraph;
import service.core.error.Diagnostic;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.error.StartRefusedException;
import service.core.graph.request.StoredQuerySource;
import service.core.port.ObjectStore.StoredObject;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** Reads the status of a root: what is applied, what is different from it, and what a server would not serve. */
final class StatusReader {
    private final ClusterRoot root;
    private final ClusterPorts ports;
    private final QueryValidation queries;

    /** The options that name the cluster, for remedies. */
    private final String options;

    /** @param root that of the source */
    StatusReader(ClusterSource source, ClusterRoot root) {
        this.root = root;
        this.ports = source.ports();
        this.queries = source.queries();
        this.options = source.options();
    }

    /**
     * Reads everything.
     *
     * @param declared the state that the files declare; null when they are not valid
     */
    ClusterStatus read(@Nullable DesiredState declared) {
        StoredObject found = requireLedger();
        Ledger ledger;
        try {
            ledger = Ledger.parse(found.bytes());
        } catch (IllegalArgumentException | ServiceException e) {
            throw new StartRefusedException(
                    "cluster_state_missing",
                    "the ledger of %s cannot be read (%s); run `service cluster import %s`"
                            .formatted(root.canonical(), e.getMessage(), options));
        }
        Map<String, Resource> applied =
                ledger.applied() == null ? Map.of() : ledger.applied().resources();
        return new ClusterStatus(
                new ClusterIdentity(ledger.clusterId(), ledger.incarnation(), root.canonical()),
                LedgerStamp.of(ledger, found.bytes()),
                new ClusterObserver(root, ports.graphs())
                        .report(applied.values(), quarantined(), differing(applied, declared)),
                ClusterLock.read(root),
                root.recoveries().size());
    }

    /**
     * A root that was never applied may be locked, by the first apply or by one that was killed: the refusal says so.
     */
    private StoredObject requireLedger() {
        try {
            return root.requireLedger(options);
        } catch (StartRefusedException missing) {
            ObjectNode lock = ClusterLock.read(root);
            if (lock == null) {
                throw missing;
            }
            throw new StartRefusedException(
                    missing.code(), missing.getMessage() + "; the cluster is " + ClusterLock.locked(lock));
        }
    }

    /** The graphs that a server would not serve, as far as it shows without opening them. */
    private Map<String, String> quarantined() {
        AppliedCluster applied;
        try {
            applied = AppliedCluster.readRoot(root.address(), ports);
        } catch (StartRefusedException e) {
            return Map.of(); // A damaged policy is a drift of its own resource.
        }
        Map<String, String> reasons = new TreeMap<>();
        applied.quarantined().forEach((id, quarantine) -> reasons.put(id, quarantine.reason()));
        for (AppliedGraph graph : applied.graphs().values()) {
            String misfit = misfit(graph);
            if (misfit != null) {
                reasons.put(graph.graphId(), misfit);
            }
        }
        return reasons;
    }

    private @Nullable String misfit(AppliedGraph graph) {
        try {
            Catalog catalog = SchemaCompiler.compile(graph.schemaSource());
            for (StoredQuerySource query : graph.queries()) {
                List<Diagnostic> errors = queries.check(query.source(), catalog).errors();
                if (!errors.isEmpty()) {
                    throw new SourceText(query.source()).refusal(errors);
                }
            }
            return null;
        } catch (ServiceException e) {
            return "a stored query no longer fits the schema: " + e.getMessage();
        }
    }

    private static Map<String, String> differing(Map<String, Resource> applied, @Nullable DesiredState declared) {
        Map<String, String> differing = new HashMap<>();
        if (declared != null) {
            applied.forEach((address, resource) -> {
                Resource wanted = declared.resources().get(address);
                if (wanted == null) {
                    differing.put(address, "the files no longer declare it; `service cluster plan` shows the change");
                } else if (!wanted.digest().equals(resource.digest())) {
                    differing.put(address, "the files declare it differently; `service cluster plan` shows the change");
                }
            });
        }
        return differing;
    }
}
