package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Variable;

/**
 * The plans of a block that run once for all outer rows with the same entities in some slots. Such a part of the block
 * begins with rows of these slots alone. It reaches other slots of the outer rows as if the block bound them, and is
 * then joined with the outer rows.
 */
final class Sharing {
    private final PartialPlan outer;
    private final SlotCounts counts;
    private final List<Variable> variables;
    private final Statistics statistics;

    /** The slots of the outer rows that traversals of the block begin or end at. */
    private final BitSet ends = new BitSet();

    private final boolean all;

    /**
     * @param counts of the outer rows
     * @param traversals of the block
     * @param all whether parts are wanted that are not cheaper
     */
    Sharing(
            PartialPlan outer,
            SlotCounts counts,
            List<Traversal> traversals,
            List<Variable> variables,
            Statistics statistics,
            boolean all) {
        this.outer = outer;
        this.counts = counts;
        this.variables = variables;
        this.statistics = statistics;
        this.all = all;
        for (Traversal t : traversals) {
            ends.set(t.from());
            ends.set(t.to());
        }
        ends.and(outer.bound());
    }

    /**
     * Whether a part may follow a traversal. One that reaches outer rows is a hop: a walk needs to know both its ends.
     */
    boolean mayFollow(PartialPlan part, Traversal traversal) {
        return part.by() == null
                || traversal.walk() == null
                || (isWithin(traversal.from(), part) && isWithin(traversal.to(), part));
    }

    private boolean isWithin(int slot, PartialPlan part) {
        return !outer.bound().get(slot) || part.bound().get(slot);
    }

    /** The parts that blocks begin with, without any traversal. */
    List<PartialPlan> starts() {
        Set<BitSet> sets = new LinkedHashSet<>();
        BitSet single = new BitSet();
        ends.stream().filter(slot -> counts.of(slot) <= 1).forEach(single::set);
        sets.add(single);
        ends.stream().forEach(slot -> sets.add(PartialPlan.with(single, slot)));
        List<PartialPlan> parts = new ArrayList<>();
        for (BitSet by : sets) {
            double kinds = kinds(by);
            if (!by.isEmpty() && !by.equals(ends) && (all || 2 * kinds <= outer.rows())) {
                parts.add(new PartialPlan(new Node.OuterRows(kinds), by, new BitSet(), true, kinds, by));
            }
        }
        return parts;
    }

    /** The number of times that the block runs: at least once for each batch. */
    private double kinds(BitSet by) {
        double kinds = by.stream().mapToDouble(counts::of).reduce(1, (a, b) -> a * b);
        return Math.min(outer.rows(), Math.max(kinds, outer.rows() / Column.CAPACITY));
    }

    /** The outer rows joined with such a part; null when it has reached none of their other slots. */
    @Nullable
    PartialPlan joined(PartialPlan part) {
        BitSet by = part.by();
        BitSet on = (BitSet) ends.clone();
        on.and(part.bound());
        if (by != null) {
            on.andNot(by);
        }
        if (by == null || on.isEmpty()) {
            return null;
        }
        double found = part.rows() / Math.max(kinds(by), Double.MIN_NORMAL);
        double rows = found * outer.rows();
        for (int slot : Expressions.array(on)) {
            rows /= Math.max(1, statistics.count(variables.get(slot)));
        }
        Node node = new Node.Shared(outer.node(), part.node(), list(by), list(on), rows);
        double cost = outer.cost() + outer.rows() + part.cost() + part.rows() + rows;
        return new PartialPlan(node, PartialPlan.union(outer.bound(), part.bound()), part.followed(), true, cost);
    }

    BitSet outerBound() {
        return outer.bound();
    }

    private static List<Integer> list(BitSet slots) {
        return slots.stream().boxed().toList();
    }
}
