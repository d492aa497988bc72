package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Block;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;

/**
 * Plans a match. {@link JoinSearch} plans each connected part; parts are joined by equality if there is one, else by a
 * product; then come the blocks. Blocks that only filter rows come before products and optional blocks if their
 * variables are bound. Filters that can fail are decided at the end.
 *
 * <p>A block is planned like a match whose first rows are the outer rows, and a stage like one whose first rows are
 * those of the stage before. The result may be a hash join with a plan that does not read these rows.
 */
public final class PatternPlanner {
    private final Statistics statistics;
    private final Choices choices;
    private final Traversals traversals;

    public PatternPlanner(Statistics statistics, List<Variable> variables, Choices choices) {
        this.statistics = statistics;
        this.choices = choices;
        this.traversals = new Traversals(statistics, variables, this::inner);
    }

    public Node plan(Pattern pattern) {
        return plan(pattern, null);
    }

    /** The plan of a whole match, whose rows a TopN orders. */
    Node plan(Pattern pattern, @Nullable Ordering ordering) {
        return planned(pattern, null, ordering);
    }

    /**
     * The plan of the match of a stage.
     *
     * @param before the rows of the stage before
     * @param bound slots that these rows hold
     */
    Node plan(Pattern pattern, Node before, BitSet bound) {
        return planned(pattern, new Outer(before, bound, null), null);
    }

    /**
     * Plans a pattern. Walks whose rules read variables of the pattern itself, or outer rows that hold neither end,
     * come last: the rows of the rest are their outer rows.
     *
     * @param ordering the order that a TopN asks for; only a search over the whole match offers it
     */
    private Node planned(Pattern pattern, @Nullable Outer outer, @Nullable Ordering ordering) {
        Block.Given given = pattern.given();
        if (given != null) {
            List<Block> rest = pattern.blocks().subList(1, pattern.blocks().size());
            return planned(pattern.with(rest), given(given, outer), null);
        }
        BitSet before = outer == null ? new BitSet() : outer.bound();
        List<Traversal> late =
                pattern.traversals().stream().filter(t -> isLate(t, before)).toList();
        if (late.isEmpty()) {
            Planning planning = new Planning(pattern, outer);
            planning.search.paths.orderBy(ordering);
            return planning.run();
        }
        List<Traversal> early = new ArrayList<>(pattern.traversals());
        early.removeAll(late);
        BitSet first = boundFirst(pattern, early, late, before);
        List<Integer> bound = pattern.bound().stream().filter(first::get).toList();
        early.forEach(t -> t.filled().forEach(first::set));
        List<Expression> known = new ArrayList<>();
        List<Expression> others = new ArrayList<>();
        for (Conjunct conjunct : Conjunct.of(pattern.filters())) {
            boolean isKnown = conjunct.within(first) && !conjunct.fallible();
            (isKnown ? known : others).add(conjunct.expression());
        }
        Node rows = new Planning(new Pattern(bound, early, known, List.of()), outer).run();
        List<Integer> rest =
                pattern.bound().stream().filter(slot -> !first.get(slot)).toList();
        return new Planning(
                        new Pattern(rest, late, others, pattern.blocks()),
                        new Outer(rows, first, outer == null ? null : outer.counts()))
                .run();
    }

    /** The rows that the rest of a divided pattern extends. */
    private Outer given(Block.Given given, @Nullable Outer outer) {
        Node node = planned(given.pattern(), outer, null);
        BitSet bound = outer == null ? new BitSet() : (BitSet) outer.bound().clone();
        SlotCounts counts = outer == null ? null : outer.counts();
        PatternSlots.boundBy(given.pattern()).forEach(bound::set);
        Plan.Output output = given.output();
        if (output == null) {
            return new Outer(node, bound, counts);
        }
        bound.set(output.slot());
        node = new Node.Project(node, List.of(output.expression()), node.rows());
        node = new Node.Stage(node, List.of(output.slot()), true, node.rows());
        return new Outer(
                output.isEach()
                        ? new Node.Unnest(node, output.slot(), output.expression(), node.rows() * Estimates.ITEMS)
                        : node,
                bound,
                counts);
    }

