package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Variable;

/**
 * Finds the cheapest plan for the connected part of a pattern.
 *
 * <p><b>Idea.</b> Dynamic programming over {@link PartialPlan}s, as Selinger's optimizer does over sets of tables. A
 * part begins with an access path of a node variable or an edge variable, or with the outer rows of a block. A step
 * extends it: it follows a traversal from either end, or it is joined by hash with another part, on the variables that
 * both bind and the equality filters between them. When two parts with few rows bind the ends of one traversal, their
 * product is also a step: the traversal is then only checked between bound ends, which for a range of hops takes two
 * searches that meet.
 *
 * <p><b>Invariant.</b> Of the parts with the same reach (same variables bound, same traversals followed) only the
 * cheapest is kept. Every step makes a larger part, so all parts of a size are final when the search extends that size.
 * Of parts with equal cost the first found is kept, and parts are found in the order of slots, so equal statistics give
 * equal plans.
 *
 * <p><b>Cost.</b> Up to {@link #EXACT_MAX} traversals all parts are kept, some hundred for a usual query. With more
 * traversals only the best {@link #BEAM} parts of each size are kept and joins are not tried, so the cost is quadratic
 * in the number of traversals.
 *
 * <p>When {@link Choices} want all alternatives, the steps to each part are kept in a {@link PlanMemo}, and the plan is
 * built from its end by choosing one step for each part.
 */
final class JoinSearch {
    private static final int EXACT_MAX = 7;
    private static final int BEAM = 4;

    /** The cost of keeping a row for a join, and of keeping one when there are so many that memory may not suffice. */
    private static final double KEEP_COST = 3;

    private static final double KEPT_MAX = 500_000;
    private static final double FULL_COST = 100;

    /** The cost of reading the record of a neighbour, in entities scanned. */
    private static final double RECORD_COST = 2;

    private final List<Variable> variables;
    private final List<Traversal> pattern;
    private final List<Conjunct> conjuncts;
    final AccessPaths paths;
    private final Traversals traversals;
    final Lookups lookups;
    private final Statistics statistics;
    private final Choices choices;

    JoinSearch(
            Traversals traversals,
            List<Traversal> pattern,
            List<Conjunct> conjuncts,
            Statistics statistics,
            Choices choices,
            boolean probing) {
        this.variables = traversals.variables;
        this.pattern = pattern;
        this.conjuncts = conjuncts;
        this.statistics = statistics;
        this.choices = choices;
        this.paths = new AccessPaths(statistics, choices, probing);
        this.traversals = traversals;
        this.lookups = new Lookups(variables, conjuncts, statistics);
    }

    /**
     * The best plan that binds the slots and follows the traversals.
     *
     * @param starts slots that the pattern itself binds
     * @param wanted traversals by their index in the pattern
     * @param outer the rows that must drive the plan, or null
     * @param counts of these rows when they are the outer rows of a block, which may run once for some of them
     */
    PartialPlan best(BitSet starts, BitSet wanted, @Nullable PartialPlan outer, @Nullable SlotCounts counts) {
        BitSet bound = outer == null ? starts : PartialPlan.union(starts, outer.bound());
        BitSet edges = new BitSet();
        BitSet filled = new BitSet();
        for (int t : Expressions.array(wanted)) {
            if (pattern.get(t).edge() >= 0) {
                edges.set(pattern.get(t).edge());
            }
            pattern.get(t).filled().forEach(filled::set);
        }
        List<Traversal> traversals = wanted.stream().mapToObj(pattern::get).toList();
        Sharing sharing = outer == null || counts == null
                ? null
                : new Sharing(outer, counts, traversals, variables, statistics, choices.all());
        PartialPlan.Reach whole = new PartialPlan.Reach(PartialPlan.union(bound, filled), wanted, outer != null, null);
        Search search = new Search(whole, starts, wanted, sharing);
        if (outer != null) {
            search.offer(inputs -> outer);
        }
        if (sharing != null && !edges.intersects(sharing.outerBound())) {
            sharing.starts().forEach(part -> search.offer(inputs -> part));
        }
        for (int slot : Expressions.array(starts)) {
            search.start(slot);
        }
        for (int slot : Expressions.array(edges)) {
            search.start(slot);
        }
        return search.run();
    }

    boolean isExact(BitSet wanted) {
        return wanted.cardinality() <= EXACT_MAX;
    }

