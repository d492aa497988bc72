package service.projection.exec;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Block;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Variable;
import service.core.port.GraphView;
import service.core.value.Value;

/**
 * Orders a pattern: for each connected part it tries every variable as the start, follows the
 * traversal that is expected to leave the fewest rows, and takes the start whose rows sum up to the
 * least. Filters stand as early as their variables allow; parts are joined by equality where there
 * is one. Ties go to the lower slot, so equal statistics give equal plans.
 */
final class PatternPlanner {
    private final List<Variable> variables;
    private final List<Value> arguments;
    private final AccessPaths paths;
    private final Traversals traversals;

    PatternPlanner(GraphView view, List<Variable> variables, List<Value> arguments) {
        this.variables = variables;
        this.arguments = arguments;
        this.paths = new AccessPaths(view);
        this.traversals = new Traversals(view, variables);
    }

    /** The plan of a whole match. */
    Node plan(Pattern pattern) {
        return new Planning(pattern, null, new BitSet()).run();
    }

    /** A plan in the making; copied to try a start. */
    private static final class State {
        private @Nullable Node node;
        private final BitSet bound;
        private double rows;
        private double cost;
        private final List<Traversal> open;

        State(@Nullable Node node, BitSet bound, double rows, List<Traversal> open) {
            this.node = node;
            this.bound = (BitSet) bound.clone();
            this.rows = rows;
            this.open = new ArrayList<>(open);
        }

        Node require() {
            return java.util.Objects.requireNonNull(node);
        }
    }

    /** The planning of one pattern. */
    private final class Planning {
        private final Pattern pattern;
        private final @Nullable Node outer;
        private final BitSet outerBound;
        private final Set<Expression> filters = new LinkedHashSet<>();
        private final List<Block> blocks;

        Planning(Pattern pattern, @Nullable Node outer, BitSet outerBound) {
            this.pattern = pattern;
            this.outer = outer;
            this.outerBound = outerBound;
            this.blocks = new ArrayList<>(pattern.blocks());
            for (Expression filter : pattern.filters()) {
                List<Expression> conjuncts = new ArrayList<>();
                Expressions.addConjuncts(Expressions.bind(filter, arguments), conjuncts);
                filters.addAll(conjuncts);
            }
        }

        Node run() {
            State state = null;
            BitSet reachable = (BitSet) outerBound.clone();
            if (outer != null) {
                state = new State(outer, outerBound, outer.rows(), pattern.traversals());
                applyFilters(state, filters);
                follow(state, filters);
                reachable = state.bound;
            }
            BitSet planned = (BitSet) reachable.clone();
            List<State> parts = new ArrayList<>();
            for (int slot : pattern.bound()) {
                if (!planned.get(slot)) {
                    State part = plan(component(slot));
                    planned.or(part.bound);
                    parts.add(part);
                }
            }
            parts.sort((a, b) -> Double.compare(a.rows, b.rows));
            while (!parts.isEmpty()) {
                state =
                        state == null
                                ? parts.removeFirst()
                                : joined(state, takeJoinable(state, parts));
                applyFilters(state, filters);
            }
            if (state == null) {
                throw new IllegalStateException("a match without a variable");
            }
            applyBlocks(state);
            applyFilters(state, filters);
            return state.require();
        }

        /** Slots that traversals connect with this one, but for those that are bound outside. */
        private BitSet component(int start) {
            BitSet slots = new BitSet();
            slots.set(start);
            boolean grew = true;
            while (grew) {
                grew = false;
                for (Traversal t : pattern.traversals()) {
                    boolean from = slots.get(t.from());
                    boolean to = slots.get(t.to());
                    if (from != to) {
                        slots.set(t.from());
                        slots.set(t.to());
                        grew = true;
                    }
                }
            }
            return slots;
        }

        private State plan(BitSet component) {
            State best = null;
            Set<Expression> bestFilters = Set.of();
            for (int start : Batch.array(component)) {
                Set<Expression> left = new LinkedHashSet<>(filters);
                List<Traversal> open = new ArrayList<>(pattern.traversals());
                open.removeIf(t -> !component.get(t.from()));
                State state = start(start, open, left);
                follow(state, left);
                if (best == null || state.cost < best.cost) {
                    best = state;
                    bestFilters = left;
                }
            }
            filters.retainAll(bestFilters);
            return java.util.Objects.requireNonNull(best);
        }

