package service.core.graph.branch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.GraphWriter;
import service.core.graph.check.RulesCache;
import service.core.graph.request.BranchOperation;
import service.core.graph.request.Budgets;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.json.Json;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.value.Ulid;

/**
 * Merges one branch into another ({@code data.md} §7).
 *
 * <p>The work runs on the caller's thread, over one consistent session: merge base, net changes of the source,
 * decisions, constraint checks. The writer then only checks whether both heads are still the same. If the target has
 * later, plain commits, the base is still the same, and the writer validates the merge against their changes
 * ({@link CheckedChanges}); when it is not valid any more, the writer decides a small merge again, and the caller's
 * thread a large one. If the source keeps moving, after some attempts its head at the start of the attempt is merged:
 * that head is later than the request, so that no commit acknowledged before the request is missing.
 */
public final class Merges {
    /** After this number of attempts the head of a moving source at the start of the attempt is merged. */
    private static final int EXACT_ATTEMPTS = 3;

    /** Maximum number of changes that the writer decides again in the first attempt. */
    private static final int QUICK_CHANGES = 1_000;

    /** Maximum number of changed entities of later commits on the target that the writer checks to validate a merge. */
    private static final long SINCE_MAX = 16_384;

    private static final String SOURCE = "source";
    private static final String TARGET = "target";
    private static final String OUTCOME = "outcome";
    private static final String NODES = "nodes";
    private static final String EDGES = "edges";
    private static final String DELETE = "delete";

    private final GraphStorage storage;
    private final Branches branches;
    private final CommitLog log;
    private final RulesCache rules;

    public Merges(GraphWriter writer, Branches branches) {
        this.storage = writer.storage();
        this.log = writer.log();
        this.rules = writer.rules();
        this.branches = branches;
    }

    private record Request(
            WriteTerms terms,
            MergeRequest merge,
            BranchStatements.@Nullable Statement statement,
            @Nullable Ulid condition,
            @Nullable WriteKey key,
            boolean byProperty,
            RequestBudget budget,
            TimeBudget time) {}

    /**
     * The merge as prepared outside of the writer. Closing it releases its changes before the request ends, for the
     * next attempt; it must come after the writer's last use.
     */
    private static final class Prepared implements AutoCloseable {
        final Branch source;
        final Branch target;
        final MergeOutcome outcome;

        /** State of the merge base. */
        final ReadPoint base;

        /** The commit of the merge base. */
        final Ulid baseId;

        /** Offset of the source's head commit. */
        final long sourceHead;

        /** Last merge in the target's history. */
        final long lastMerge;

        /** Net changes of the source since the base. */
        final ChangeBlock changes;

        final MergeRun.@Nullable Merged merged;

        Prepared(
                Branch source,
                Branch target,
                MergeOutcome outcome,
                ReadPoint base,
                Ulid baseId,
                long sourceHead,
                long lastMerge,
                ChangeBlock changes,
                MergeRun.@Nullable Merged merged) {
            this.source = source;
            this.target = target;
            this.outcome = outcome;
            this.base = base;
            this.baseId = baseId;
            this.sourceHead = sourceHead;
            this.lastMerge = lastMerge;
            this.changes = changes;
            this.merged = merged;
        }

        ChangeBlock net() {
            return merged == null ? changes : merged.changes();
        }

        @Override
        public void close() {
            changes.close();
            if (merged != null) {
                merged.changes().close();
            }
        }
    }

    /** The writer's result; null when the merge must be prepared again. */
    private record Attempt(@Nullable MergeResult result) {}

    /** Merges, on the calling thread; blocks until the outcome is durable. */
    public MergeResult run(WriteTerms terms, MergeRequest merge, Settings settings, RequestBudget budget) {
        return run(terms, merge, settings, budget, null);
    }

    /**
     * Merges for a statement, with its key and receipt.
     *
     * @param statement null for a request that is not a statement
     */
    MergeResult run(
            WriteTerms terms,
            MergeRequest merge,
            Settings settings,
            RequestBudget budget,
            BranchStatements.@Nullable Statement statement) {
        if (merge.source().equals(merge.target())) {
            throw ServiceException.badRequest(
                    "branch `" + merge.source() + "` cannot be merged into itself; name another target");
        }
        Request request = request(terms, merge, settings, budget, statement);
        for (int attempt = 0; ; attempt++) {
            request.time.check();
            Prepared prepared;
            try (GraphSession session = storage.session()) {
                MergeResult first = replayed(session, request, Budgets.nowMicros());
                if (first != null) {
                    return first;
                }
                prepared = prepare(session, request);
            }
            MergeResult result;
            try (prepared) {
                if (merge.dryRun()) {
                    return preview(request, prepared);
                }
                refuseConflicts(request, prepared, prepared.merged);
                boolean exact = attempt < EXACT_ATTEMPTS;
                result = budget.blocking(
                                () -> CommitLog.await(log.submit(session -> decide(session, request, prepared, exact))))
                        .result;
            }
            if (result != null) {
                return merge.deleteSource() && !result.replayed() ? deleteSource(request, prepared, result) : result;
            }
        }
    }