    /** One run of the dynamic program. */
    private final class Search {
        private final BitSet starts;
        private final BitSet wanted;
        private final boolean exact;
        private final List<Map<PartialPlan.Reach, PartialPlan>> bySize = new ArrayList<>();
        private final List<PartialPlan> done = new ArrayList<>();
        private final PlanMemo memo;
        private final @Nullable Sharing sharing;

        Search(PartialPlan.Reach whole, BitSet starts, BitSet wanted, @Nullable Sharing sharing) {
            this.sharing = sharing;
            this.memo = new PlanMemo(whole);
            this.starts = starts;
            this.wanted = wanted;
            this.exact = isExact(wanted);
        }

        void offer(PlanMemo.Step step, PartialPlan... inputs) {
            PartialPlan part = step.of(inputs);
            while (bySize.size() <= part.size()) {
                bySize.add(new LinkedHashMap<>());
            }
            bySize.get(part.size()).merge(part.reach(), part, (old, more) -> more.cost() < old.cost() ? more : old);
            if (choices.all()) {
                memo.add(part.reach(), step, inputs);
            }
        }

        void start(int slot) {
            starts(slot).forEach(part -> offer(inputs -> part));
        }

        /** The parts that bind one slot by an access path. */
        private List<PartialPlan> starts(int slot) {
            List<PartialPlan> parts = new ArrayList<>();
            BitSet bound = PartialPlan.with(new BitSet(), slot);
            List<Expression> filters = conjuncts.stream()
                    .filter(conjunct ->
                            conjunct.isAnswerable() && conjunct.slots().equals(bound))
                    .map(Conjunct::expression)
                    .toList();
            for (AccessPaths.Path path : paths.all(variables.get(slot), filters)) {
                List<Conjunct> left = conjuncts.stream()
                        .filter(conjunct -> conjunct.within(bound) && !conjunct.isAnsweredBy(path))
                        .toList();
                parts.add(new PartialPlan(
                        Conjunct.filtered(path.source(), left, figures()), bound, new BitSet(), false, path.cost()));
            }
            return parts;
        }

        PartialPlan run() {
            for (int size = 0; size < bySize.size(); size++) {
                for (PartialPlan part : survivors(bySize.get(size))) {
                    grow(part);
                    look(part);
                    share(part);
                    if (exact) {
                        done.forEach(other -> join(part, other));
                    }
                    done.add(part);
                }
            }
            PartialPlan best = bySize.getLast().get(memo.whole);
            if (best == null) {
                throw new IllegalStateException("no plan reaches " + memo.whole);
            }
            return choices.all() ? memo.pick(memo.whole, choices) : best;
        }

        private List<PartialPlan> survivors(Map<PartialPlan.Reach, PartialPlan> parts) {
            List<PartialPlan> all = new ArrayList<>(parts.values());
            if (exact || all.size() <= BEAM) {
                return all;
            }
            // The plan of a block needs the outer rows, so parts with them are not compared with parts without them.
            List<PartialPlan> kept = new ArrayList<>();
            for (boolean driven : new boolean[] {true, false}) {
                all.stream()
                        .filter(part -> part.driven() == driven)
                        .sorted(Comparator.comparingDouble(PartialPlan::cost))
                        .limit(BEAM)
                        .forEach(kept::add);
            }
            return kept;
        }

        /** Follows each traversal that touches the part. */
        private void grow(PartialPlan part) {
            statistics.checkpoint();
            for (int t : Expressions.array(wanted)) {
                Traversal traversal = pattern.get(t);
                if (part.followed().get(t)
                        || !Conjunct.isWithin(PatternSlots.ruleReads(traversal), part.bound())
                        || (sharing != null && !sharing.mayFollow(part, traversal))) {
                    continue;
                }
                if (traversal.edge() >= 0 && part.bound().get(traversal.edge())) {
                    if (part.bound().cardinality() == 1 && part.followed().isEmpty()) {
                        offer(in -> grown(in[0], t, traversals.ends(in[0].node(), traversal)), part);
                    }
                    continue;
                }
                for (boolean forward : new boolean[] {true, false}) {
                    int near = forward ? traversal.from() : traversal.to();
                    int far = forward ? traversal.to() : traversal.from();
                    boolean closing = part.bound().get(far);
                    if (!part.bound().get(near)) {
                        continue;
                    }
                    if (forward || !traversal.isForwardOnly()) {
                        offer(in -> followed(in[0], t, forward, closing), part);
                    } else if (!closing) {
                        // It is followed from its other end, which any entity may be that the pattern allows.
                        PartialPlan others = starts(far).stream()
                                .min(Comparator.comparingDouble(PartialPlan::cost))
                                .orElseThrow();
                        offer(in -> followed(joined(in[0], others), t, true, true), part);
                    }
                }
            }
        }

