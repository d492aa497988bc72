package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;

/**
 * One condition of a pattern; a row must meet all of them.
 *
 * @param slots the variables that it reads
 * @param fallible whether its evaluation may fail, for example by an overflow
 * @param sides the slots of the two operands when a join can use it, else null
 */
record Conjunct(
        Expression expression,
        BitSet slots,
        boolean fallible,
        @Nullable Sides sides) {
    /** The slots of the two operands of an equality. Neither is empty. */
    record Sides(BitSet left, BitSet right) {
        /** The sides of an equality over several slots that cannot fail; null for any other expression. */
        static @Nullable Sides of(Expression expression, BitSet slots, boolean fallible) {
            if (fallible
                    || slots.cardinality() < 2
                    || !(expression instanceof Expression.Compare compare)
                    || compare.operator() != ComparisonOperator.EQUAL
                    || mayHoldNulls(compare)) {
                return null;
            }
            BitSet left = Expressions.slots(compare.left());
            BitSet right = Expressions.slots(compare.right());
            return left.isEmpty() || right.isEmpty() ? null : new Sides(left, right);
        }

        /**
         * Whether both sides may be lists or records with a null in them: it makes their equality unknown, and their
         * keys in a hash table are equal all the same. Stored lists hold no nulls.
         */
        private static boolean mayHoldNulls(Expression.Compare compare) {
            Family family = compare.left().family();
            return (family == Family.LIST || family == Family.RECORD)
                    && !(compare.left() instanceof Expression.PropertyOf)
                    && !(compare.right() instanceof Expression.PropertyOf);
        }
    }

    /** The distinct conjuncts of the filters, in source order. */
    static List<Conjunct> of(List<Expression> filters) {
        List<Expression> all = new ArrayList<>();
        for (Expression filter : filters) {
            Expressions.addConjuncts(filter, all);
        }
        Set<Expression> once = new LinkedHashSet<>(all);
        return once.stream().map(Conjunct::of).toList();
    }

    private static Conjunct of(Expression expression) {
        BitSet slots = Expressions.slots(expression);
        boolean fallible = Expressions.canFail(expression);
        return new Conjunct(expression, slots, fallible, Sides.of(expression, slots, fallible));
    }

    /** Whether an access path may answer it: it never fails, or it fails in every row, and then the path reads all. */
    boolean isAnswerable() {
        return !fallible || ConstantComparison.failsByConstant(expression);
    }

    /** Whether no row of the path has to be asked. One that can fail is asked all the same. */
    boolean isAnsweredBy(AccessPaths.Path path) {
        return !fallible && path.answered().contains(expression);
    }

    boolean within(BitSet bound) {
        return isWithin(slots, bound);
    }

    /** Whether it is an equality between an expression over one side and an expression over the other. */
    boolean joins(BitSet left, BitSet right) {
        return sides != null
                && ((isWithin(sides.left, left) && isWithin(sides.right, right))
                        || (isWithin(sides.left, right) && isWithin(sides.right, left)));
    }

    /** The operand of a join's equality that the given side can compute. */
    Expression side(BitSet bound) {
        Expression.Compare compare = (Expression.Compare) expression;
        return isWithin(Expressions.slots(compare.left()), bound) ? compare.left() : compare.right();
    }

    static boolean isWithin(BitSet slots, BitSet bound) {
        if (slots.isEmpty()) {
            return true;
        }
        BitSet missing = (BitSet) slots.clone();
        missing.andNot(bound);
        return missing.isEmpty();
    }

    /**
     * Adds filters after a node. Filters that can fail come last and are tentative: a row on which one fails may be
     * dropped by a later condition, and whether a query fails must not depend on its plan.
     *
     * @param statistics for the estimate; null to read none
     */
    static Node filtered(Node node, List<Conjunct> conjuncts, @Nullable Statistics statistics) {
        Node result = node;
        for (boolean fallible : new boolean[] {false, true}) {
            List<Expression> some = new ArrayList<>();
            double rows = result.rows();
            for (Conjunct conjunct : conjuncts) {
                if (conjunct.fallible() == fallible) {
                    some.add(conjunct.expression());
                    rows *= Estimates.selectivity(conjunct.expression(), statistics);
                }
            }
            // A search reads and analyses a text, so it comes after what drops rows for less.
            some.sort(Comparator.comparing(Expressions::searches));
            if (!some.isEmpty()) {
                result = new Node.Filter(result, some, fallible, rows);
            }
        }
        return result;
    }
}