        private State start(int slot, List<Traversal> open, Set<Expression> left) {
            List<Expression> own = new ArrayList<>();
            for (Expression filter : left) {
                BitSet slots = Expressions.slots(filter);
                if (slots.cardinality() == 1 && slots.get(slot)) {
                    own.add(filter);
                }
            }
            AccessPaths.Path path = paths.best(variables.get(slot), own);
            own.removeAll(path.rest());
            own.forEach(left::remove);
            BitSet bound = new BitSet();
            bound.set(slot);
            State state = new State(path.source(), bound, path.source().rows(), open);
            state.cost = state.rows;
            applyFilters(state, left);
            return state;
        }

        /** Follows the connected traversals, each time the one that leaves the fewest rows. */
        private void follow(State state, Set<Expression> left) {
            while (true) {
                Traversal best = null;
                boolean fromLeft = true;
                double bestRows = Double.MAX_VALUE;
                for (Traversal t : state.open) {
                    for (boolean forward : new boolean[] {true, false}) {
                        if (!state.bound.get(forward ? t.from() : t.to())) {
                            continue;
                        }
                        double rows = expected(state, t, forward, left);
                        if (best == null || rows < bestRows) {
                            best = t;
                            fromLeft = forward;
                            bestRows = rows;
                        }
                    }
                }
                if (best == null) {
                    return;
                }
                follow(state, best, fromLeft);
                applyFilters(state, left);
            }
        }

        /** Rows behind a traversal and the filters on its far end. */
        private double expected(State state, Traversal t, boolean forward, Set<Expression> left) {
            int far = forward ? t.to() : t.from();
            boolean closing = state.bound.get(far);
            double rows = traversals.rows(state.rows, t, forward, closing);
            if (!closing) {
                for (Expression filter : left) {
                    BitSet slots = Expressions.slots(filter);
                    if (slots.get(far) && slots.cardinality() == 1) {
                        rows *= Estimates.selectivity(filter);
                    }
                }
            }
            return rows;
        }

        private void follow(State state, Traversal t, boolean forward) {
            int far = forward ? t.to() : t.from();
            boolean closing = state.bound.get(far);
            Node next = traversals.node(state.require(), t, forward, closing);
            state.open.remove(t);
            state.node = next;
            // What the step examines counts as well as what it gives.
            state.cost += next.rows() + state.rows;
            state.rows = next.rows();
            state.bound.set(far);
            if (t.edge() >= 0) {
                state.bound.set(t.edge());
            }
        }

        /** Applies the filters whose variables are all bound, those that cannot fail first. */
        private void applyFilters(State state, Set<Expression> left) {
            List<Expression> ready = new ArrayList<>();
            List<Expression> fallible = new ArrayList<>();
            for (Expression filter : left) {
                BitSet missing = Expressions.slots(filter);
                missing.andNot(state.bound);
                if (missing.isEmpty()) {
                    (canFail(filter) ? fallible : ready).add(filter);
                }
            }
            ready.addAll(fallible);
            if (ready.isEmpty()) {
                return;
            }
            ready.forEach(left::remove);
            for (Expression filter : ready) {
                state.rows *= Estimates.selectivity(filter);
            }
            state.node = new Node.Filter(state.require(), ready, state.rows);
        }

        private State takeJoinable(State state, List<State> parts) {
            for (State part : parts) {
                if (!joinFilters(state.bound, part.bound).isEmpty()) {
                    parts.remove(part);
                    return part;
                }
            }
            return parts.removeFirst();
        }

        private State joined(State left, State right) {
            List<Expression> keys = joinFilters(left.bound, right.bound);
            filters.removeAll(keys);
            double product = left.rows * right.rows;
            if (keys.isEmpty()) {
                // The kept side had better be the smaller one; the outer rows of a block must flow.
                left.node =
                        outer != null || right.rows <= left.rows
                                ? new Node.CrossJoin(left.require(), right.require(), product)
                                : new Node.CrossJoin(right.require(), left.require(), product);
                left.rows = product;
            } else {
                left.rows = product / Math.max(1, Math.max(left.rows, right.rows));
                left.node = hashJoin(left, right, keys);
            }
            left.bound.or(right.bound);
            return left;
        }

