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

    /** The same, with other expressions by which elements are ordered last. */
    public Refinement thenBy(List<Expression> last) {
        if (last.isEmpty()) {
            return this;
        }
        List<Plan.SortKey> all = new ArrayList<>(order);
        last.forEach(key -> all.add(new Plan.SortKey(key, false)));
        return new Refinement(where, fraction, List.copyOf(all), limit);
    }

    /** The same without the ids of entities that rows are grouped by, which are equal in all rows of a group. */
    Refinement within(List<Expression> keys) {
        List<Plan.SortKey> rest = order.stream()
                .filter(key -> !(key.expression() instanceof Expression.IdOf(int slot)
                        && keys.stream()
                                .anyMatch(each -> each instanceof Expression.EntityOf entity && entity.slot() == slot)))
                .toList();
        return rest.size() == order.size() ? this : new Refinement(where, fraction, rest, limit);
    }

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
