package service.core.graph.mutate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.budget.RequestBudget;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.HeapBytes;
import service.core.value.Value;

/**
 * Collects the rows of the stages before the statements of a mutation. What it keeps is charged to the query that makes
 * the rows, and stays charged until {@link Charged#release}.
 */
final class MatchedRows implements QueryExecutor.Sink {
    private static final int FIRST_ROWS = 16;

    private final List<Variable> variables;
    private final int[][] types;
    private final int[][] ordinals;
    private final Value[][] values;
    private int capacity;
    private int size;
    private long charged;

    /** @param variables of the outputs, in their order */
    private MatchedRows(List<Variable> variables) {
        this.variables = variables;
        this.types = new int[variables.size()][0];
        this.ordinals = new int[variables.size()][0];
        this.values = new Value[variables.size()][0];
    }

    /** Rows with the bytes that the request is charged for them. */
    record Charged(Rows rows, long bytes, RequestBudget budget) {
        /** Returns the charge; the rows are not used any more. */
        void release() {
            budget.memory().release(bytes);
        }
    }

    /** Runs the stages of a mutation over a view; one row for a mutation without stages. */
    static Charged read(MutationContext context, GraphView view) {
        Plan.Mutation mutation = context.compiled().plan();
        RequestBudget budget = context.limits().budget();
        Plan.Read plan = mutation.rows();
        if (plan == null) {
            return new Charged(Rows.one(mutation.variables().size()), 0, budget);
        }
        Map<String, Variable> named = new HashMap<>();
        mutation.variables().forEach(variable -> named.putIfAbsent(variable.name(), variable));
        List<Variable> variables = new ArrayList<>();
        for (Plan.Output output : plan.result().outputs()) {
            Variable variable = named.get(output.column());
            if (variable != null) {
                variables.add(variable);
            }
        }
        MatchedRows rows = new MatchedRows(variables);
        context.executor().read(plan, context.compiled().arguments(), view, context.limits(), rows);
        return new Charged(rows.rows(mutation.variables().size()), rows.charged, budget);
    }

    @Override
    public void batch(GraphView view, Column[] columns, int count, QueryExecutor.Kept kept) {
        makeRoom(size + count, kept);
        for (int i = 0; i < variables.size(); i++) {
            if (columns[i] instanceof EntityColumn entities) {
                for (int row = 0; row < count; row++) {
                    boolean none = entities.isNull(row);
                    types[i][size + row] = none ? 0 : entities.types[row];
                    ordinals[i][size + row] = none ? -1 : entities.ordinals[row];
                }
            } else {
                for (int row = 0; row < count; row++) {
                    Value value = columns[i].value(row);
                    charge(HeapBytes.of(value), kept);
                    values[i][size + row] = value;
                }
            }
        }
        size += count;
    }

    private void charge(long bytes, QueryExecutor.Kept kept) {
        kept.bytes(bytes);
        charged += bytes;
    }

    private void makeRoom(int rows, QueryExecutor.Kept kept) {
        if (rows <= capacity) {
            return;
        }
        int more = Math.max(rows, Math.max(FIRST_ROWS, capacity + capacity / 2));
        long bytes = 0;
        for (Variable variable : variables) {
            bytes += variable.kind() == null ? HeapBytes.references(more) : 2L * HeapBytes.array(more, Integer.BYTES);
        }
        charge(bytes, kept);
        for (int i = 0; i < variables.size(); i++) {
            if (variables.get(i).kind() == null) {
                values[i] = Arrays.copyOf(values[i], more);
            } else {
                types[i] = Arrays.copyOf(types[i], more);
                ordinals[i] = Arrays.copyOf(ordinals[i], more);
            }
        }
        capacity = more;
    }

    private Rows rows(int slots) {
        Rows rows = new Rows(size, slots);
        for (int i = 0; i < variables.size(); i++) {
            rows.bind(
                    variables.get(i).slot(),
                    variables.get(i).kind() == null
                            ? new Rows.Cells.Values(values[i])
                            : new Rows.Cells.Entities(types[i], ordinals[i]));
        }
        return rows;
    }
}
