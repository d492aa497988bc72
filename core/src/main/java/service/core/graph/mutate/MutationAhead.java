package service.core.graph.mutate;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.Image;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.CheckedChanges.Verdict;
import service.core.graph.check.ConstraintChecks;
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
    private Set<PendingChanges.Node> keyed = Set.of();
    private Set<PendingChanges.Node> insertedAgain = Set.of();
    private CheckedChanges checked;

    /**
     * Runs a mutation on the caller's thread.
     *
     * @param view of the branch's head
     */
    MutationAhead(MutationContext context, Branch branch, GraphView view) {
        this.context = context;
        this.selections = new Selections(context, branch, view);
        this.checked = run(context, branch, view);
    }

    private CheckedChanges run(MutationContext where, Branch branch, GraphView view) {
        MutationRun run = new MutationRun(where, view, selections);
        ChangeBlock changes = run.run();
        keyed = run.keyed();
        insertedAgain = run.insertedAgain();
        return ConstraintChecks.check(
                branch, changes, view, where.rules(), where.limits().budget(), run.orphan(), run::place);
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
            return selections.finds(type, since)
                    || keyed.contains(new PendingChanges.Node(since.type(), since.id()))
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
        return id != null && insertedAgain.contains(new PendingChanges.Node(type, id));
    }

    /**
     * Makes the changes again over a later head of the same schema, without scanning.
     *
     * @param onWriter whether this is the writer's thread
     * @return false, without an effect, when more entities were changed since than may be checked
     */
    boolean runAgain(GraphSession session, GraphView view, Branch to, long changesMax, boolean onWriter) {
        if (!selections.advance(session, view, to, changesMax)) {
            return false;
        }
        checked.close();
        checked = run(onWriter ? context.onWriter() : context, to, view);
        return true;
    }

    /** Releases the changes. */
    @Override
    public void close() {
        checked.close();
    }
}