    private static Request request(
            WriteTerms terms,
            MergeRequest merge,
            Settings settings,
            RequestBudget budget,
            BranchStatements.@Nullable Statement statement) {
        RequestDigest digest = new RequestDigest("merge")
                .add(merge.source())
                .add(merge.target())
                .add(Boolean.toString(merge.deleteSource()))
                .add(Boolean.toString(settings.mergesProperties()))
                .add(terms.condition());
        merge.resolutions().forEach(resolution -> digest.add(resolution.text()));
        return new Request(
                terms,
                merge,
                statement,
                Targets.condition(terms.condition()),
                merge.dryRun() ? null : statement != null ? statement.key() : WriteKey.of(terms, digest),
                settings.mergesProperties(),
                budget,
                TimeBudget.start("the merge", settings, budget));
    }

    private Prepared prepare(GraphSession session, Request request) {
        Caller caller = request.terms.caller();
        Branch source = Targets.readable(session, request.merge.source(), caller);
        Branch target = Targets.branch(session, request.merge.target(), caller);
        Targets.checkCondition(target, request.condition, caller);
        CommitGraph graph = new CommitGraph(session, request.time);
        CommitGraph.Place from = head(session, source);
        CommitGraph.Place into = head(session, target);
        CommitGraph.Place base = graph.mergeBase(from, into);
        try {
            return prepare(session, request, graph, base, source, target);
        } catch (ServiceException e) {
            throw e.code() == ErrorCode.SNAPSHOT_RECLAIMED ? baseReclaimed(session, base, source, target) : e;
        }
    }

    /**
     * Cleanup keeps the merge bases of every pair of branches only if there are few branches; otherwise those of each
     * branch with {@code main} and with the branch that it was forked from.
     */
    private static ServiceException baseReclaimed(
            GraphSession session, CommitGraph.Place base, Branch source, Branch target) {
        return new ServiceException(
                ErrorCode.SNAPSHOT_RECLAIMED,
                "cleanup has reclaimed commit "
                        + session.header(base.offset()).id()
                        + ", the merge base of branches `"
                        + source.name()
                        + "` and `"
                        + target.name()
                        + "`: merge each with `main` or with the branch that it was forked from"
                        + " instead");
    }

    private Prepared prepare(
            GraphSession session,
            Request request,
            CommitGraph graph,
            CommitGraph.Place base,
            Branch source,
            Branch target) {
        CommitGraph.Place from = head(session, source);
        CommitGraph.Place into = head(session, target);
        MergeOutcome outcome = base.offset() == from.offset()
                ? MergeOutcome.ALREADY_UP_TO_DATE
                : graph.isFirstParentAncestor(into, from) ? MergeOutcome.FAST_FORWARD : MergeOutcome.MERGED;
        if (outcome != MergeOutcome.MERGED && !request.merge.resolutions().isEmpty()) {
            throw Resolutions.needless(request.merge.resolutions().getFirst());
        }
        CommitHeader baseCommit = session.header(base.offset());
        ReadPoint basePoint = new ReadPoint(baseCommit.incarnation(), base.offset());
        ChangeBlock changes = outcome == MergeOutcome.ALREADY_UP_TO_DATE
                ? ChangeBlock.EMPTY
                : new NetChanges(session, graph, request.time, request.budget).since(base, from);
        return new Prepared(
                source,
                target,
                outcome,
                basePoint,
                baseCommit.id(),
                from.offset(),
                session.lastMerge(target.incarnation(), target.historyLength() - 1),
                changes,
                outcome == MergeOutcome.MERGED
                        ? merged(session, request, request.time, basePoint, changes, target)
                        : null);
    }

    private static CommitGraph.Place head(GraphSession session, Branch branch) {
        long sequence = branch.historyLength() - 1;
        return new CommitGraph.Place(branch.incarnation(), sequence, session.history(branch.incarnation(), sequence));
    }

