package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Pattern.Block;
import service.core.gq.plan.Walk;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * Tells which rules of walks say only what a step costs: there is no condition, and the cost of each step is a number
 * that is not negative. Such a rule changes neither which steps there are nor how many hops a path has, so a search by
 * hops may ask for the costs of the steps of its result alone.
 */
public final class SurePrice {
    private static final double UNKNOWN = Double.POSITIVE_INFINITY;

    /** More rows than a block can count in the time that a query may take. */
    private static final double COUNT_MAX = 1L << 48;

    /** Below it, sums of as many steps as there can be are finite. */
    private static final double REAL_MAX = 1e200;

    private SurePrice() {}

    /** Whether the rule is such a one. */
    public static boolean of(Walk.Rule rule) {
        Expression by = rule.by();
        return by != null
                && rule.where().filters().isEmpty()
                && rule.where().traversals().isEmpty()
                && rule.where().blocks().stream().noneMatch(block -> PatternPlanner.canFail(block))
                && most(by, rule.where().blocks()) < UNKNOWN;
    }

    /** A bound of a number that is neither null nor negative and whose evaluation does not fail; else infinite. */
    private static double most(Expression expression, List<Block> blocks) {
        return switch (expression) {
            case Expression.Literal literal -> most(literal.value());
            case Expression.ValueOf value -> isCount(value.slot(), blocks) ? COUNT_MAX : UNKNOWN;
            case Expression.Arithmetic a -> {
                double left = most(a.left(), blocks);
                double right = most(a.right(), blocks);
                double most = switch (a.operator()) {
                    case ADD -> left + right;
                    case MULTIPLY -> left * right;
                    default -> UNKNOWN;
                };
                yield most < (isReal(a.type()) ? REAL_MAX : Long.MAX_VALUE) ? most : UNKNOWN;
            }
            default -> UNKNOWN;
        };
    }

    private static double most(@Nullable Value value) {
        double number = switch (value) {
            case Value.Int v -> v.value();
            case Value.Real v -> v.value();
            case null, default -> UNKNOWN;
        };
        return number >= 0 && number < REAL_MAX ? number : UNKNOWN;
    }

    private static boolean isReal(PropertyType type) {
        return type instanceof PropertyType.Scalar scalar && scalar.scalar().isFloat();
    }

    private static boolean isCount(int slot, List<Block> blocks) {
        return blocks.stream()
                .anyMatch(block -> block instanceof Block.Value value
                        && value.slot() == slot
                        && value.aggregate() != null
                        && value.aggregate().function() == AggregateFunction.COUNT);
    }
}
