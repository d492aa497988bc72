package service.core.graph.request;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EntityType;

/** Lists commits and describes states of the graph. */
public final class History {
    /** The number of commits that one answer lists at most. */
    public static final int LIMIT_MAX = 1000;

    private final GraphStorage storage;

    public History(GraphStorage storage) {
        this.storage = storage;
    }

    /** Refuses a number of commits, moves or branches that no page has. */
    static void checkLimit(int limit) {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw ServiceException.badRequest(
                    "`limit` must be an integer from 1 to " + LIMIT_MAX + ", not `" + limit + "`");
        }
    }

    /** The commit that a write of the caller under a key made, where the caller may read it: one or none. */
    public Page commitsOfKey(Caller caller, String key, @Nullable String branchName) {
        try (GraphSession session = storage.session()) {
            Branch branch = branchName == null ? null : Targets.readable(session, branchName, caller);
            WriteKey.First first = WriteKey.find(session, Budgets.nowMicros(), caller.actor(), key);
            CommitRecord commit = first == null ? null : first.commit();
            boolean found = commit != null
                    && caller.may(Action.READ, commit.lineage().branch())
                    && (branch == null || sequenceOf(session, branch, commit.logOffset()) >= 0);
            return new Page(found ? List.of(commit) : List.of(), null);
        }
    }

    /** The index of a commit in a branch's first-parent history, or −1. */
    public static long sequenceOf(GraphSession session, Branch branch, long offset) {
        return sequenceOf(session, branch.incarnation(), branch.historyLength() - 1, offset);
    }

    /** The index of a commit in a first-parent history up to an index, or −1; offsets ascend along a history. */
    public static long sequenceOf(GraphSession session, int incarnation, long last, long offset) {
        long low = 0;
        long high = last;
        while (low <= high) {
            long middle = (low + high) >>> 1;
            long found = session.history(incarnation, middle);
            if (found == offset) {
                return middle;
            } else if (found < offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /**
     * The branch where a commit was made; NOT_FOUND for an unknown commit, and for a caller who may neither read this
     * branch nor do the action to it.
     */
    public String branchOf(Caller caller, Action action, String commitId) {
        try (GraphSession session = storage.session()) {
            return Targets.branchOf(session, commitId, action, caller);
        }
    }

    /** The id of the commit that a ref names now ({@link CommitRefs}). */
    public String commitId(Caller caller, String ref, TimeBudget time) {
        try (GraphSession session = storage.session()) {
            return CommitRefs.resolve(session, ref, caller, time).id().toString();
        }
    }

    public CommitRecord commit(Caller caller, String id) {
        try (GraphSession session = storage.session()) {
            return CommitRecord.whole(
                    session.header(Targets.readableCommit(session, id, caller).offset()));
        }
    }

    public SnapshotRecord snapshot(Caller caller, ReadTarget target) {
        try (GraphSession session = storage.session()) {
            Targets.Resolved resolved = Targets.resolve(session, target, Action.READ, caller);
            CommitPosition position = Targets.position(session, resolved.head().toString());
            CommitHeader header = session.header(position.offset());
            try (GraphView view = session.view(resolved.point())) {
                return new SnapshotRecord(
                        resolved.branch() == null
                                ? header.branch()
                                : resolved.branch().name(),
                        resolved.head(),
                        header.offset(),
                        header.timeMicros(),
                        view.catalog().digest(),
                        counts(view));
            }
        }
    }

    private static List<SnapshotRecord.TypeCount> counts(GraphView view) {
        return typesInOrder(view.catalog()).stream()
                .map(type -> new SnapshotRecord.TypeCount(type.kind(), type.name(), view.count(type.identity())))
                .toList();
    }

    /** Nodes before edges, each by name. */
    public static List<EntityType> typesInOrder(Catalog catalog) {
        List<EntityType> types = new ArrayList<>(catalog.nodes());
        types.addAll(catalog.edges());
        types.sort(Comparator.comparing(EntityType::kind).thenComparing(EntityType::name));
        return types;
    }

    public SchemaRecord schema(Caller caller, ReadTarget target) {
        try (GraphSession session = storage.session()) {
            Targets.Resolved resolved = Targets.resolve(session, target, Action.READ, caller);
            try (GraphView view = session.view(resolved.point())) {
                return new SchemaRecord(view.catalog(), resolved.head());
            }
        }
    }
}
