package service.core.gq.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What else an aggregate says.
 *
 * @param where the condition on its rows, or null
 * @param fraction the place of a percentile: a literal or an argument
 * @param order of the elements of a list, before that of their values
 * @param limit of the elements of a list: a literal, an argument or null
 */
public record Refinement(
        @Nullable Expression where,
        @Nullable Expression fraction,
        List<Plan.SortKey> order,
        @Nullable Expression limit) {
    /** Nothing else. */
    public static final Refinement NONE = new Refinement(null, null, List.of(), null);

    /** The operands, in the order of the source, without constants. */
    List<Expression> operands() {
        List<Expression> all = new ArrayList<>();
        if (where != null) {
            all.add(where);
        }
        order.forEach(key -> all.add(key.expression()));
        return all;
    }

    /** The same with each operand replaced. */
    public Refinement with(UnaryOperator<Expression> replace) {
        if (where == null && order.isEmpty()) {
            return this;
        }
        return new Refinement(
                where == null ? null : replace.apply(where),
                fraction,
                order.stream()
                        .map(key -> new Plan.SortKey(replace.apply(key.expression()), key.descending()))
                        .toList(),
                limit);
    }
}
