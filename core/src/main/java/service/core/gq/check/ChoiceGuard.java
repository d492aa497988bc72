package service.core.gq.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * In which rows a branch of {@code case} is chosen, as a {@code case} itself, so that its conditions are evaluated as
 * far as those of the branch are, and no further.
 */
record ChoiceGuard(Expression expression) {
    /**
     * The guard of what comes after some conditions.
     *
     * @param outer the guard of the whole {@code case}; null for none
     * @param conditions those before the branch
     * @param last whether the last of them is that of the branch; else all of them are not true
     */
    static @Nullable ChoiceGuard of(@Nullable ChoiceGuard outer, List<Expression> conditions, boolean last) {
        if (conditions.isEmpty() || !conditions.stream().allMatch(ChoiceGuard::isOfRow)) {
            return outer;
        }
        List<Expression> results = new ArrayList<>(Collections.nCopies(conditions.size(), bool(false)));
        if (last) {
            results.set(results.size() - 1, bool(true));
        }
        results.add(bool(!last));
        Expression own = new Expression.Case(List.copyOf(conditions), List.copyOf(results), PropertyType.BOOL);
        return new ChoiceGuard(
                outer == null
                        ? own
                        : new Expression.Case(List.of(outer.expression), List.of(own, bool(false)), PropertyType.BOOL));
    }

    private static Expression bool(boolean value) {
        return new Expression.Literal(new Value.Bool(value), PropertyType.BOOL);
    }

    /** Whether a condition speaks of the row alone: not of a group, a column, or an element of a loop. */
    private static boolean isOfRow(Expression condition) {
        return switch (condition) {
            case Expression.Aggregate ignored -> false;
            case Expression.OutputOf ignored -> false;
            case Expression.Local ignored -> false;
            case Expression.Search ignored -> false;
            default -> condition.operands().stream().allMatch(ChoiceGuard::isOfRow);
        };
    }
}
