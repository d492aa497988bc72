package service.core.graph.branch;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.ChangeBlockWriter;
import service.core.event.ChangeCounts;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.CommitReader;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.GraphWriter;
import service.core.graph.check.RulesCache;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.LeftOut;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.PreparedWrite;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * The write of one revert, restore or pick.
 *
 * <p>A revert is a three-way merge into the head of the branch: its base is the commit, its source the state before the
 * commit. A pick is the same with base and source exchanged. So what the branch has changed since is kept, and what
 * both have changed is in conflict. A restore makes the head equal to the state of the commit, without a question.
 *
 * <p>The caller's thread does the work, and the writer compares the head, as in {@link MergeWrite}. The commits that
 * the ref names are found once, so that {@code main~1} means the same in each attempt.
 */
final class UndoWrite extends PreparedWrite<UndoWrite.Prepared, UndoResult> {
    /**
     * A request as it arrived.
     *
     * @param condition the head that the branch must have; null for any
     * @param key null for a write without one, and for a preview
     */
    record Request(
            WriteTerms terms,
            UndoRequest undo,
            @Nullable Ulid condition,
            @Nullable WriteKey<UndoResult> key,
            RequestBudget budget,
            TimeBudget time) {}

    /**
     * What was prepared.
     *
     * @param target the branch with the head that {@code merged} belongs to
     * @param input null for a restore
     */
    record Prepared(Branch target, @Nullable MergeInput input, MergeRun.Merged merged, List<LeftOut> leftOut) {}

    private final RulesCache rules;
    private final Request request;
    private final UndoRequest undo;
    private @Nullable UndoneCommits commits;

    UndoWrite(GraphWriter writer, Request request) {
        super(writer.storage(), writer.log(), request.key, request.budget);
        this.rules = writer.rules();
        this.request = request;
        this.undo = request.undo;
    }

    private Branch target(GraphSession session) {
        Branch target = Targets.branch(session, undo.branch(), request.terms.caller());
        Targets.checkCondition(target, request.condition, request.terms.caller());
        return target;
    }

    private UndoneCommits commits() {
        return Objects.requireNonNull(commits, "found in the first attempt");
    }

    @Override
    protected Prepared prepare(GraphSession session) {
        request.time.check();
        Branch target = target(session);
        if (commits == null) {
            commits = UndoneCommits.find(session, undo, request.terms.caller(), request.time);
        }
        return undo.kind() == CommitKind.RESTORE
                ? restored(session, target, request.budget, request.time)
                : merged(session, target);
    }

    private Prepared merged(GraphSession session, Branch target) {
        CommitHeader commit = commits().commit();
        CommitHeader since = Objects.requireNonNull(commits().since());
        try (GraphView view = session.view(target.headPoint())) {
            PresentSchema present = new PresentSchema(view);
            Catalog then = catalog(session, commit);
            boolean forward = undo.kind() == CommitKind.PICK;
            ChangeBlock changes = commits().isRange()
                    ? present.show(
                            between(session, commit, since),
                            then,
                            catalog(session, since),
                            request.budget,
                            request.time)
                    : present.show(ofEvent(session, commit, forward), then, then, request.budget, request.time);
            MergeInput input = new MergeInput(
                    point(commit),
                    view.catalog(),
                    changes,
                    List.of(),
                    null,
                    new MergeInput.Asked(sides(), undo.byProperty(), undo.resolutions()),
                    request.budget);
            MergeRun.Merged merged = input.over(session, target, request.time, rules);
            return new Prepared(target, input, merged, present.leftOut());
        }
    }

    private MergeSides sides() {
        return undo.kind() == CommitKind.PICK
                ? MergeSides.PICK
                : commits().isRange() ? MergeSides.REVERT_RANGE : MergeSides.REVERT;
    }

    /** What a commit changed, in the one direction or the other. */
    private ChangeBlock ofEvent(GraphSession session, CommitHeader commit, boolean forward) {
        CommitReader event = session.commit(commit.offset(), 0);
        if (session.isReclaimed(commit.incarnation(), commit.offset())) {
            throw commits().reclaimed();
        }
        ChangeReader reader = event.changes();
        ChangeBlockWriter changes = new ChangeBlockWriter(request.budget);
        while (reader.next()) {
            request.time.step();
            EntityChange change = reader.change();
            changes.add(
                    change.kind(),
                    change.typeIdentity(),
                    change.id(),
                    forward ? change.before() : change.after(),
                    forward ? change.after() : change.before());
        }
        return changes.finish();
    }

    private ChangeBlock between(GraphSession session, CommitHeader from, CommitHeader to) {
        CommitGraph graph = new CommitGraph(session, request.time);
        return new NetChanges(session, graph, request.time, request.budget)
                .between(graph.place(from.id()), graph.place(to.id()));
    }

