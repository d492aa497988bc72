package service.core.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ClusterConfig.PolicyConfig;
import service.core.config.ConfigDiagnostic;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.policy.PolicyBundle;
import service.core.policy.PolicyReader;
import service.core.port.ObjectStore.StoredObject;
import service.core.port.ObjectStores;
import service.core.port.RootAddress;

/**
 * The policies that are applied, each read from the catalog and checked against its digest in the ledger. Files that
 * were edited but not applied are ignored.
 *
 * @param names names of the bundles, in order
 * @param graphs the bundle of each graph that has one, by graph id
 * @param cluster the bundle of the cluster, or null
 */
public record AppliedPolicies(
        List<String> names,
        NavigableMap<String, PolicyBundle> graphs,
        @Nullable PolicyBundle cluster) {
    /** No policy is applied. */
    public static final AppliedPolicies NONE = new AppliedPolicies(List.of(), new TreeMap<>(), null);

    public AppliedPolicies {
        names = List.copyOf(names);
        graphs = Collections.unmodifiableNavigableMap(graphs);
    }

    /** Whether no policy is applied to anything. */
    public boolean isEmpty() {
        return names.isEmpty();
    }

    /** The bundle of a graph; null when none applies to it. */
    public @Nullable PolicyBundle ofGraph(String graphId) {
        return graphs.get(graphId);
    }

    /**
     * Reads the policies of a root.
     *
     * @return {@link #NONE} when nothing is applied
     * @throws StartRefusedException {@code cluster_state_missing} when the ledger cannot be read,
     *     {@code catalog_payload_missing} or {@code catalog_payload_mismatch}
     */
    public static AppliedPolicies read(RootAddress address, ObjectStores stores) {
        ClusterRoot root = new ClusterRoot(address, stores);
        StoredObject found = root.readLedger();
        if (found == null) {
            return NONE;
        }
        try {
            return read(root, Ledger.parse(found.bytes()));
        } catch (IllegalArgumentException | ServiceException e) {
            throw new StartRefusedException(
                    "cluster_state_missing",
                    "the ledger of %s cannot be read (%s), so it is not known what its policies allow; run `service cluster import`"
                            .formatted(root.canonical(), e.getMessage()));
        }
    }

    /**
     * Reads the policies of a ledger.
     *
     * @throws StartRefusedException {@code catalog_payload_missing} or {@code catalog_payload_mismatch}
     */
    static AppliedPolicies read(ClusterRoot root, Ledger ledger) {
        return ledger.applied() == null ? NONE : read(root, ledger.applied().resources());
    }

    private static AppliedPolicies read(ClusterRoot root, NavigableMap<String, Resource> resources) {
        List<String> names = new ArrayList<>();
        NavigableMap<String, PolicyBundle> graphs = new TreeMap<>();
        PolicyBundle cluster = null;
        for (Resource resource : resources.values()) {
            if (resource.kind() == Resource.Kind.POLICY) {
                names.add(resource.name());
                PolicyBundle bundle = bundle(root, resource);
                for (String scope : resource.bindings()) {
                    if (scope.equals(PolicyConfig.CLUSTER_SCOPE)) {
                        cluster = bundle;
                    } else {
                        graphs.put(scope, bundle);
                    }
                }
            }
        }
        return new AppliedPolicies(names, graphs, cluster);
    }

    private static PolicyBundle bundle(ClusterRoot root, Resource policy) {
        String content = root.readContent(policy.address(), policy.digest());
        if (content == null) {
            throw new StartRefusedException(
                    "catalog_payload_missing",
                    "the catalog has lost the payload of " + policy.address() + "; run `service cluster apply`");
        }
        if (!policy.withContent(content).digest().equals(policy.digest())) {
            throw new StartRefusedException(
                    "catalog_payload_mismatch",
                    "the payload of " + policy.address() + " in the catalog was changed; restore it or apply again");
        }
        List<ConfigDiagnostic> found = new ArrayList<>();
        boolean ofCluster = policy.bindings().contains(PolicyConfig.CLUSTER_SCOPE);
        PolicyBundle bundle = PolicyReader.read(policy.address(), content, ofCluster, found);
        if (bundle == null) {
            throw new StartRefusedException(
                    "catalog_payload_mismatch",
                    "this build cannot read the payload of %s in the catalog (%s); correct the file and apply again"
                            .formatted(policy.address(), found.getFirst().message()));
        }
        return bundle;
    }
}
