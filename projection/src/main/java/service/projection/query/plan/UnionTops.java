package service.projection.query.plan;

import java.util.ArrayList;
import java.util.List;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.value.PropertyType;

/**
 * The first rows of a union in an order are among the first rows of its parts in that order. So each part may keep only
 * these, and read an index in the order where it has one.
 */
final class UnionTops {
    private UnionTops() {}

    /**
     * A part that makes only rows which can be among the first ones of the whole.
     *
     * @param whole the stage that follows the union
     */
    static Plan.Part of(Plan.Part part, Plan.Union union, Plan.Stage whole) {
        Plan.Stage last = part.stages().getLast();
        boolean isTop = hasKnownEnd(whole.window())
                && !whole.order().isEmpty()
                && !whole.result().distinct()
                && union.distinct() == 0
                && last.fusions().isEmpty();
        if (!isTop || !isAsWritten(part)) {
            return part;
        }
        List<Plan.SortKey> order = new ArrayList<>(whole.order());
        List<Plan.Output> outputs = last.result().outputs();
        // The columns break ties of the whole; those of a part would be broken by its entities.
        for (int i = 0; i < outputs.size(); i++) {
            order.add(new Plan.SortKey(
                    new Expression.OutputOf(i, outputs.get(i).expression().type()), false));
        }
        List<Plan.Stage> stages = new ArrayList<>(part.stages());
        stages.set(
                stages.size() - 1,
                new Plan.Stage(last.match(), last.result(), last.where(), List.copyOf(order), whole.window()));
        return new Plan.Part(List.copyOf(stages), part.columns());
    }

    /** Whether a number of first rows is wanted, and no rows before them. */
    private static boolean hasKnownEnd(Plan.Window window) {
        return window.skip() == null && window.limit() != null && window.per().isEmpty();
    }

    /** Whether all columns of a part are scalars which the union takes as they are, so that they sort as its own do. */
    private static boolean isAsWritten(Plan.Part part) {
        return part.columns().stream()
                .allMatch(column -> column instanceof Expression.ValueOf value
                        && (value.type() instanceof PropertyType.Scalar
                                || value.type() instanceof PropertyType.EnumOf));
    }
}