    private MergeRun.Merged merged(
            GraphSession session,
            Request request,
            TimeBudget time,
            ReadPoint base,
            ChangeBlock changes,
            Branch target) {
        try (GraphView view = session.view(target.headPoint())) {
            return new MergeRun(
                            session,
                            base,
                            changes,
                            target,
                            view,
                            request.byProperty,
                            request.merge.resolutions(),
                            time,
                            request.budget)
                    .run(rules);
        }
    }

    private static MergeResult preview(Request request, Prepared prepared) {
        MergeRun.Merged merged = prepared.merged;
        boolean refused = merged != null && merged.conflictCount() > 0;
        List<MergeConflict> conflicts =
                merged == null ? List.of() : MergeRefusal.shown(merged, request.merge, request.terms.caller());
        ChangeBlock net = prepared.net();
        return new MergeResult(
                branches(request),
                refused ? MergeOutcome.CONFLICT : prepared.outcome,
                request.terms.actor(),
                null,
                net.counts(),
                null,
                new MergeResult.Preview(
                        net.count(),
                        conflicts,
                        merged == null ? 0 : merged.conflictCount(),
                        merged == null ? MergeResult.Resolved.NONE : merged.resolved(),
                        prepared.baseId),
                false);
    }

    private static void refuseConflicts(Request request, Prepared prepared, MergeRun.@Nullable Merged merged) {
        if (merged != null && merged.conflictCount() > 0) {
            throw MergeRefusal.of(request.merge, request.terms.caller(), merged, prepared.baseId, request.byProperty);
        }
    }

    private WriteCommand.Decision<Attempt> decide(
            WriteSession session, Request request, Prepared prepared, boolean exact) {
        MergeResult first = replayed(session, request, session.nowMicros());
        if (first != null) {
            return new WriteCommand.Decision.Nothing<>(new Attempt(first));
        }
        Caller caller = request.terms.caller();
        Branch source = Targets.readable(session, request.merge.source(), caller);
        Branch target = Targets.branch(session, request.merge.target(), caller);
        Targets.checkCondition(target, request.condition, caller);
        boolean sameTarget = target.equals(prepared.target);
        if (source.incarnation() != prepared.source.incarnation()
                || target.incarnation() != prepared.target.incarnation()
                || (exact && !source.head().equals(prepared.source.head()))) {
            return new WriteCommand.Decision.Nothing<>(new Attempt(null));
        }
        return switch (prepared.outcome) {
            case ALREADY_UP_TO_DATE -> {
                MergeResult result = result(request, prepared.outcome, null, ChangeCounts.NONE);
                yield WriteKey.unchanged(request.key, target, () -> receipt(request, result), new Attempt(result));
            }
            case FAST_FORWARD ->
                sameTarget
                        ? fastForward(session, request, prepared)
                        : new WriteCommand.Decision.Nothing<>(new Attempt(null));
            case MERGED, CONFLICT -> {
                MergeRun.Merged merged = prepared.merged;
                if (!sameTarget) {
                    merged = sameBase(session, prepared, target)
                            ? overLaterHead(session, request, prepared, target, exact)
                            : null;
                }
                if (merged == null) {
                    yield new WriteCommand.Decision.Nothing<>(new Attempt(null));
                }
                refuseConflicts(request, prepared, merged);
                yield commit(request, prepared, target, merged.changes());
            }
        };
    }

    /**
     * The merge over a later head of the target: the prepared one if it is still valid, else a new one if that is quick
     * or this is the last attempt; null when the caller's thread must prepare it again.
     */
    private MergeRun.@Nullable Merged overLaterHead(
            WriteSession session, Request request, Prepared prepared, Branch target, boolean exact) {
        MergeRun.Merged merged = prepared.merged;
        if (merged != null
                && merged.checked()
                                .advance(
                                        session,
                                        target,
                                        SINCE_MAX,
                                        since -> prepared.changes.indexOf(since.type(), since.id()) >= 0)
                        == CheckedChanges.Verdict.VALID) {
            return merged;
        }
        return prepared.changes.count() <= QUICK_CHANGES || !exact
                ? merged(session, request, request.time.onWriter(), prepared.base, prepared.changes, target)
                : null;
    }

