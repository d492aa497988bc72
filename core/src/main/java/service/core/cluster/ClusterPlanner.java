package service.core.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ChangePlan.Change;
import service.core.cluster.ChangePlan.Disposition;
import service.core.cluster.ChangePlan.Kind;
import service.core.error.ServiceException;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;
import service.core.port.GraphPort.Migration;
import service.core.port.GraphPort.Observed;

/** Compares a desired state with the state of a root. Changes nothing. */
final class ClusterPlanner {
    private static final String ALREADY = "it is so already; the ledger will record it";

    private final ClusterRoot root;
    private final DesiredState desired;
    private final GraphPort graphs;
    private final RootState state;
    private final Approvals approvals;

    /** What an operator must approve, by resource: what is lost, in words. */
    private final Map<String, String> needed = new LinkedHashMap<>();

    private final Map<String, Approval> used = new LinkedHashMap<>();

    ClusterPlanner(ClusterRoot root, DesiredState desired, GraphPort graphs, RootState state) {
        this.root = root;
        this.desired = desired;
        this.graphs = graphs;
        this.state = state;
        Set<String> usedIds = new LinkedHashSet<>();
        if (state.ledger() != null) {
            state.ledger().approvals().forEach(each -> usedIds.add(each.approvalId()));
        }
        this.approvals = Approvals.read(
                root, usedIds, desired.configDigest(), state.stamp().revision());
    }

    /**
     * The changes from the real state to the desired one.
     *
     * @param changes in the order in which they are made: by kind of resource, then by address
     * @param needed what must be approved first, by resource, in words
     * @param used the approvals that the changes use, by resource
     */
    record Planned(List<Change> changes, Map<String, String> needed, Map<String, Approval> used) {}

    Planned plan() {
        SortedSet<String> addresses = new TreeSet<>(state.applied().keySet());
        addresses.addAll(state.real().keySet());
        addresses.addAll(desired.resources().keySet());
        List<Change> changes = new ArrayList<>();
        for (Resource.Kind kind : Resource.Kind.values()) {
            for (String address : addresses) {
                Change change = Resource.Kind.ofAddress(address) == kind ? changeOf(address) : null;
                if (change != null) {
                    changes.add(change);
                }
            }
        }
        return new Planned(holdBack(changes), needed, used);
    }

    private @Nullable Change changeOf(String address) {
        Resource recorded = state.applied().get(address);
        Resource real = state.real().get(address);
        Resource wanted = desired.resources().get(address);
        if (!same(real, wanted)) {
            return compare(address, real, wanted);
        }
        if (!same(recorded, wanted)) {
            Kind kind = wanted == null ? Kind.DELETE : (recorded == null ? Kind.CREATE : Kind.UPDATE);
            return Change.of(address, kind, Disposition.DERIVED, ALREADY);
        }
        return wanted == null ? null : missing(wanted);
    }

    private static boolean same(@Nullable Resource left, @Nullable Resource right) {
        return Objects.equals(left == null ? null : left.digest(), right == null ? null : right.digest());
    }

    /** The blocked change of an applied graph whose directory is missing; null when it is there. */
    private @Nullable Change missing(Resource wanted) {
        if (wanted.kind() != Resource.Kind.GRAPH || graphs.isGraph(root.graph(wanted.graphId()))) {
            return null;
        }
        GraphPlace place = root.graph(wanted.graphId());
        return Change.of(
                wanted.address(),
                Kind.UPDATE,
                Disposition.BLOCKED,
                "%s is missing; restore it with `service restore`, or take the graph out of cluster.yaml"
                        .formatted(place.whatIsMissing()));
    }

    private Change compare(String address, @Nullable Resource real, @Nullable Resource wanted) {
        if (wanted == null) {
            return delete(Objects.requireNonNull(real));
        }
        if (real == null) {
            return create(wanted);
        }
        if (wanted.kind() == Resource.Kind.SCHEMA) {
            return migrate(wanted);
        }
        Change missing = missing(wanted);
        return missing != null ? missing : Change.of(address, Kind.UPDATE, Disposition.APPLIED, null);
    }

    private Change delete(Resource real) {
        return switch (real.kind()) {
            case SCHEMA -> Change.of(real.address(), Kind.DELETE, Disposition.DERIVED, null);
            case QUERY, POLICY -> Change.of(real.address(), Kind.DELETE, Disposition.APPLIED, null);
            case GRAPH ->
                approved(
                        Change.of(real.address(), Kind.DELETE, Disposition.APPLIED, null),
                        "deletes the graph with all its data and history");
        };
    }

    /** The change itself, or blocked with what to type when it is not approved. */
    private Change approved(Change change, String loss) {
        String resource = change.resource();
        Approval approval = approvals.valid(resource);
        if (approval != null) {
            used.put(resource, approval);
            return new Change(
                    resource,
                    change.kind(),
                    change.disposition(),
                    "approved " + approval.words(),
                    change.migration(),
                    List.of());
        }
        needed.put(resource, loss);
        String stale = approvals.stale(resource);
        String code = change.codes().isEmpty() ? "" : String.join(", ", change.codes()) + ": ";
        return change.blocked("%s%s; %sapprove it with `service cluster approve %s`"
                .formatted(code, loss, stale == null ? "" : stale + "; ", resource));
    }

