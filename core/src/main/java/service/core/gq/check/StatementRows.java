package service.core.gq.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.text.Span;

/**
 * The stages whose rows the statements of a mutation run for. A block in a statement is a value of these rows: it is
 * evaluated with the match, over the state before the first statement.
 */
final class StatementRows {
    private final List<Plan.Stage> before;
    private final Pattern match;
    private final Scope scope;
    private final BlockValues values;
    private final List<Plan.SortKey> order;

    /** The outputs with the values of blocks in the statements, by slot. */
    private final Map<Integer, Plan.Output> blocks = new LinkedHashMap<>();

    /**
     * The rows that a last stage makes.
     *
     * @param match of the last stage, without the blocks that are values
     * @param scope the variables of the rows
     * @param values the blocks of the last stage
     */
    StatementRows(List<Plan.Stage> before, Pattern match, Scope scope, BlockValues values, List<Plan.SortKey> order) {
        this.before = before;
        this.match = match;
        this.scope = scope;
        this.values = values;
        this.order = order;
    }

    /** The variables that statements can name. */
    List<Scope.Variable> variables() {
        return scope.visible().values().stream().filter(StageOutputs::isNamed).toList();
    }

    /** The names that a {@code with} has left out, with its place. */
    Map<String, Span> dropped() {
        return scope.droppedNames();
    }

    /** Whether a name is that of a variable of the rows. */
    boolean has(String name) {
        return scope.find(name) != null;
    }

    /** The value of a block in each row, as an output. The same block has one. */
    Plan.Output block(ExpressionSyntax.BlockValue syntax) {
        Expression.ValueOf value = values.of(syntax, null, null);
        return blocks.computeIfAbsent(value.slot(), slot -> new Plan.Output("#block " + blocks.size(), value));
    }

    /** The stages; the outputs of the last one are the variables and the values of blocks. */
    List<Plan.Stage> stages() {
        List<Plan.Stage> stages = new ArrayList<>(before);
        stages.add(StageOutputs.rows(values.with(match), scope, order, blocks.values()));
        return List.copyOf(stages);
    }
}
