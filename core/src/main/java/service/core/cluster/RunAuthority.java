package service.core.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ChangePlan.Change;
import service.core.cluster.RecoveryRecord.Operation;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.policy.Action;
import service.core.policy.PolicyBundle;

/**
 * Decides whether a principal may see or make a plan. Only the policies in the ledger that the plan was made from
 * count, so that a policy never allows its own installation. A blocked change needs its permission, too: the plan shows
 * it.
 *
 * <p>{@code config_manage} covers policies, stored queries, settings, the creation of a graph with its first schema,
 * and the deletion of a graph. The schema of a graph that is applied needs {@code read} on {@code main} to see its
 * migration, and {@code schema_apply} on {@code main} to make it.
 */
final class RunAuthority {
    private static final String MAIN = PolicyBundle.DEFAULT_BRANCH;

    private final Principal principal;
    private final RootState state;
    private final AppliedPolicies policies;

    /** What is needed, each with the resources that need it. */
    private final Map<Permission, Set<String>> needed = new LinkedHashMap<>();

    /** @param graphId null for an action on the cluster */
    private record Permission(Action action, @Nullable String graphId) {
        String words(Set<String> resources) {
            return action.wireName() + (action.isOfBranch() ? " on " + MAIN : "") + " for "
                    + String.join(", ", resources);
        }
    }

    private RunAuthority(Principal principal, RootState state, AppliedPolicies policies) {
        this.principal = principal;
        this.state = state;
        this.policies = policies;
    }

    /**
     * The authority of a principal on a root.
     *
     * @param state for an apply, as it was read under the lock
     * @throws ServiceException CONFLICT when the root was never initialised, FORBIDDEN when no policy is applied
     * @throws StartRefusedException when the credential was issued for another cluster, or with
     *     {@code catalog_payload_missing} or {@code catalog_payload_mismatch}
     */
    static RunAuthority of(Principal principal, ClusterRoot root, RootState state) {
        Ledger ledger = state.ledger();
        if (ledger == null || ledger.applied() == null) {
            throw ServiceException.conflict(
                    "nothing was ever applied in %s, so no credential can be for this cluster; make the first apply with --bootstrap FILE"
                            .formatted(root.canonical()));
        }
        principal.issuedFor().accept(new ClusterIdentity(ledger.clusterId(), ledger.incarnation(), root.canonical()));
        AppliedPolicies policies = AppliedPolicies.read(root, ledger);
        if (policies.isEmpty()) {
            throw new ServiceException(
                    ErrorCode.FORBIDDEN,
                    "no policy is applied to this cluster, so nothing allows `%s` anything; apply the first policy without --credential"
                            .formatted(principal.actor()));
        }
        return new RunAuthority(principal, state, policies);
    }

    /**
     * Refuses a plan that the principal may not see.
     *
     * @throws ServiceException FORBIDDEN naming every permission that is missing
     */
    void requireSight(List<Change> changes) {
        Set<String> deleted = deletedGraphs(changes);
        for (Change change : changes) {
            if (isMigration(change.resource(), deleted)) {
                need(Action.READ, change.resource());
            } else {
                need(Action.CONFIG_MANAGE, change.resource());
            }
        }
        decide("see this plan");
    }

    /**
     * Refuses a plan that the principal may not make. What an apply writes besides the changes needs permission as a
     * change would: interrupted steps that it settles, and marks of drift that it removes.
     *
     * @throws ServiceException FORBIDDEN naming every permission that is missing
     */
    void requireEffects(List<Change> changes) {
        Set<String> resources = new LinkedHashSet<>();
        changes.forEach(change -> resources.add(change.resource()));
        for (Recoveries.Pending pending : state.pending()) {
            RecoveryRecord record = pending.record();
            if (record == null) {
                need(Action.CONFIG_MANAGE, "the interrupted step " + pending.key() + ", which cannot be read");
            } else {
                String kind = record.operation() == Operation.MIGRATE_SCHEMA ? "schema." : "graph.";
                resources.add(kind + record.graphId());
            }
        }
        if (state.ledger() != null) {
            resources.addAll(state.ledger().statuses().keySet());
        }
        Set<String> deleted = deletedGraphs(changes);
        for (String resource : resources) {
            if (isMigration(resource, deleted)) {
                need(Action.READ, resource);
                need(Action.SCHEMA_APPLY, resource);
            } else {
                need(Action.CONFIG_MANAGE, resource);
            }
        }
        decide("make this plan");
    }

    /** The resources of the graphs that a plan deletes. */
    private static Set<String> deletedGraphs(List<Change> changes) {
        return changes.stream()
                .filter(change -> change.kind() == ChangePlan.Kind.DELETE)
                .map(Change::resource)
                .filter(resource -> Resource.Kind.ofAddress(resource) == Resource.Kind.GRAPH)
                .collect(Collectors.toSet());
    }

    /** Whether the change of a resource is that of the schema of an applied graph, which stays. */
    private boolean isMigration(String resource, Set<String> deletedGraphs) {
        if (Resource.Kind.ofAddress(resource) != Resource.Kind.SCHEMA) {
            return false;
        }
        String graph = "graph." + Resource.graphIdOf(resource);
        return !deletedGraphs.contains(graph) && state.applied().containsKey(graph);
    }

    private void need(Action action, String resource) {
        String graphId = action.isOfBranch() ? Resource.graphIdOf(resource) : null;
        needed.computeIfAbsent(new Permission(action, graphId), any -> new LinkedHashSet<>())
                .add(resource);
    }

    private void decide(String what) {
        List<String> missing = new ArrayList<>();
        Permission first = null;
        for (Map.Entry<Permission, Set<String>> each : needed.entrySet()) {
            if (!allows(each.getKey())) {
                first = first == null ? each.getKey() : first;
                missing.add(each.getKey().words(each.getValue()));
            }
        }
        if (first != null) {
            throw new ServiceException(
                    ErrorCode.FORBIDDEN,
                    "`%s` may not %s, and nothing was changed; the applied policies do not allow %s"
                            .formatted(principal.actor(), what, String.join("; ", missing)),
                    new ErrorDetail.Forbidden(
                            first.action().wireName(),
                            first.graphId(),
                            first.action().isOfBranch() ? MAIN : null));
        }
        if (!isKnown()) {
            throw new ServiceException(
                    ErrorCode.FORBIDDEN, "no rule of the applied policies is for `%s`".formatted(principal.actor()));
        }
    }

    private boolean allows(Permission permission) {
        String graphId = permission.graphId();
        PolicyBundle bundle = graphId == null ? policies.cluster() : policies.ofGraph(graphId);
        return bundle != null
                && bundle.decide(principal.actor(), permission.action(), MAIN).allows();
    }

    private boolean isKnown() {
        PolicyBundle cluster = policies.cluster();
        return (cluster != null && cluster.names(principal.actor()))
                || policies.graphs().values().stream().anyMatch(bundle -> bundle.names(principal.actor()));
    }
}
