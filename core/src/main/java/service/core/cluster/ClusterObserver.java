package service.core.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.cluster.Ledger.Status;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;
import service.core.port.GraphPort.Observed;

/** Compares applied resources with the graphs and contents that are there. Changes nothing. */
final class ClusterObserver {
    static final String APPLIED = "applied";
    static final String DRIFTED = "drifted";
    static final String QUARANTINED = "quarantined";

    private final ClusterRoot root;
    private final GraphPort graphs;
    private final Map<String, Observed> observed = new HashMap<>();

    ClusterObserver(ClusterRoot root, GraphPort graphs) {
        this.root = root;
        this.graphs = graphs;
    }

    /** The resources that are not as applied. Opens every graph for reading. */
    NavigableMap<String, Status> statuses(Collection<Resource> resources) {
        NavigableMap<String, Status> statuses = new TreeMap<>();
        for (Resource resource : resources) {
            String drift = drift(resource);
            if (drift != null) {
                statuses.put(resource.address(), new Status(DRIFTED, List.of(drift)));
            }
        }
        return statuses;
    }

    private @Nullable String drift(Resource resource) {
        return switch (resource.kind()) {
            case GRAPH -> {
                Observed graph = graph(resource.graphId());
                yield graph == null ? missing(resource.graphId()) : graph.fault();
            }
            case SCHEMA -> {
                String fault = root.faultOf(resource);
                yield fault == null ? schemaDrift(resource) : fault;
            }
            case QUERY, POLICY -> root.faultOf(resource);
        };
    }

    private String missing(String graphId) {
        return root.graph(graphId).whatIsMissing() + " is missing; restore it from a backup";
    }

    private @Nullable String schemaDrift(Resource schema) {
        Observed graph = graph(schema.graphId());
        if (graph == null || graph.schemaSource() == null) {
            return null; // The graph's own status says so.
        }
        return Resource.schema(schema.graphId(), graph.schemaSource()).digest().equals(schema.digest())
                ? null
                : "the graph has another schema than the applied one; `service cluster plan` shows what an apply would change";
    }

    private @Nullable Observed graph(String graphId) {
        GraphPlace place = root.graph(graphId);
        if (!graphs.isGraph(place)) {
            return null;
        }
        return observed.computeIfAbsent(graphId, any -> graphs.observe(place));
    }

    /**
     * The status of each applied resource.
     *
     * @param quarantined the graphs that a server would not serve, with the reason
     * @param differing what the files declare otherwise, by address
     */
    List<ClusterStatus.ResourceStatus> report(
            Collection<Resource> resources, Map<String, String> quarantined, Map<String, String> differing) {
        NavigableMap<String, Status> drifted = statuses(resources);
        List<ClusterStatus.ResourceStatus> report = new ArrayList<>();
        for (Resource resource : resources) {
            Status drift = drifted.get(resource.address());
            List<String> conditions = new ArrayList<>(drift == null ? List.of() : drift.conditions());
            String status = drift == null ? APPLIED : DRIFTED;
            if (resource.kind() == Resource.Kind.GRAPH) {
                String reason = quarantined.get(resource.graphId());
                if (reason != null) {
                    status = QUARANTINED;
                    if (!conditions.contains(reason)) {
                        conditions.add(reason);
                    }
                }
                GraphPlace place = root.graph(resource.graphId());
                String writer = graphs.isGraph(place) ? graphs.writer(place) : null;
                if (writer != null) {
                    conditions.add("written to by " + writer);
                }
            }
            String difference = differing.get(resource.address());
            if (difference != null) {
                conditions.add(difference);
            }
            report.add(new ClusterStatus.ResourceStatus(resource.address(), resource.digest(), status, conditions));
        }
        return report;
    }
}