    private Prepared restored(GraphSession session, Branch target, RequestBudget budget, TimeBudget time) {
        CommitHeader commit = commits().commit();
        CommitGraph graph = new CommitGraph(session, time);
        ChangeBlock net = new NetChanges(session, graph, time, budget)
                .between(graph.place(target.head()), graph.place(commit.id()));
        try (GraphView view = session.view(target.headPoint())) {
            PresentSchema present = new PresentSchema(view);
            ChangeBlock changes = present.show(net, view.catalog(), catalog(session, commit), budget, time);
            CheckedChanges checked = ConstraintChecks.check(target, changes, view, rules, budget, null, change -> 0);
            return new Prepared(
                    target,
                    null,
                    new MergeRun.Merged(checked, List.of(), 0, MergeResult.Resolved.NONE),
                    present.leftOut());
        }
    }

    private static ReadPoint point(CommitHeader commit) {
        return new ReadPoint(commit.incarnation(), commit.offset());
    }

    private static Catalog catalog(GraphSession session, CommitHeader commit) {
        return session.catalog(point(commit));
    }

    /** The preview of a dry run. Conflicts end any other write here. */
    @Override
    protected @Nullable UndoResult answered(Prepared prepared) {
        MergeRun.Merged merged = prepared.merged;
        if (!undo.dryRun()) {
            refuseConflicts(merged);
            return null;
        }
        MergeOutcome outcome = merged.conflictCount() > 0
                ? MergeOutcome.CONFLICT
                : merged.changes().isEmpty() ? MergeOutcome.ALREADY_UP_TO_DATE : MergeOutcome.MERGED;
        MergeResult.Preview preview = new MergeResult.Preview(
                merged.changes().count(),
                MergeRefusal.shown(merged, undo.branch(), request.terms.caller()),
                merged.conflictCount(),
                merged.resolved(),
                base());
        return result(prepared, outcome, null, merged.changes().counts(), preview);
    }

    /** The commit whose state is the base of the merge; of a restore the restored one. */
    private Ulid base() {
        CommitHeader since = commits().since();
        return undo.kind() == CommitKind.PICK && since != null
                ? since.id()
                : commits().commit().id();
    }

    private void refuseConflicts(MergeRun.Merged merged) {
        if (merged.conflictCount() > 0) {
            String done = undo.kind() == CommitKind.PICK ? "picked into" : "reverted on";
            throw MergeRefusal.of(
                    "commit `" + undo.ref() + "` cannot be " + done + " branch `" + undo.branch() + "`",
                    sides(),
                    undo.branch(),
                    request.terms.caller(),
                    merged,
                    base(),
                    undo.byProperty());
        }
    }

    @Override
    protected Decided<UndoResult> decide(WriteSession session, Prepared prepared, boolean last) {
        Branch into = target(session);
        MergeRun.Merged merged = into.equals(prepared.target) ? prepared.merged : later(session, prepared, into, last);
        if (merged == null) {
            return new Decided.Again<>();
        }
        refuseConflicts(merged);
        return new Decided.Done<>(write(prepared, into, merged.changes()));
    }

    /**
     * The changes over a later head of the branch: the prepared ones if they are still valid, else new ones if that is
     * quick or this is the last attempt; null when the caller's thread must prepare them again.
     */
    private MergeRun.@Nullable Merged later(WriteSession session, Prepared prepared, Branch into, boolean last) {
        MergeInput input = prepared.input;
        if (into.incarnation() != prepared.target.incarnation()) {
            return null;
        }
        if (input == null) {
            return last ? restored(session, into, request.budget.onWriter(), request.time.onWriter()).merged : null;
        }
        return input.overLaterHead(session, into, prepared.merged, last, request.time, rules);
    }

    private WriteCommand.Decision<UndoResult> write(Prepared prepared, Branch into, ChangeBlock changes) {
        if (changes.isEmpty()) {
            return WriteKey.unchanged(
                    request.key,
                    into,
                    result(prepared, MergeOutcome.ALREADY_UP_TO_DATE, null, ChangeCounts.NONE, null));
        }
        ChangeCounts counts = changes.counts();
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.Commit(
                        undo.kind(),
                        into,
                        commits().commit().id(),
                        request.terms.origin(),
                        WriteKey.entry(request.key, result(prepared, MergeOutcome.MERGED, null, counts, null)),
                        null,
                        Resolution.sides(undo.resolutions()),
                        changes),
                event -> result(
                        prepared, MergeOutcome.MERGED, CommitRecord.of(((Event.Commit) event).header()), counts, null));
    }

    private UndoResult result(
            Prepared prepared,
            MergeOutcome outcome,
            @Nullable CommitRecord commit,
            ChangeCounts counts,
            MergeResult.@Nullable Preview preview) {
        return new UndoResult(
                new MergeResult(
                        new MergeResult.Branches(commits().commit().id().toString(), undo.branch()),
                        outcome,
                        request.terms.actor(),
                        commit,
                        counts,
                        null,
                        preview,
                        false),
                prepared.leftOut);
    }

    @Override
    protected void release(Prepared prepared) {
        if (prepared.input != null) {
            prepared.input.close();
        }
        prepared.merged.changes().close();
    }
}