    private Change create(Resource wanted) {
        if (wanted.kind() == Resource.Kind.SCHEMA) {
            return Change.of(wanted.address(), Kind.CREATE, Disposition.DERIVED, null);
        }
        if (wanted.kind() == Resource.Kind.GRAPH) {
            GraphPlace place = root.graph(wanted.graphId());
            if (graphs.exists(place)) {
                Observed observed = graphs.observe(place);
                boolean fits = desired.catalog(wanted.graphId()).source().equals(observed.schemaSource());
                return fits
                        ? Change.of(
                                wanted.address(),
                                Kind.CREATE,
                                Disposition.APPLIED,
                                "the graph in " + place + " has this schema and is taken over")
                        : Change.of(
                                wanted.address(),
                                Kind.CREATE,
                                Disposition.BLOCKED,
                                place
                                        + " holds something else than a graph of this schema; move it away, or take it over with `service cluster import`");
            }
        }
        return Change.of(wanted.address(), Kind.CREATE, Disposition.APPLIED, null);
    }

    private Change migrate(Resource wanted) {
        Change plain = Change.of(wanted.address(), Kind.UPDATE, Disposition.APPLIED, null);
        GraphPlace place = root.graph(wanted.graphId());
        if (!graphs.isGraph(place)) {
            return plain.blocked(place.whatIsMissing() + " is missing");
        }
        Migration migration;
        try {
            migration = graphs.planMigration(place, wanted.graphId(), desired.source(wanted.graphId()));
        } catch (ServiceException e) {
            return plain.blocked(e.getMessage());
        }
        Change change = new Change(
                wanted.address(), Kind.UPDATE, Disposition.APPLIED, null, migration.steps(), migration.codes());
        if (!migration.refusals().isEmpty()) {
            return change.blocked(String.join("; ", migration.refusals()) + laterApproval(wanted, migration));
        }
        return migration.drops().isEmpty() ? change : approved(change, "drops " + String.join(", ", migration.drops()));
    }

    /**
     * Names an approval that will be needed once nothing else blocks a migration. It cannot be given before: what
     * removes the other reasons can change the files, and an approval is good for exactly these files.
     */
    private String laterApproval(Resource wanted, Migration migration) {
        if (migration.drops().isEmpty() || approvals.valid(wanted.address()) != null) {
            return "";
        }
        String codes = migration.codes().stream()
                .filter(code -> migration.refusals().stream().noneMatch(refusal -> refusal.startsWith(code)))
                .collect(Collectors.joining(", "));
        return "; then the change, which drops %s, needs an approval as well (%s), and `service cluster plan` shows how to give it"
                .formatted(String.join(", ", migration.drops()), codes);
    }

    /**
     * Blocks every change of a graph one of whose changes is blocked: stored queries were checked against the desired
     * schema and need not fit the applied one, and a graph that stays must keep its queries. Policies change together,
     * because a scope has one bundle; they wait while a graph that one of them leaves is not deleted.
     */
    List<Change> holdBack(List<Change> changes) {
        Map<String, String> blockedBy = new LinkedHashMap<>();
        for (Change change : changes) {
            if (change.isBlocked() && Resource.Kind.ofAddress(change.resource()) != Resource.Kind.POLICY) {
                blockedBy.putIfAbsent(Resource.graphIdOf(change.resource()), change.resource());
            }
        }
        String policiesWaitFor = policiesWaitFor(changes, blockedBy);
        return changes.stream()
                .map(change -> {
                    String cause = Resource.Kind.ofAddress(change.resource()) == Resource.Kind.POLICY
                            ? policiesWaitFor
                            : blockedBy.get(Resource.graphIdOf(change.resource()));
                    return cause == null || change.isBlocked()
                            ? change
                            : change.blocked("waits for " + cause + ", which is blocked");
                })
                .toList();
    }

    private @Nullable String policiesWaitFor(List<Change> changes, Map<String, String> blockedBy) {
        for (Change change : changes) {
            if (Resource.Kind.ofAddress(change.resource()) != Resource.Kind.POLICY) {
                continue;
            }
            Resource before = state.real().get(change.resource());
            for (String scope : before == null ? List.<String>of() : before.bindings()) {
                boolean undeclared = !desired.resources().containsKey("graph." + scope);
                if (undeclared && blockedBy.containsKey(scope)) {
                    return blockedBy.get(scope);
                }
            }
        }
        return null;
    }

    /** The desired resources that the root has already. */
    List<Resource> unchanged() {
        NavigableMap<String, Resource> real = state.real();
        return desired.resources().values().stream()
                .filter(resource -> same(real.get(resource.address()), resource))
                .toList();
    }
}
