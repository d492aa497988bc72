package service.core.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.config.InvalidConfigException;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.error.StartRefusedException;
import service.core.graph.request.StoredQuerySource;
import service.core.json.Json;
import service.core.port.ConfigFiles;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;
import service.core.port.GraphRules;
import service.core.port.ObjectStore.StoredObject;
import service.core.port.ObjectStoreException;
import service.core.port.ObjectStores;
import service.core.port.RetentionPolicy;
import service.core.port.RootAddress;

/**
 * The applied revision of a root, from which a server starts, with every payload checked against its digest.
 * Configuration that was edited but not applied is ignored.
 *
 * @param graphs the graphs to open, by graph id
 * @param quarantined graphs that must not be opened, with the reason
 * @param policies the applied policy bundles
 */
public record AppliedCluster(
        ClusterIdentity cluster,
        LedgerStamp ledger,
        NavigableMap<String, AppliedGraph> graphs,
        NavigableMap<String, Quarantine> quarantined,
        AppliedPolicies policies) {
    /**
     * A graph to open.
     *
     * @param schemaSource the applied schema; the graph's own schema must equal it
     * @param rules what the cluster declares for its requests
     * @param retention the amount of history that the server keeps; null for all of it
     */
    public record AppliedGraph(
            String graphId,
            GraphPlace place,
            String schemaSource,
            List<StoredQuerySource> queries,
            GraphRules rules,
            @Nullable RetentionPolicy retention) {}

    /**
     * Reads the root that a cluster's directory names.
     *
     * @throws StartRefusedException {@code config_invalid}, {@code cluster_state_missing}, {@code cluster_unapplied},
     *     {@code catalog_payload_missing} or {@code catalog_payload_mismatch}
     */
    public static AppliedCluster read(Path directory, ClusterPorts ports) {
        return read(new ClusterRoot(rootOf(directory, ports), ports.stores()), ports.graphs(), directory.toString());
    }

    /** Reads a root directly, without its configuration. */
    public static AppliedCluster readRoot(RootAddress root, ClusterPorts ports) {
        String files = switch (root) {
            case RootAddress.Directory directory -> directory.toString();
            case RootAddress.Bucket bucket -> "DIR --cluster " + bucket.uri();
        };
        return read(new ClusterRoot(root, ports.stores()), ports.graphs(), files);
    }

    /**
     * The root that a cluster's directory names.
     *
     * @throws StartRefusedException {@code config_invalid}
     */
    public static RootAddress rootOf(Path directory, ClusterPorts ports) {
        ConfigFiles files = ports.files().open(directory);
        try {
            return ClusterRoot.named(directory, ClusterConfigReader.readStorage(files));
        } catch (InvalidConfigException e) {
            SourceText source = new SourceText(
                    files.find(ClusterConfigReader.FILE) instanceof ConfigFiles.Text file ? file.text() : "");
            throw new StartRefusedException(
                    "config_invalid",
                    e.diagnostics().stream().map(found -> found.render(source)).collect(Collectors.joining("\n")));
        }
    }

    /** @param files the directory with {@code cluster.yaml}, for remedies */
    private static AppliedCluster read(ClusterRoot root, GraphPort graphs, String files) {
        StoredObject found = root.requireLedger("--config " + files);
        Ledger ledger;
        try {
            ledger = Ledger.parse(found.bytes());
        } catch (IllegalArgumentException | ServiceException e) {
            throw new StartRefusedException(
                    "cluster_state_missing",
                    "the ledger of %s cannot be read (%s); run `service cluster import --config %s`"
                            .formatted(root.canonical(), e.getMessage(), files));
        }
        Ledger.Applied applied = ledger.applied();
        if (applied == null) {
            throw new StartRefusedException(
                    "cluster_unapplied",
                    "the first apply has not finished; run `service cluster apply --config %s`".formatted(files));
        }
        return new Reader(root, graphs, ledger, applied, LedgerStamp.of(ledger, found.bytes())).read();
    }

    /** The applied rules of one graph; none when nothing is applied or the ledger cannot be read. */
    public static GraphRules rules(RootAddress address, String graphId, ObjectStores stores) {
        StoredObject found = new ClusterRoot(address, stores).readLedger();
        if (found == null) {
            return GraphRules.NONE;
        }
        Ledger.Applied applied = Ledger.parse(found.bytes()).applied();
        Resource graph = applied == null ? null : applied.resources().get("graph." + graphId);
        return graph == null ? GraphRules.NONE : GraphSettings.rules(graph);
    }

    /** The applied stored queries of one graph; empty when nothing is applied, or a payload is lost or changed. */
    public static List<StoredQuerySource> storedQueries(RootAddress address, String graphId, ClusterPorts ports) {
        ClusterRoot root = new ClusterRoot(address, ports.stores());
        StoredObject found = root.readLedger();
        if (found == null) {
            return List.of();
        }
        Ledger ledger = Ledger.parse(found.bytes());
        Ledger.Applied applied = ledger.applied();
        Resource graph = applied == null ? null : applied.resources().get("graph." + graphId);
        if (applied == null || graph == null) {
            return List.of();
        }
        AppliedGraph read = new Reader(root, ports.graphs(), ledger, applied, LedgerStamp.of(ledger, found.bytes()))
                .readGraph(graph);
        return read == null ? List.of() : read.queries();
    }

    /** Divides the applied graphs into those to open and those to quarantine. */
    private static final class Reader {
        private final ClusterRoot root;
        private final GraphPort graphs;
        private final Ledger ledger;
        private final Ledger.Applied applied;
        private final LedgerStamp stamp;
        private final NavigableMap<String, Quarantine> quarantined = new TreeMap<>();

        Reader(ClusterRoot root, GraphPort graphs, Ledger ledger, Ledger.Applied applied, LedgerStamp stamp) {
            this.root = root;
            this.graphs = graphs;
            this.ledger = ledger;
            this.applied = applied;
            this.stamp = stamp;
        }

        AppliedCluster read() {
            NavigableMap<String, AppliedGraph> opened = new TreeMap<>();
            for (Resource resource : applied.resources().values()) {
                switch (resource.kind()) {
                    case GRAPH -> {
                        AppliedGraph graph = readGraph(resource);
                        if (graph != null) {
                            opened.put(graph.graphId(), graph);
                        }
                    }
                    case SCHEMA, QUERY, POLICY -> {
                        // Schemas and queries are read with their graph, policies together.
                    }
                }
            }
            root.recoveries().forEach(this::quarantineRecovering);
            quarantined.keySet().forEach(opened::remove);
            return new AppliedCluster(
                    new ClusterIdentity(ledger.clusterId(), ledger.incarnation(), root.canonical()),
                    stamp,
                    opened,
                    quarantined,
                    AppliedPolicies.read(root, ledger));
        }

        private @Nullable AppliedGraph readGraph(Resource graph) {
            String id = graph.graphId();
            GraphPlace place = root.graph(id);
            if (!graphs.isGraph(place)) {
                quarantined.put(
                        id,
                        new Quarantine(
                                place.whatIsMissing() + " is missing; restore it from a backup",
                                "its storage is missing; restore it from a backup"));
                return null;
            }
            String schema = payload(id, "schema." + id);
            List<StoredQuerySource> queries = new ArrayList<>();
            for (Resource resource : Resource.queriesOf(id, applied.resources())) {
                String source = payload(id, resource.address());
                if (source != null) {
                    queries.add(new StoredQuerySource(resource.name(), source));
                }
            }
            try {
                return schema == null
                        ? null
                        : new AppliedGraph(
                                id, place, schema, queries, GraphSettings.rules(graph), GraphSettings.retention(graph));
            } catch (IllegalArgumentException e) {
                quarantined.put(
                        id,
                        new Quarantine(
                                e.getMessage() + "; run `service cluster apply`",
                                "one of its settings is not allowed; run `service cluster apply`"));
                return null;
            }
        }

        /** Reads a payload that must have the applied digest; otherwise its graph is quarantined. */
        private @Nullable String payload(String graphId, String address) {
            Resource resource = applied.resources().get(address);
            if (resource == null) {
                quarantined.put(
                        graphId,
                        new Quarantine(
                                address + " is not in the ledger; run `service cluster apply`",
                                "a part of it is not in the ledger; run `service cluster apply`"));
                return null;
            }
            ClusterRoot.Payload payload = root.payload(resource);
            if (payload.fault() != null) {
                quarantined.put(
                        graphId,
                        new Quarantine(
                                payload.fault(),
                                payload.fault()
                                        .replace(
                                                address,
                                                resource.kind() == Resource.Kind.QUERY
                                                        ? "a stored query"
                                                        : "its schema")));
            }
            return payload.content();
        }

        private void quarantineRecovering(String key) {
            try {
                StoredObject found = root.store().get(key);
                if (found == null) {
                    return; // An apply has finished since the keys were listed.
                }
                JsonNode record = Json.readObject(found.bytes(), "the recovery record");
                String graph = record.path("graph_id").asText();
                if (applied.resources().containsKey("graph." + graph)) {
                    quarantined.put(
                            graph,
                            Quarantine.of(
                                    "an apply was interrupted while it worked on this graph; run `service cluster apply`"));
                }
            } catch (ObjectStoreException e) {
                throw e;
            } catch (UncheckedIOException | ServiceException e) {
                throw new StartRefusedException(
                        "cluster_recovery_pending",
                        "the recovery record %s cannot be read (%s); run `service cluster apply`"
                                .formatted(root.location(key), e.getMessage()));
            }
        }
    }
}
