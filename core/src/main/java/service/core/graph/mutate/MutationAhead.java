package service.core.graph.mutate;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.Image;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.CheckedChanges.Verdict;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.request.AnsweredRows;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.schema.EntityType;

/**
 * A mutation that was run ahead of the writer, over a head that may have moved since. The scans of its predicates are
 * done once; {@link #advance} and {@link #runAgain} bring it to a later head at the cost of the commits between.
 *
 * <p>The caller's thread and the writer's use it alternately.
 */
final class MutationAhead implements AutoCloseable {
    private final MutationContext context;
    private final Selections selections;
    private Set<Rows.Key> keyed = Set.of();
    private Set<Rows.Key> insertedAgain = Set.of();
    private @Nullable AnsweredRows answer;
    private final @Nullable RowsFootprint footprint;
    private MatchedRows.Charged rows;
    private CheckedChanges checked;

    /**
     * Runs a mutation on the caller's thread.
     *
     * @param view of the branch's head
     */
    MutationAhead(MutationContext context, Branch branch, GraphView view) {
        this.context = context;
        this.selections = new Selections(context, branch, view);
        this.footprint = RowsFootprint.of(context);
        this.rows = MatchedRows.read(context, view);
        this.checked = run(context, branch, view);
    }

    private CheckedChanges run(MutationContext where, Branch branch, GraphView view) {
        MutationRun run = new MutationRun(where, view, selections, rows.rows());
        ChangeBlock changes = run.run();
        keyed = run.keyed();
        insertedAgain = run.insertedAgain();
        CheckedChanges made = ConstraintChecks.check(
                branch, changes, view, where.rules(), where.limits().budget(), run.orphan(), run::place);
        answer = run.answer();
        return made;
    }

    /** What the mutation answers; null where it answers nothing. */
    @Nullable
    AnsweredRows answer() {
        return answer;
    }

    String queryName() {
        return context.compiled().plan().name();
    }

    /** The changes over the last head that was reached. */
    ChangeBlock changes() {
        return checked.changes();
    }

    /** Whether it was run over the same incarnation of the branch, under the schema of its head. */
    boolean isOver(Branch branch, GraphView view) {
        return branch.incarnation() == checked.over().incarnation()
                && context.compiled().fits(view);
    }

    /** Whether the changes are valid over a later head. */
    Verdict advance(GraphSession session, GraphView view, Branch to, long changesMax) {
        return checked.advance(session, to, changesMax, since -> {
            EntityType type = view.catalog().requireType(since.type());
            return (footprint != null && footprint.concerns(type, since))
                    || selections.finds(type, since)
                    || keyed.contains(new Rows.Key(since.type(), since.id()))
                    || endsInInsertedAgain(type, since);
        });
    }

    /** Whether the change gives an edge to a node whose edges the mutation deletes, although the node stays. */
    private boolean endsInInsertedAgain(EntityType type, ChangeReader since) {
        Image after = insertedAgain.isEmpty() ? null : since.after();
        return after != null
                && type instanceof EntityType.EdgeType edge
                && (isInsertedAgain(edge.source().type(after.fromType()), after.from())
                        || isInsertedAgain(edge.destination().type(after.toType()), after.to()));
    }

    private boolean isInsertedAgain(int type, @Nullable String id) {
        return id != null && insertedAgain.contains(new Rows.Key(type, id));
    }

    /**
     * Makes the changes again over a later head of the same schema. Only the stages before the statements read again
     * more than what was changed since.
     *
     * @param onWriter whether this is the writer's thread, where those stages may examine {@code changesMax} entities
     * @return false when more entities were changed since, or must be examined, than may be
     */
    boolean runAgain(GraphSession session, GraphView view, Branch to, long changesMax, boolean onWriter) {
        MutationContext where = onWriter ? context.onWriter(changesMax) : context;
        MatchedRows.Charged later;
        try {
            later = MatchedRows.read(where, view);
        } catch (ServiceException e) {
            if (onWriter && isBeyond(e, changesMax)) {
                return false;
            }
            throw e;
        }
        if (!selections.advance(session, view, to, changesMax)) {
            later.release();
            return false;
        }
        checked.close();
        rows.release();
        rows = later;
        checked = run(where, to, view);
        return true;
    }

    /** Whether the stages before the statements examine more than the writer's thread may. */
    private static boolean isBeyond(ServiceException refusal, long work) {
        return refusal.detail() instanceof ErrorDetail.ResourceLimit limit
                && limit.limit() == work
                && limit.resource().equals("work_limit");
    }

    /** Releases the changes and the rows. */
    @Override
    public void close() {
        checked.close();
        rows.release();
    }
}
