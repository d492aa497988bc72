package service.core.graph.load;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.event.Origin;
import service.core.graph.branch.Branches;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.GraphWriter;
import service.core.graph.check.RulesCache;
import service.core.graph.request.Budgets;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.FreshIds;
import service.core.graph.request.PreparedWrite;
import service.core.graph.request.Targets;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.value.EntityKind;
import service.core.value.Ulid;

/** The write of one load, whose records are decoded. */
final class LoadWrite extends PreparedWrite<CheckedChanges, LoadResult> {
    /**
     * Maximum number of changed entities of later commits that the writer compares with a batch prepared ahead: tens of
     * milliseconds, less than the batch takes the writer if it must be prepared again.
     */
    private static final long SINCE_MAX = 1 << 20;

    /** The same for a batch with records that change nothing, which are searched one by one. */
    private static final long SINCE_MAX_UNCHANGED = 65_536;

    private final RulesCache rules;
    private final Request request;

    /**
     * Where a load goes.
     *
     * @param from the ref that the branch is created from when it is missing, as it arrived; null to refuse
     * @param base the branch or the commit id that {@code from} names
     */
    record Place(
            String branch, @Nullable String from, @Nullable String base) {}

    /**
     * A load as it arrived.
     *
     * @param condition the head that the branch, or the base, must have; null for any
     * @param key null for a load without one
     */
    record Request(
            WriteTerms terms,
            Place place,
            @Nullable Ulid condition,
            @Nullable WriteKey<LoadResult> key,
            LoadBatch batch,
            RequestBudget budget,
            StagedBlobs staged) {}

    LoadWrite(GraphWriter writer, Request request) {
        super(writer.storage(), writer.log(), request.key, request.budget, request.staged);
        this.rules = writer.rules();
        this.request = request;
    }

    /** The branch that the records are compared with: the target, or the base that it will be created from. */
    private Branch base(GraphSession session) {
        Branch branch = session.branch(request.place.branch);
        Branch base =
                branch != null ? branch : Loads.base(session, request.terms, request.place.branch, request.place.base);
        Targets.checkCondition(base, request.condition, request.terms.caller());
        return base;
    }

    @Override
    protected CheckedChanges prepare(GraphSession session) {
        return changes(session, base(session), request.budget, new FreshIds(Budgets.nowMicros()));
    }

    @Override
    protected Decided<LoadResult> decide(WriteSession session, CheckedChanges ahead, boolean last) {
        boolean allChange = request.batch.mode != LoadMode.OVERWRITE
                && request.batch.size() == ahead.changes().count();
        CheckedChanges.Watch watch = allChange ? CheckedChanges.Watch.NOTHING : since -> concerns(request.batch, since);
        long sinceMax = allChange ? SINCE_MAX : SINCE_MAX_UNCHANGED;
        Branch base = base(session);
        if (ahead.advance(session, base, sinceMax, watch) == CheckedChanges.Verdict.VALID) {
            return decide(session, base, ahead.changes());
        }
        return last ? decide(session, base, onWriter(session, base)) : new Decided.Again<>();
    }

    /** Makes the changes on the writer's thread. */
    Decided<LoadResult> decideHere(WriteSession session) {
        Branch base = base(session);
        return decide(session, base, onWriter(session, base));
    }

    private ChangeBlock onWriter(WriteSession session, Branch base) {
        Supplier<String> newIds = () -> session.nextId().toString();
        return changes(session, base, request.budget.onWriter(), newIds).changes();
    }

    /** Whether the batch has a record of the entity, even if it changes nothing. */
    private static boolean concerns(LoadBatch batch, ChangeReader since) {
        LoadType type = batch.ofType(since.type());
        return type != null
                && (batch.mode == LoadMode.OVERWRITE
                        || batch.isOpen(since.type())
                        || LoadBatch.lineOf(type, since.id()) > 0);
    }

    private CheckedChanges changes(GraphSession session, Branch branch, RequestBudget budget, Supplier<String> newIds) {
        try (GraphView view = session.view(branch.headPoint())) {
            return new LoadRun(request.batch, view, newIds, budget).run(branch, rules);
        }
    }

    private Decided<LoadResult> decide(WriteSession session, Branch base, ChangeBlock changes) {
        boolean forks = request.place.base != null && session.branch(request.place.branch) == null;
        return new Decided.Done<>(forks ? fork(session, base, changes) : append(base, changes));
    }

    private WriteCommand.Decision<LoadResult> append(Branch target, ChangeBlock changes) {
        return changes.isEmpty()
                ? WriteKey.unchanged(request.key, target, result(false, null))
                : new WriteCommand.Decision.Append<>(commit(target, changes, false), event -> loaded(false, event));
    }

    private WriteCommand.Decision<LoadResult> fork(WriteSession before, Branch base, ChangeBlock changes) {
        // The note stands at the commit; without one, at the creation of the branch.
        Origin creation = changes.isEmpty() ? request.terms.origin() : Origin.of(request.terms.actor());
        WriteCommand.Draft fork = Branches.fork(before, request.place.branch, base, creation);
        Function<WriteSession, Branch> forked =
                session -> Targets.branch(session, request.place.branch, request.terms.caller());
        if (!changes.isEmpty()) {
            return new WriteCommand.Decision.AppendPair<>(
                    fork, session -> commit(forked.apply(session), changes, true), event -> loaded(true, event));
        }
        LoadResult result = result(true, null);
        WriteKey<LoadResult> key = request.key;
        return key == null
                ? new WriteCommand.Decision.Append<>(fork, event -> result)
                : new WriteCommand.Decision.AppendPair<>(
                        fork, session -> key.remember(forked.apply(session), result), event -> result);
    }

    private WriteCommand.Draft commit(Branch branch, ChangeBlock changes, boolean created) {
        return new WriteCommand.Draft.Commit(
                CommitKind.LOAD,
                branch,
                null,
                request.terms.origin(),
                WriteKey.entry(request.key, result(created, null)),
                null,
                changes);
    }

    private LoadResult loaded(boolean created, Event event) {
        return result(created, CommitRecord.of(((Event.Commit) event).header()));
    }

    private LoadResult result(boolean created, @Nullable CommitRecord commit) {
        List<LoadResult.TypeLoad> nodes = new ArrayList<>();
        List<LoadResult.TypeLoad> edges = new ArrayList<>();
        for (LoadType type : request.batch.types) {
            (type.type.kind() == EntityKind.NODE ? nodes : edges)
                    .add(new LoadResult.TypeLoad(type.type.name(), type.records.size()));
        }
        nodes.sort(Comparator.comparing(LoadResult.TypeLoad::name));
        edges.sort(Comparator.comparing(LoadResult.TypeLoad::name));
        return new LoadResult(
                new LoadResult.Target(request.place.branch, request.place.from, created),
                request.batch.mode,
                nodes,
                edges,
                request.batch.edgesWithoutId(),
                request.terms.actor(),
                commit,
                false);
    }

    @Override
    protected void release(CheckedChanges prepared) {
        prepared.close();
    }
}