    /** Whether a walk's rule reads what no row holds that comes before the pattern, or one that holds neither end. */
    private static boolean isLate(Traversal t, BitSet before) {
        BitSet read = PatternSlots.ruleReads(t);
        boolean isApart = !read.isEmpty() && !before.get(t.from()) && !before.get(t.to());
        return isApart || !Conjunct.isWithin(read, before);
    }

    /**
     * The variables of the rows that late walks begin with: all but the ends of these alone, of which one is needed.
     */
    private static BitSet boundFirst(Pattern pattern, List<Traversal> early, List<Traversal> late, BitSet before) {
        BitSet first = new BitSet();
        pattern.bound().forEach(first::set);
        late.forEach(t -> {
            first.clear(t.from());
            first.clear(t.to());
        });
        first.or(before);
        early.forEach(t -> {
            first.set(t.from());
            first.set(t.to());
        });
        late.forEach(t -> first.or(PatternSlots.ruleReads(t)));
        for (Traversal t : late) {
            if (!first.get(t.from()) && !first.get(t.to())) {
                first.set(t.from());
            }
        }
        return first;
    }

    /**
     * The rows that a pattern extends: the outer rows of a block, or those of the stage before.
     *
     * @param counts of the outer rows; null outside of a block
     */
    private record Outer(Node node, BitSet bound, @Nullable SlotCounts counts) {}

    /** The planning of one pattern. */
    private final class Planning {
        private final Pattern pattern;
        private final @Nullable Outer outer;
        private final List<Conjunct> conjuncts;
        private final List<Block> blocks;
        private final JoinSearch search;

        Planning(Pattern pattern, @Nullable Outer outer) {
            this.pattern = pattern;
            this.outer = outer;
            this.conjuncts = Conjunct.of(pattern.filters());
            this.blocks = new ArrayList<>(pattern.blocks());
            boolean probing = pattern.bound().size() > 1 || outer != null;
            this.search = new JoinSearch(traversals, pattern.traversals(), conjuncts, statistics, choices, probing);
        }

        Node run() {
            List<PartialPlan> parts = parts();
            while (parts.size() > 1) {
                parts.replaceAll(part -> blocks(part, false));
                List<Pair> pairs = pairs(parts);
                Pair pair = pairs.get(choices.pick(pairs.size()));
                PartialPlan right = parts.remove(pair.b);
                PartialPlan left = parts.remove(pair.a);
                boolean free = !left.driven() && !right.driven();
                parts.add(
                        free && choices.pick(2) == 1
                                ? search.joined(left, right, left.rows() >= right.rows())
                                : search.joined(left, right));
            }
            Node whole = blocks(parts.getFirst(), true).node();
            if (!blocks.isEmpty()) {
                throw new IllegalStateException("no row holds what the block reads: " + blocks.getFirst());
            }
            return decided(whole);
        }

        /** Two parts by index, the smaller index first. */
        private record Pair(int a, int b, double rows) {}

        /**
         * The pairs of parts to join next, the best first: those with an equality between them, or all pairs when there
         * is none. A product is used only then.
         */
        private List<Pair> pairs(List<PartialPlan> parts) {
            List<Pair> equal = new ArrayList<>();
            List<Pair> all = new ArrayList<>();
            for (int b = 1; b < parts.size(); b++) {
                statistics.checkpoint();
                for (int a = 0; a < b; a++) {
                    PartialPlan left = parts.get(a);
                    PartialPlan right = parts.get(b);
                    Pair pair = new Pair(a, b, left.rows() * right.rows());
                    all.add(pair);
                    if (search.equates(left, right)) {
                        equal.add(pair);
                    }
                }
            }
            List<Pair> pairs = equal.isEmpty() ? all : equal;
            pairs.sort(Comparator.comparingDouble(Pair::rows));
            return pairs;
        }