        private void look(PartialPlan part) {
            if (part.isLooseEdge(variables)) {
                return;
            }
            for (int slot : Expressions.array(starts)) {
                if (!part.bound().get(slot)) {
                    for (Lookups.Lookup lookup : lookups.of(slot, part.bound())) {
                        offer(in -> looked(in[0], lookup), part);
                    }
                }
            }
        }

        /** Joins a part that runs once for some outer rows with these rows. */
        private void share(PartialPlan part) {
            Sharing with = sharing;
            if (with != null && with.joined(part) != null) {
                offer(in -> shared(Objects.requireNonNull(with.joined(in[0])), in[0], with.outerBound()), part);
            }
        }

        private PartialPlan shared(PartialPlan whole, PartialPlan part, BitSet outer) {
            List<Conjunct> fresh = fresh(whole.bound(), part.bound(), outer);
            double cost = whole.cost() + (fresh.isEmpty() ? 0 : RECORD_COST * whole.rows());
            Node node = Conjunct.filtered(whole.node(), fresh, figures());
            return new PartialPlan(node, whole.bound(), whole.followed(), true, cost);
        }

        private PartialPlan looked(PartialPlan part, Lookups.Lookup lookup) {
            BitSet bound = PartialPlan.with(part.bound(), lookup.slot());
            Node found = lookup.over(
                    part.node(), variables.get(lookup.slot()).types().getFirst());
            List<Conjunct> fresh = new ArrayList<>(fresh(bound, part.bound(), part.bound()));
            fresh.remove(lookup.conjunct());
            double cost = part.cost() + lookup.cost(part.rows()) + (fresh.isEmpty() ? 0 : RECORD_COST * found.rows());
            return new PartialPlan(
                    Conjunct.filtered(found, fresh, figures()), bound, part.followed(), part.driven(), cost, part.by());
        }

        private PartialPlan followed(PartialPlan part, int t, boolean forward, boolean closing) {
            Traversal traversal = pattern.get(t);
            return grown(part, t, traversals.follow(part.node(), traversal, forward, closing));
        }

        private PartialPlan grown(PartialPlan part, int t, Traversals.Step step) {
            Traversal traversal = pattern.get(t);
            BitSet bound = PartialPlan.with(part.bound(), traversal.from(), traversal.to());
            traversal.filled().forEach(bound::set);
            List<Conjunct> fresh = fresh(bound, part.bound(), part.bound());
            Node node = Conjunct.filtered(step.node(), fresh, figures());
            double cost = part.cost() + step.cost();
            cost += fresh.isEmpty() ? 0 : RECORD_COST * step.node().rows();
            return new PartialPlan(node, bound, PartialPlan.with(part.followed(), t), part.driven(), cost, part.by());
        }

        private void join(PartialPlan a, PartialPlan b) {
            statistics.checkpoint();
            boolean useless = a.overlaps(b) || a.covers(b) || b.covers(a);
            if (useless || (a.driven() && b.driven())) {
                return;
            }
            if (a.isLooseEdge(variables) || b.isLooseEdge(variables)) {
                return;
            }
            if (a.bound().intersects(b.bound()) || equates(a, b)) {
                for (boolean swap : sides(a, b)) {
                    offer(in -> joined(in[0], in[1], swap), a, b);
                }
            } else if (a.rows() * b.rows() <= choices.productMax()) {
                close(a, b);
            }
        }

        /** The sides of a join to try: the cheaper one, unless all alternatives are wanted. */
        private boolean[] sides(PartialPlan a, PartialPlan b) {
            boolean swap = a.isKeptFor(b);
            return choices.all() && !a.driven() && !b.driven() ? new boolean[] {swap, !swap} : new boolean[] {swap};
        }