    /**
     * Whether the commits on the target since have left the merge base unchanged: they are not merges and are later
     * than the source's head, so that they are not its ancestors.
     */
    private static boolean sameBase(WriteSession session, Prepared prepared, Branch target) {
        long before = prepared.target.historyLength();
        return target.historyLength() == before
                || (session.history(target.incarnation(), before) > prepared.sourceHead
                        && session.lastMerge(target.incarnation(), target.historyLength() - 1) == prepared.lastMerge);
    }

    private static WriteCommand.Decision<Attempt> fastForward(
            WriteSession session, Request request, Prepared prepared) {
        CommitRecord head = CommitRecord.of(session.header(prepared.sourceHead));
        MergeResult result = result(request, MergeOutcome.FAST_FORWARD, head, prepared.changes.counts());
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.FastForward(
                        prepared.target,
                        prepared.source,
                        request.terms.actor(),
                        WriteKey.entry(request.key, () -> receipt(request, result)),
                        prepared.changes),
                event -> new Attempt(result));
    }

    private static WriteCommand.Decision<Attempt> commit(
            Request request, Prepared prepared, Branch target, ChangeBlock changes) {
        ChangeCounts counts = changes.counts();
        MergeResult unwritten = result(request, MergeOutcome.MERGED, null, counts);
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.Commit(
                        CommitKind.MERGE,
                        target,
                        prepared.source.head(),
                        request.terms.actor(),
                        WriteKey.entry(request.key, () -> receipt(request, unwritten)),
                        null,
                        Resolution.sides(request.merge.resolutions()),
                        changes),
                event -> new Attempt(result(
                        request, MergeOutcome.MERGED, CommitRecord.of(((Event.Commit) event).header()), counts)));
    }

    private static MergeResult result(
            Request request, MergeOutcome outcome, @Nullable CommitRecord commit, ChangeCounts counts) {
        return new MergeResult(branches(request), outcome, request.terms.actor(), commit, counts, null, null, false);
    }

    private static MergeResult.Branches branches(Request request) {
        return new MergeResult.Branches(request.merge.source(), request.merge.target());
    }

    /** Deletes the source after a merge that was written; a refused deletion does not undo the merge. */
    private MergeResult deleteSource(Request request, Prepared prepared, MergeResult result) {
        boolean mayDelete = request.terms.caller().may(Action.BRANCH_DELETE, prepared.source.name());
        String refusal = mayDelete ? null : "you may not delete branch `" + prepared.source.name() + "`";
        if (refusal == null) {
            try {
                CommitLog.await(branches.deleteMerged(request.terms.caller(), prepared.source));
            } catch (ServiceException e) {
                refusal = e.getMessage();
            }
        }
        return deleted(result, refusal);
    }

    private static MergeResult deleted(MergeResult result, @Nullable String refusal) {
        return new MergeResult(
                result.branches(),
                result.outcome(),
                result.actor(),
                result.commit(),
                result.counts(),
                new MergeResult.SourceDeletion(refusal),
                result.preview(),
                result.replayed());
    }

    private static ObjectNode receipt(Request request, MergeResult result) {
        ObjectNode receipt = request.statement == null
                ? Json.object()
                : BranchStatements.receipt(
                        request.statement.branch(), new BranchOperation("merged", null, null, null, null));
        return receipt.put(SOURCE, result.branches().source())
                .put(TARGET, result.branches().target())
                .put(OUTCOME, result.outcome().name())
                .put(NODES, result.counts().nodes())
                .put(EDGES, result.counts().edges())
                .put(DELETE, request.merge.deleteSource());
    }

    private static @Nullable MergeResult replayed(GraphSession session, Request request, long nowMicros) {
        WriteKey.First first = request.key == null ? null : request.key.find(session, nowMicros);
        if (first == null) {
            return null;
        }
        JsonNode receipt = first.receipt();
        String source = receipt.path(SOURCE).asText();
        MergeResult result = new MergeResult(
                new MergeResult.Branches(source, receipt.path(TARGET).asText()),
                MergeOutcome.valueOf(receipt.path(OUTCOME).asText()),
                request.terms.actor(),
                first.commit(),
                new ChangeCounts(
                        0,
                        receipt.path(NODES).asInt(),
                        0,
                        0,
                        receipt.path(EDGES).asInt(),
                        0),
                null,
                null,
                true);
        if (!receipt.path(DELETE).asBoolean()) {
            return result;
        }
        // The deletion is a later event than the one that remembers the merge.
        boolean gone = session.branch(source) == null;
        return deleted(result, gone ? null : "branch `" + source + "` exists");
    }
}