        /** The connected parts. */
        private List<PartialPlan> parts() {
            List<PartialPlan> parts = new ArrayList<>();
            BitSet planned = new BitSet();
            if (outer != null) {
                List<Conjunct> known = new ArrayList<>(conjuncts);
                known.removeIf(conjunct -> !conjunct.within(outer.bound()));
                Node rows = Conjunct.filtered(outer.node(), known, null);
                double cost = outer.node().rows();
                PartialPlan driven = new PartialPlan(rows, outer.bound(), new BitSet(), true, cost);
                BitSet reached = withFound(component(outer.bound()), true);
                BitSet starts = (BitSet) reached.clone();
                starts.andNot(outer.bound());
                SlotCounts counts = outer.node() instanceof Node.OuterRows ? outer.counts() : null;
                parts.add(search.best(starts, traversals(reached), driven, counts));
                planned.or(reached);
            }
            for (int slot : pattern.bound()) {
                if (!planned.get(slot)) {
                    BitSet reached = withFound(component(PartialPlan.with(new BitSet(), slot)), false);
                    reached.andNot(planned);
                    parts.add(search.best(reached, traversals(reached), null, null));
                    planned.or(reached);
                }
            }
            if (parts.isEmpty()) {
                parts.add(unit());
            }
            return parts;
        }

        /** The single row of a match that binds nothing, with its filters. */
        private PartialPlan unit() {
            BitSet none = new BitSet();
            List<Conjunct> known =
                    conjuncts.stream().filter(each -> each.within(none)).toList();
            return new PartialPlan(Conjunct.filtered(new Node.Unit(), known, null), none, none, false, 1);
        }

        /**
         * The slots, with those that look-ups find by values of the others. A beam keeps parts with outer rows, but may
         * drop all others that a look-up extends: without outer rows only an exact search takes look-ups into account.
         */
        private BitSet withFound(BitSet slots, boolean driven) {
            BitSet all = slots;
            for (boolean grew = true; grew; ) {
                grew = false;
                for (int slot : pattern.bound()) {
                    if (!all.get(slot) && !search.lookups.of(slot, all).isEmpty()) {
                        all = component(PartialPlan.with(all, slot));
                        grew = true;
                    }
                }
            }
            return driven || search.isExact(traversals(all)) ? all : slots;
        }

        /** The slots and all slots that traversals connect with them. */
        private BitSet component(BitSet from) {
            BitSet slots = (BitSet) from.clone();
            boolean grew = true;
            while (grew) {
                grew = false;
                for (Traversal t : pattern.traversals()) {
                    if (slots.get(t.from()) != slots.get(t.to())) {
                        slots.set(t.from());
                        slots.set(t.to());
                        grew = true;
                    }
                }
            }
            return slots;
        }

        private BitSet traversals(BitSet component) {
            BitSet among = new BitSet();
            for (int t = 0; t < pattern.traversals().size(); t++) {
                if (component.get(pattern.traversals().get(t).from())) {
                    among.set(t);
                }
            }
            return among;
        }

        /**
         * Applies the blocks whose outer variables are bound: those that only filter rows, and when the pattern is
         * complete also the optional ones.
         */
        private PartialPlan blocks(PartialPlan part, boolean isWhole) {
            PartialPlan result = keeping(part, false, conditions());
            if (!isWhole) {
                return result;
            }
            for (Block block : List.copyOf(blocks)) {
                if (block instanceof Block.Optional first) {
                    blocks.remove(first);
                    result = keeping(optional(result, first), false, conditions());
                }
            }
            result = keeping(result, true, conditions());
            return keeping(result, true, blocks);
        }

        /** The blocks that may drop a row: all but the optional ones, and values that no condition reads. */
        private List<Block> conditions() {
            BitSet read = new BitSet();
            conjuncts.forEach(conjunct -> read.or(conjunct.slots()));
            return blocks.stream()
                    .filter(block -> !(block instanceof Block.Value value) || read.get(value.slot()))
                    .toList();
        }

        /**
         * Applies some of the blocks that are left, but no optional ones.
         *
         * @param fallible whether to apply those that can fail, too: only when no later condition can drop a row
         */
        private PartialPlan keeping(PartialPlan part, boolean fallible, List<Block> some) {
            PartialPlan result = part;
            for (Block block : List.copyOf(some)) {
                if (!(block instanceof Block.Optional)
                        && (fallible || !canFail(block))
                        && Conjunct.isWithin(PatternSlots.outside(block), result.bound())) {
                    blocks.remove(block);
                    result = kept(result, block);
                }
            }
            return result;
        }

