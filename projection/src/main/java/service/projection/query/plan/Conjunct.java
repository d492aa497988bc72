package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;

/**
 * One condition of a pattern; a row must meet all of them.
 *
 * @param slots the variables that it reads
 * @param fallible whether its evaluation may fail, for example by an overflow
 */
record Conjunct(Expression expression, BitSet slots, boolean fallible) {
    /** The distinct conjuncts of the filters, in source order. */
    static List<Conjunct> of(List<Expression> filters) {
        List<Expression> all = new ArrayList<>();
        for (Expression filter : filters) {
            Expressions.addConjuncts(filter, all);
        }
        Set<Expression> once = new LinkedHashSet<>(all);
        return once.stream()
                .map(e -> new Conjunct(e, Expressions.slots(e), Expressions.canFail(e)))
                .toList();
    }

    boolean within(BitSet bound) {
        return isWithin(slots, bound);
    }

    /** Whether it is an equality between an expression over one side and an expression over the other. */
    boolean joins(BitSet left, BitSet right) {
        if (fallible
                || !(expression instanceof Expression.Compare compare)
                || compare.operator() != ComparisonOperator.EQUAL) {
            return false;
        }
        BitSet a = Expressions.slots(compare.left());
        BitSet b = Expressions.slots(compare.right());
        return (isSide(a, left) && isSide(b, right)) || (isSide(a, right) && isSide(b, left));
    }

    /** The operand of a join's equality that the given side can compute. */
    Expression side(BitSet bound) {
        Expression.Compare compare = (Expression.Compare) expression;
        return isSide(Expressions.slots(compare.left()), bound) ? compare.left() : compare.right();
    }

    private static boolean isSide(BitSet slots, BitSet bound) {
        return !slots.isEmpty() && isWithin(slots, bound);
    }

    static boolean isWithin(BitSet slots, BitSet bound) {
        if (slots.isEmpty()) {
            return true;
        }
        BitSet missing = (BitSet) slots.clone();
        missing.andNot(bound);
        return missing.isEmpty();
    }
}
