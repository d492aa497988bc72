package service.projection.exec;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.schema.EntityType;
import service.core.value.Value;

/** A comparison with a constant, the constant on the right: what an access path can answer. */
record ConstantTest(Expression left, ComparisonOperator operator, Value value) {
    /** The filter as such a comparison, or null when it is none. */
    static @Nullable ConstantTest of(Expression filter) {
        if (!(filter instanceof Expression.Compare compare)) {
            return null;
        }
        if (compare.right() instanceof Expression.Literal literal) {
            return new ConstantTest(compare.left(), compare.operator(), literal.value());
        }
        if (compare.left() instanceof Expression.Literal literal) {
            return new ConstantTest(
                    compare.right(), CompareKernels.mirror(compare.operator()), literal.value());
        }
        return null;
    }

    boolean isEqual() {
        return operator == ComparisonOperator.EQUAL;
    }

    static boolean isProperty(Expression expression, EntityType type, int property) {
        return expression instanceof Expression.PropertyOf of
                && of.identityByType().getOrDefault(type.identity(), 0) == property;
    }

    /** The items of a constant list, or null. */
    static @Nullable List<Value> list(Expression expression) {
        return expression instanceof Expression.Literal literal
                        && literal.value() instanceof Value.ListOf(List<Value> items)
                ? items
                : null;
    }
}
