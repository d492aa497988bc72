package service.projection.query.plan;

import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.schema.EntityType;

/** A comparison whose right side is a constant. Access paths answer such comparisons. */
record ConstantComparison(Expression left, ComparisonOperator operator, Expression constant) {
    /** The filter as a comparison with a constant, or null. */
    static @Nullable ConstantComparison of(Expression filter) {
        if (!(filter instanceof Expression.Compare compare)) {
            return null;
        }
        if (Constants.isConstant(compare.right())) {
            return new ConstantComparison(compare.left(), compare.operator(), compare.right());
        }
        if (Constants.isConstant(compare.left())) {
            return new ConstantComparison(compare.right(), compare.operator().mirror(), compare.left());
        }
        return null;
    }

    /**
     * Whether a filter can fail only where its constant does, so that it fails in every row or in none. An access path
     * may answer it: where the constant fails, it reads all.
     */
    static boolean failsByConstant(Expression filter) {
        if (filter instanceof Expression.In in) {
            return Constants.isConstant(in.list()) && !Expressions.canFail(in.left());
        }
        ConstantComparison comparison = of(filter);
        return comparison != null && !Expressions.canFail(comparison.left());
    }

    boolean isEqual() {
        return operator == ComparisonOperator.EQUAL;
    }

    static boolean isProperty(Expression expression, EntityType type, int property) {
        return expression instanceof Expression.PropertyOf of
                && of.identityByType().getOrDefault(type.identity(), 0) == property;
    }
}
