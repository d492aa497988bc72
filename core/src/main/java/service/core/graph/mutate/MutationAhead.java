package service.core.graph.mutate;

import java.util.Set;
import java.util.function.Supplier;
import service.core.event.ChangeBlock;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.CheckedChanges.Verdict;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.RulesCache;
import service.core.graph.request.QueryLanguage;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.EntityType;

/**
 * A mutation that was run ahead of the writer, over a head that may have moved since. The scans of its predicates are
 * done once; {@link #advance} and {@link #runAgain} bring it to a later head at the cost of the commits between.
 *
 * <p>The caller's thread and the writer's use it alternately.
 */
final class MutationAhead {
    private final CompiledMutation compiled;
    private final QueryLanguage language;
    private final RulesCache rules;
    private final int entitiesMax;
    private final Selections selections;
    private Set<MutationRun.KeyedNode> keyed = Set.of();
    private CheckedChanges checked;

    /**
     * Runs a mutation on the caller's thread.
     *
     * @param view of the branch's head
     * @param limits of the request
     * @param entitiesMax maximum number of changed entities
     */
    MutationAhead(
            CompiledMutation compiled,
            Branch branch,
            GraphView view,
            QueryExecutor executor,
            QueryLanguage language,
            RulesCache rules,
            QueryExecutor.Limits limits,
            Supplier<String> newIds,
            int entitiesMax) {
        this.compiled = compiled;
        this.language = language;
        this.rules = rules;
        this.entitiesMax = entitiesMax;
        this.selections =
                new Selections(compiled.plan(), compiled.arguments(), branch, view, executor, language, limits);
        this.checked = run(branch, view, limits, newIds);
    }

    private CheckedChanges run(Branch branch, GraphView view, QueryExecutor.Limits limits, Supplier<String> newIds) {
        MutationRun run = new MutationRun(
                compiled.plan(), compiled.arguments(), view, selections, language, limits, newIds, entitiesMax);
        ChangeBlock changes = run.run();
        keyed = run.keyed();
        return ConstraintChecks.check(branch, changes, view, rules, limits.budget(), run.orphan(), run::place);
    }

    /** The changes over the last head that was reached. */
    ChangeBlock changes() {
        return checked.changes();
    }

    /** Whether it was run over the same incarnation of the branch. */
    boolean isOver(Branch branch) {
        return branch.incarnation() == checked.over().incarnation();
    }

    /** Whether the changes are valid over a later head. */
    Verdict advance(GraphSession session, GraphView view, Branch to, long changesMax) {
        return checked.advance(session, to, changesMax, since -> {
            EntityType type = view.catalog().requireType(since.type());
            return selections.finds(type, since) || keyed.contains(new MutationRun.KeyedNode(since.type(), since.id()));
        });
    }

    /**
     * Makes the changes again over a later head of the same schema, without scanning.
     *
     * @return false, without an effect, when more entities were changed since than may be checked
     */
    boolean runAgain(
            GraphSession session,
            GraphView view,
            Branch to,
            long changesMax,
            QueryExecutor.Limits limits,
            Supplier<String> newIds) {
        if (!selections.advance(session, view, to, changesMax)) {
            return false;
        }
        checked.close();
        checked = run(to, view, limits, newIds);
        return true;
    }
}
