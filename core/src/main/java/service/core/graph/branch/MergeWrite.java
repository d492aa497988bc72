package service.core.graph.branch;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.GraphWriter;
import service.core.graph.check.RulesCache;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.PreparedWrite;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.ReadPoint;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * The write of one merge ({@code docs/branches.md}).
 *
 * <p>The work runs on the caller's thread, over one consistent session: merge base, net changes of the source,
 * decisions, constraint checks. The writer then only checks whether both heads are still the same. If the target has
 * later, plain commits, the base is still the same, and the writer validates the merge against their changes
 * ({@link CheckedChanges}); when it is not valid any more, the writer decides a small merge again, and the caller's
 * thread a large one. If the source keeps moving, after some attempts its head at the start of the attempt is merged:
 * that head is later than the request, so that no commit acknowledged before the request is missing.
 */
final class MergeWrite extends PreparedWrite<PreparedMerge, MergeResult> {
    private final RulesCache rules;
    private final Request request;
    private @Nullable Branch source;

    /**
     * A merge as it arrived.
     *
     * @param condition the head that the target must have; null for any
     * @param key null for a merge without one, and for a preview
     */
    record Request(
            WriteTerms terms,
            MergeRequest merge,
            @Nullable Ulid condition,
            @Nullable WriteKey<MergeResult> key,
            boolean byProperty,
            RequestBudget budget,
            TimeBudget time) {}

    MergeWrite(GraphWriter writer, Request request) {
        super(writer.storage(), writer.log(), request.key, request.budget);
        this.rules = writer.rules();
        this.request = request;
    }

    /** The source with the head that was merged. */
    Branch source() {
        if (source == null) {
            throw new IllegalStateException("nothing was merged");
        }
        return source;
    }

    private Branch readSource(GraphSession session) {
        return Targets.readable(session, request.merge.source(), request.terms.caller());
    }

    private Branch target(GraphSession session) {
        Branch target = Targets.branch(session, request.merge.target(), request.terms.caller());
        Targets.checkCondition(target, request.condition, request.terms.caller());
        return target;
    }