        private Node hashJoin(State left, State right, List<Expression> filters) {
            List<Expression> leftKeys = new ArrayList<>();
            List<Expression> rightKeys = new ArrayList<>();
            for (Expression filter : filters) {
                Expression.Compare compare = (Expression.Compare) filter;
                boolean straight = within(compare.left(), left.bound);
                leftKeys.add(straight ? compare.left() : compare.right());
                rightKeys.add(straight ? compare.right() : compare.left());
            }
            // The kept side had better be the smaller one; the outer rows of a block must flow.
            return outer != null || right.rows <= left.rows
                    ? new Node.HashJoin(
                            left.require(), right.require(), leftKeys, rightKeys, left.rows)
                    : new Node.HashJoin(
                            right.require(), left.require(), rightKeys, leftKeys, left.rows);
        }

        /** Equalities between one side and the other. */
        private List<Expression> joinFilters(BitSet left, BitSet right) {
            List<Expression> keys = new ArrayList<>();
            BitSet onlyRight = (BitSet) right.clone();
            onlyRight.andNot(left);
            for (Expression filter : filters) {
                if (filter instanceof Expression.Compare compare
                        && compare.operator() == ComparisonOperator.EQUAL
                        && !canFail(filter)
                        && ((within(compare.left(), left) && within(compare.right(), onlyRight))
                                || (within(compare.right(), left)
                                        && within(compare.left(), onlyRight)))) {
                    keys.add(filter);
                }
            }
            return keys;
        }

        private void applyBlocks(State state) {
            for (Block block : blocks) {
                applyBlock(state, block);
                applyFilters(state, filters);
            }
        }

        private void applyBlock(State state, Block block) {
            Node input = state.require();
            Planning inner =
                    new Planning(block.pattern(), new Node.OuterRows(state.rows), state.bound);
            Node plan = inner.run();
            switch (block) {
                case Block.Optional ignored -> {
                    List<Integer> slots = boundBy(block.pattern());
                    state.rows = Math.max(state.rows, plan.rows());
                    state.node = new Node.Optional(input, plan, slots, state.rows);
                    slots.forEach(state.bound::set);
                }
                case Block.Exists exists -> {
                    state.rows *= Estimates.OTHER;
                    state.node = new Node.SemiJoin(input, plan, exists.negated(), state.rows);
                }
                case Block.Measure measure -> {
                    state.rows *= Estimates.RANGE;
                    Expression operand = measure.operand();
                    state.node =
                            new Node.Measure(
                                    input,
                                    plan,
                                    measure.function(),
                                    operand == null ? null : Expressions.bind(operand, arguments),
                                    measure.operator(),
                                    Expressions.bind(measure.bound(), arguments),
                                    state.rows);
                }
            }
        }
    }

    private static boolean within(Expression expression, BitSet bound) {
        BitSet slots = Expressions.slots(expression);
        if (slots.isEmpty()) {
            return false;
        }
        slots.andNot(bound);
        return slots.isEmpty();
    }

    private static boolean canFail(Expression expression) {
        return switch (expression) {
            case Expression.Arithmetic ignored -> true;
            case Expression.Negate ignored -> true;
            case Expression.Call ignored -> true;
            default -> expression.operands().stream().anyMatch(PatternPlanner::canFail);
        };
    }

    /** Slots that a pattern binds, with those of its optional blocks. */
    static List<Integer> boundBy(Pattern pattern) {
        List<Integer> slots = new ArrayList<>(pattern.bound());
        for (Traversal t : pattern.traversals()) {
            if (t.edge() >= 0) {
                slots.add(t.edge());
            }
        }
        for (Block block : pattern.blocks()) {
            if (block instanceof Block.Optional optional) {
                slots.addAll(boundBy(optional.pattern()));
            }
        }
        return slots;
    }
}