        /** The product of two parts, followed by a traversal between them. */
        private void close(PartialPlan a, PartialPlan b) {
            for (int t : Expressions.array(wanted)) {
                Traversal traversal = pattern.get(t);
                int from = traversal.from();
                int to = traversal.to();
                boolean across = (a.bound().get(from) && b.bound().get(to))
                        || (b.bound().get(from) && a.bound().get(to));
                if (across) {
                    for (boolean forward : new boolean[] {true, false}) {
                        boolean reads = !PatternSlots.ruleReads(traversal).isEmpty();
                        if (!reads && (forward || !traversal.isForwardOnly())) {
                            offer(in -> followed(joined(in[0], in[1]), t, forward, true), a, b);
                        }
                    }
                }
            }
        }
    }

    /** Equality filters between two parts. */
    private List<Conjunct> keys(PartialPlan a, PartialPlan b) {
        List<Conjunct> keys = new ArrayList<>();
        for (Conjunct conjunct : conjuncts) {
            if (isKey(conjunct, a, b)) {
                keys.add(conjunct);
            }
        }
        return keys;
    }

    private static boolean isKey(Conjunct conjunct, PartialPlan a, PartialPlan b) {
        return conjunct.joins(a.bound(), b.bound()) && !conjunct.within(a.bound()) && !conjunct.within(b.bound());
    }

    /** Whether a filter is an equality between the two parts. */
    boolean equates(PartialPlan a, PartialPlan b) {
        for (Conjunct conjunct : conjuncts) {
            if (isKey(conjunct, a, b)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Joins two parts on the variables that they share and by the equalities between them; the product when there is
     * neither. The side with fewer rows is kept in memory, but never the outer rows of a block.
     */
    PartialPlan joined(PartialPlan a, PartialPlan b) {
        return joined(a, b, a.isKeptFor(b));
    }

    /**
     * As {@link #joined(PartialPlan, PartialPlan)}.
     *
     * @param swap whether the first part is kept in memory and the second one is streamed
     */
    PartialPlan joined(PartialPlan a, PartialPlan b, boolean swap) {
        PartialPlan probe = swap ? b : a;
        PartialPlan build = swap ? a : b;
        List<Expression> probeKeys = new ArrayList<>();
        List<Expression> buildKeys = new ArrayList<>();
        double rows = probe.rows() * build.rows();
        BitSet shared = (BitSet) probe.bound().clone();
        shared.and(build.bound());
        for (int slot : Expressions.array(shared)) {
            probeKeys.add(variables.get(slot).entity());
            buildKeys.add(variables.get(slot).entity());
            rows /= probe.keys(build, statistics.count(variables.get(slot)));
        }
        List<Conjunct> keys = keys(probe, build);
        for (Conjunct key : keys) {
            probeKeys.add(key.side(probe.bound()));
            buildKeys.add(key.side(build.bound()));
            rows /= probe.keys(build, Double.MAX_VALUE);
        }
        Node node = probeKeys.isEmpty()
                ? new Node.CrossJoin(probe.node(), build.node(), rows)
                : new Node.HashJoin(probe.node(), build.node(), probeKeys, buildKeys, rows);
        BitSet bound = PartialPlan.union(probe.bound(), build.bound());
        List<Conjunct> fresh = new ArrayList<>(fresh(bound, probe.bound(), build.bound()));
        fresh.removeAll(keys);
        double cost = probe.cost()
                + build.cost()
                + keeping(build.rows())
                + probe.rows()
                + rows
                + (fresh.isEmpty() ? 0 : RECORD_COST * rows);
        return new PartialPlan(
                Conjunct.filtered(node, fresh, figures()),
                bound,
                PartialPlan.union(probe.followed(), build.followed()),
                probe.driven(),
                cost,
                probe.by());
    }

    /** The figures for filters; null when no choice depends on them, so that none are read at each run. */
    private @Nullable Statistics figures() {
        return pattern.isEmpty() ? null : statistics;
    }

    /** The cost of keeping rows. Memory is bounded, and traversals need none. */
    private static double keeping(double rows) {
        return KEEP_COST * rows + (rows > KEPT_MAX ? FULL_COST * (rows - KEPT_MAX) : 0);
    }

    /** Conjuncts whose variables are bound by this step. */
    List<Conjunct> fresh(BitSet bound, BitSet before, BitSet orBefore) {
        List<Conjunct> fresh = new ArrayList<>();
        for (Conjunct conjunct : conjuncts) {
            if (conjunct.within(bound) && !conjunct.within(before) && !conjunct.within(orBefore)) {
                fresh.add(conjunct);
            }
        }
        return fresh;
    }
}