    @Override
    protected PreparedMerge prepare(GraphSession session) {
        request.time.check();
        Branch from = readSource(session);
        Branch into = target(session);
        source = from;
        CommitGraph graph = new CommitGraph(session, request.time);
        List<CommitGraph.Place> bases = graph.mergeBases(head(session, from), head(session, into));
        CommitGraph.Place reading = bases.getFirst();
        List<ChangeBlock> others = new ArrayList<>();
        try {
            Catalog schema = session.catalog(from.headPoint());
            NetChanges changes = new NetChanges(session, graph, request.time, request.budget).as(schema);
            for (CommitGraph.Place other : bases.subList(1, bases.size())) {
                reading = other;
                others.add(changes.between(bases.getFirst(), other));
            }
            reading = bases.getFirst();
            return prepare(session, graph, new Bases(bases.getFirst(), others, schema), from, into);
        } catch (ServiceException e) {
            throw e.code() == ErrorCode.SNAPSHOT_RECLAIMED ? baseReclaimed(session, reading, from, into) : e;
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

    /**
     * The merge bases.
     *
     * @param others how the others differ from the newest one
     * @param schema of the source
     */
    private record Bases(CommitGraph.Place newest, List<ChangeBlock> others, Catalog schema) {}

    private PreparedMerge prepare(GraphSession session, CommitGraph graph, Bases bases, Branch from, Branch into) {
        CommitGraph.Place base = bases.newest;
        Catalog schema = session.catalog(into.headPoint());
        boolean oneSchema = schema.fingerprint().equals(bases.schema.fingerprint());
        CommitGraph.Place fromHead = head(session, from);
        MergeOutcome outcome = base.offset() == fromHead.offset()
                ? MergeOutcome.ALREADY_UP_TO_DATE
                : oneSchema
                                && request.merge.form() == MergeRequest.Form.ANY
                                && graph.isFirstParentAncestor(head(session, into), fromHead)
                        ? MergeOutcome.FAST_FORWARD
                        : MergeOutcome.MERGED;
        if (outcome != MergeOutcome.ALREADY_UP_TO_DATE && !oneSchema) {
            requireNewest(session, into, schema);
        }
        if (outcome != MergeOutcome.MERGED && !request.merge.resolutions().isEmpty()) {
            throw Resolutions.needless(request.merge.resolutions().getFirst());
        }
        CommitHeader baseCommit = session.header(base.offset());
        ChangeBlock changes = outcome == MergeOutcome.ALREADY_UP_TO_DATE
                ? ChangeBlock.EMPTY
                : new NetChanges(session, graph, request.time, request.budget)
                        .as(bases.schema)
                        .since(base, fromHead);
        MergeInput input = input(new ReadPoint(baseCommit.incarnation(), base.offset()), changes, bases, schema);
        return new PreparedMerge(
                new PreparedMerge.Heads(
                        from, into, fromHead.offset(), session.lastMerge(into.incarnation(), into.historyLength() - 1)),
                outcome,
                baseCommit.id(),
                input,
                outcome == MergeOutcome.MERGED ? input.over(session, into, request.time, rules) : null);
    }

    /**
     * A merge shows the changes of a source with an earlier schema as the target has them. So the target must have the
     * schema of {@code main}, which is the latest one.
     */
    private static void requireNewest(GraphSession session, Branch target, Catalog into) {
        if (!session.catalog(Targets.main(session).headPoint()).fingerprint().equals(into.fingerprint())) {
            throw ServiceException.conflict(
                    Reason.SCHEMA,
                    ("branch `%s` does not have the schema of main, and the branch to merge has another one: run"
                                    + " `service branch upgrade %s` (POST /branches/%s/upgrade), then merge again")
                            .formatted(
                                    target.name(),
                                    target.name(),
                                    URLEncoder.encode(target.name(), StandardCharsets.UTF_8)));
        }
    }

    /** The changes as the target has them. */
    private MergeInput input(ReadPoint base, ChangeBlock changes, Bases bases, Catalog schema) {
        PresentSchema present = new PresentSchema(schema);
        Catalog own = bases.schema;
        boolean oneSchema = schema.fingerprint().equals(own.fingerprint());
        return new MergeInput(
                base,
                schema,
                oneSchema ? changes : present.shown(changes, own, own, request.budget, request.time),
                bases.others.stream()
                        .map(other -> present.show(other, own, own, request.budget, request.time))
                        .toList(),
                oneSchema ? null : new MergeInput.Written(own, changes),
                new MergeInput.Asked(MergeSides.MERGE, request.byProperty, request.merge.resolutions()),
                request.budget);
    }

    private static CommitGraph.Place head(GraphSession session, Branch branch) {
        long sequence = branch.historyLength() - 1;
        return new CommitGraph.Place(branch.incarnation(), sequence, session.history(branch.incarnation(), sequence));
    }

    /** The preview of a dry run. Conflicts end any other merge here. */
    @Override
    protected @Nullable MergeResult answered(PreparedMerge prepared) {
        if (request.merge.dryRun()) {
            return preview(prepared);
        }
        refuseConflicts(prepared, prepared.merged());
        return null;
    }

    private MergeResult preview(PreparedMerge prepared) {
        MergeRun.Merged merged = prepared.merged();
        int count = merged == null ? 0 : merged.conflictCount();
        List<MergeConflict> conflicts =
                merged == null ? List.of() : MergeRefusal.shown(merged, request.merge.target(), request.terms.caller());
        ChangeBlock net = prepared.net();
        return new MergeResult(
                branches(),
                count > 0
                        ? MergeOutcome.CONFLICT
                        : merged != null && isSquash() && merged.changes().isEmpty()
                                ? MergeOutcome.ALREADY_UP_TO_DATE
                                : prepared.outcome(),
                request.terms.actor(),
                null,
                net.counts(),
                null,
                new MergeResult.Preview(
                        net.count(),
                        conflicts,
                        count,
                        merged == null ? MergeResult.Resolved.NONE : merged.resolved(),
                        prepared.baseId()),
                false);
    }

    private void refuseConflicts(PreparedMerge prepared, MergeRun.@Nullable Merged merged) {
        if (merged != null && merged.conflictCount() > 0) {
            throw MergeRefusal.of(
                    "branch `" + request.merge.source() + "` does not merge into `" + request.merge.target() + "`",
                    MergeSides.MERGE,
                    request.merge.target(),
                    request.terms.caller(),
                    merged,
                    prepared.baseId(),
                    request.byProperty);
        }
    }

    @Override
    protected Decided<MergeResult> decide(WriteSession session, PreparedMerge prepared, boolean last) {
        Branch from = readSource(session);
        Branch into = target(session);
        PreparedMerge.Heads heads = prepared.heads();
        boolean sameTarget = into.equals(heads.target());
        if (from.incarnation() != heads.source().incarnation()
                || into.incarnation() != heads.target().incarnation()
                || (!last && !from.head().equals(heads.source().head()))) {
            return new Decided.Again<>();
        }
        return switch (prepared.outcome()) {
            case ALREADY_UP_TO_DATE -> upToDate(into);
            case FAST_FORWARD -> sameTarget ? fastForward(session, prepared) : new Decided.Again<>();
            case MERGED, CONFLICT -> {
                MergeRun.Merged merged = prepared.merged();
                if (!sameTarget) {
                    merged = sameBase(session, prepared, into)
                            ? prepared.input().overLaterHead(session, into, merged, last, request.time, rules)
                            : null;
                }
                if (merged == null) {
                    yield new Decided.Again<>();
                }
                refuseConflicts(prepared, merged);
                yield isSquash() && merged.changes().isEmpty()
                        ? upToDate(into)
                        : commit(heads.source(), into, merged.changes());
            }
        };
    }

    /**
     * Whether the commits on the target since have left the merge base unchanged: they are not merges and are later
     * than the source's head, so that they are not its ancestors.
     */
    private static boolean sameBase(WriteSession session, PreparedMerge prepared, Branch target) {
        long before = prepared.heads().target().historyLength();
        return target.historyLength() == before
                || (session.history(target.incarnation(), before)
                                > prepared.heads().sourceHead()
                        && session.lastMerge(target.incarnation(), target.historyLength() - 1)
                                == prepared.heads().lastMerge());
    }

    private boolean isSquash() {
        return request.merge.form() == MergeRequest.Form.SQUASH;
    }

    private Decided<MergeResult> upToDate(Branch into) {
        return new Decided.Done<>(WriteKey.unchanged(
                request.key, into, result(MergeOutcome.ALREADY_UP_TO_DATE, null, ChangeCounts.NONE)));
    }

    private Decided<MergeResult> fastForward(WriteSession session, PreparedMerge prepared) {
        ChangeBlock changes = prepared.input().source();
        CommitRecord head = CommitRecord.of(session.header(prepared.heads().sourceHead()));
        MergeResult result = result(MergeOutcome.FAST_FORWARD, head, changes.counts());
        return new Decided.Done<>(new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.FastForward(
                        prepared.heads().target(),
                        prepared.heads().source(),
                        request.terms.origin(),
                        WriteKey.entry(request.key, result),
                        changes),
                event -> result));
    }

    private Decided<MergeResult> commit(Branch from, Branch into, ChangeBlock changes) {
        ChangeCounts counts = changes.counts();
        return new Decided.Done<>(new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.Commit(
                        CommitKind.MERGE,
                        into,
                        isSquash() ? null : from.head(),
                        request.terms.origin(),
                        WriteKey.entry(request.key, result(MergeOutcome.MERGED, null, counts)),
                        null,
                        Resolution.sides(request.merge.resolutions()),
                        changes),
                event -> result(MergeOutcome.MERGED, CommitRecord.of(((Event.Commit) event).header()), counts)));
    }

    private MergeResult result(MergeOutcome outcome, @Nullable CommitRecord commit, ChangeCounts counts) {
        return new MergeResult(branches(), outcome, request.terms.actor(), commit, counts, null, null, false);
    }

    private MergeResult.Branches branches() {
        return new MergeResult.Branches(request.merge.source(), request.merge.target());
    }

    @Override
    protected void release(PreparedMerge prepared) {
        prepared.close();
    }
}