        private PartialPlan kept(PartialPlan part, Block block) {
            return switch (block) {
                case Block.Optional ignored -> throw new IllegalStateException("an optional block adds rows");
                case Block.Given ignored -> throw new IllegalStateException("it comes before the pattern");
                case Block.Exists exists -> {
                    Node input = part.node();
                    Node inner = inner(part, block.pattern());
                    double matches = inner.rows() / Math.max(1, input.rows());
                    double share = Estimates.share(matches, exists.negated());
                    Node node = new Node.SemiJoin(input, inner, exists.negated(), input.rows() * share);
                    yield new PartialPlan(node, part.bound(), part.followed(), part.driven(), part.cost());
                }
                case Block.Value value -> {
                    Node node = valueOf(part.node(), part.bound(), counts(part.node()), value);
                    BitSet bound = PartialPlan.with(part.bound(), value.slot());
                    node = Conjunct.filtered(node, search.fresh(bound, part.bound(), part.bound()), null);
                    yield new PartialPlan(node, bound, part.followed(), part.driven(), part.cost());
                }
            };
        }

        private PartialPlan optional(PartialPlan part, Block.Optional block) {
            Node inner = inner(part, block.pattern());
            List<Integer> slots = PatternSlots.boundBy(block.pattern());
            BitSet bound = (BitSet) part.bound().clone();
            slots.forEach(bound::set);
            double rows = Math.max(part.rows(), inner.rows());
            Node node = new Node.Optional(part.node(), inner, slots, rows);
            node = Conjunct.filtered(node, search.fresh(bound, part.bound(), part.bound()), null);
            return new PartialPlan(node, bound, part.followed(), part.driven(), part.cost());
        }

        private Node inner(PartialPlan part, Pattern block) {
            return PatternPlanner.this.inner(part.rows(), part.bound(), counts(part.node()), block);
        }

        private SlotCounts counts(Node node) {
            SlotCounts given = outer == null ? null : outer.counts();
            return SlotCounts.of(node, given == null ? slot -> Double.MAX_VALUE : given);
        }

        /** Applies the filters that were tentative. */
        private Node decided(Node node) {
            List<Expression> last = new ArrayList<>();
            double rows = node.rows();
            Node input = node;
            if (input instanceof Node.Filter tried && tried.tentative()) {
                input = tried.input();
            }
            if (input instanceof Node.Filter before) {
                last.addAll(before.conjuncts());
                input = before.input();
            }
            int sure = last.size();
            for (Conjunct conjunct : conjuncts) {
                if (conjunct.fallible()) {
                    last.add(conjunct.expression());
                }
            }
            return last.size() == sure ? node : new Node.Filter(input, last, false, rows);
        }
    }

    private Node inner(double rows, BitSet bound, SlotCounts counts, Pattern block) {
        return planned(block, new Outer(new Node.OuterRows(rows), bound, counts), null);
    }

    /**
     * A node that computes the value of a block for each row.
     *
     * @param bound slots that the rows hold
     */
    Node valueOf(Node input, BitSet bound, Block.Value value) {
        return valueOf(input, bound, SlotCounts.of(input, slot -> Double.MAX_VALUE), value);
    }

    private Node valueOf(Node input, BitSet bound, SlotCounts counts, Block.Value value) {
        Node inner = inner(input.rows(), bound, counts, value.pattern());
        return new Node.BlockValue(input, inner, value.aggregate(), value.slot(), input.rows());
    }

    /** Whether an evaluation of a block may fail depending on the row. */
    static boolean canFail(Block block) {
        Expression over = block.over();
        return (over != null && Expressions.canFail(over))
                || block.pattern().filters().stream().anyMatch(Expressions::canFail)
                || block.pattern().blocks().stream().anyMatch(PatternPlanner::canFail);
    }
}
