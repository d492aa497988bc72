package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import service.core.batch.Column;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Variable;
import service.core.gq.plan.Walk;
import service.core.schema.EntityType;
import service.core.schema.Lane;
import service.core.value.Direction;

/**
 * Makes physical nodes of traversals, from either end or from the edge, with their expected rows and their cost beyond
 * that of the input.
 */
final class Traversals {
    /** Neighbours that a search reads for each new neighbour that one more hop reaches. */
    private static final double SEARCH_COST = 2;

    /** The most that a test costs whether two nodes are neighbours: a seek. */
    private static final double PROBE_COST = 4;

    /** Hops that are estimated at the most: a search has met all that it will by then. */
    private static final int HOPS_MAX = 64;

    /** Hops up to which the number of paths is estimated. */
    private static final int WAYS_MAX = 12;

    private final Statistics statistics;
    final List<Variable> variables;
    private final BlockPlans blocks;

    /** Walks with the rules that are planned. */
    private final IdentityHashMap<Walk, Walk> walks = new IdentityHashMap<>();

    /** The plans of rules with blocks, which are the same wherever a walk begins. */
    private final IdentityHashMap<Walk.Rule, Node.Rule> rules = new IdentityHashMap<>();

    /** Those of walks between two ends, which read far fewer steps. */
    private final IdentityHashMap<Walk.Rule, Node.Rule> meetingRules = new IdentityHashMap<>();

    /** Plans blocks. */
    @FunctionalInterface
    interface BlockPlans {
        /**
         * The plan of a block.
         *
         * @param rows number of outer rows
         * @param bound slots that they hold
         * @param counts of these slots
         */
        Node of(double rows, BitSet bound, SlotCounts counts, Pattern block);
    }

    Traversals(Statistics statistics, List<Variable> variables, BlockPlans blocks) {
        this.statistics = statistics;
        this.variables = variables;
        this.blocks = blocks;
    }

    /**
     * A node that follows a traversal.
     *
     * @param cost beyond that of the input, in entities scanned
     */
    record Step(Node node, double cost) {}

    /**
     * @param forward from the left variable to the right one
     * @param closing both ends are bound
     */
    Step follow(Node input, Traversal t, boolean forward, boolean closing) {
        int near = forward ? t.from() : t.to();
        int farSlot = forward ? t.to() : t.from();
        Node.Far far = new Node.Far(farSlot, variables.get(farSlot).types(), closing);
        List<Node.Step> steps = steps(t, forward);
        if (!t.hopRange()) {
            Set<Integer> nearTypes = Set.copyOf(variables.get(near).types());
            steps.removeIf(
                    step -> !nearTypes.contains(step.nearType()) || !far.types().contains(step.farType()));
        }
        double reached = reached(t, steps);
        double all = Math.max(1, farCount(steps));
        double rows = input.rows() * (closing ? Math.min(1, reached / all) : Math.min(reached, all));
        Walk walk = t.walk();
        if (walk == null) {
            Node.Expand node = new Node.Expand(input, near, far, t.edge(), steps, t.undirected(), rows);
            ClosedHop hop = closing ? ClosedHop.of(node) : null;
            if (hop != null && statistics.hasRuns(hop.open().steps().getFirst()) && statistics.hasRuns(hop.step())) {
                // Both hops are followed at once, by an intersection that reads no more than the first one alone.
                return new Step(node, rows);
            }
            return new Step(node, input.rows() * (1 + (closing ? Math.min(reached, PROBE_COST) : reached)));
        }
        List<Node.Step> back = closing ? steps(t, !forward) : List.of();
        Node.HopRange range = new Node.HopRange(t.minHops(), t.maxHops(), -1);
        Node node = isPlain(walk)
                ? new Node.Hops(input, near, far, steps, back, range, rows)
                : paths(input, t, forward, far, rows);
        double searched = closing ? meeting(steps, most(t), all) : searched(steps, most(t), all);
        return new Step(node, input.rows() * (1 + SEARCH_COST * searched * (closing ? 2 : 1)));
    }

    /** Whether it is only asked which nodes are within how many hops. */
    private static boolean isPlain(Walk walk) {
        return walk.mode() == Walk.Mode.SHORTEST
                && walk.rule() == null
                && walk.slots().asked().isEmpty();
    }

    private Node paths(Node input, Traversal t, boolean forward, Node.Far far, double rows) {
        Walk walk =
                walks.computeIfAbsent(Objects.requireNonNull(t.walk()), each -> CountedTests.replaced(each, variables));
        Node.Walking walking = new Node.Walking(walk, steps(t, forward), steps(t, !forward), forward);
        double many = walk.mode().isOneAPair() ? rows : Math.max(rows, input.rows() * ways(walking, far.bound()));
        Walk.Rule rule = walk.rule();
        double tested = tested(input.rows(), walking, t, far.bound());
        Node.Rule blocks = rule == null ? null : rule(t, rule, tested, far.bound() ? meetingRules : rules);
        return new Node.Paths(input, forward ? t.from() : t.to(), far, walking, blocks, many);
    }

    /** Steps that are tested, by batches: those from the nodes that searches meet, each once. */
    private double tested(double searches, Node.Walking walking, Traversal t, boolean closing) {
        List<Node.Step> steps = walking.steps();
        double all = Math.max(1, farCount(steps));
        double fan = fan(steps);
        double met = closing ? meeting(steps, most(t), all) : searched(steps, most(t), all);
        // Two searches by hops meet before they read the steps of the nodes that they have found last.
        double ofOne = closing && walking.walk().mode() != Walk.Mode.CHEAPEST ? 2 * met : fan * met;
        return Math.max(Column.CAPACITY, Math.min(fan * all, searches * ofOne));
    }

    private Node.Rule rule(Traversal t, Walk.Rule rule, double tested, IdentityHashMap<Walk.Rule, Node.Rule> known) {
        Pattern where = rule.where();
        if (where.blocks().isEmpty()) {
            Node steps = new Node.OuterRows(tested);
            Node block = where.filters().isEmpty() ? steps : new Node.Filter(steps, where.filters(), false, tested);
            return new Node.Rule(block, block);
        }
        Node.Rule planned = known.get(rule);
        if (planned == null) {
            Node along = block(t, rule, tested, rule.source());
            Node against = block(t, rule, tested, rule.destination());
            planned = new Node.Rule(along, along.equals(against) ? along : against);
            known.put(rule, planned);
        }
        return planned;
    }

    /** @param near the slot of the end that steps have in common which are tested together */
    private Node block(Traversal t, Walk.Rule rule, double tested, int near) {
        BitSet ofStep = new BitSet();
        ofStep.set(rule.source());
        ofStep.set(rule.edge());
        ofStep.set(rule.destination());
        double nodes = tested / Math.max(1, fan(steps(t, true)));
        SlotCounts counts = slot -> slot == near ? nodes : ofStep.get(slot) ? tested : 1;
        BitSet bound = PatternSlots.ruleReads(t);
        bound.or(ofStep);
        return blocks.of(tested, bound, counts, rule.where());
    }

    /** Paths from one node, or between two, when no node is met twice. */
    private double ways(Node.Walking walking, boolean closing) {
        double fan = fan(walking.steps());
        double all = 0;
        double level = 1;
        for (int hop = 1; hop <= Math.min(walking.walk().maxHops(), WAYS_MAX); hop++) {
            level *= fan;
            all += level;
        }
        return closing ? all / Math.max(1, farCount(walking.steps())) : all;
    }

    /** Binds the ends of an edge found by an access path. */
    Step ends(Node input, Traversal t) {
        double rows = input.rows() * (t.undirected() ? 2 : 1);
        Node node = new Node.Ends(
                input,
                t.edge(),
                t.from(),
                t.to(),
                t.undirected(),
                variables.get(t.from()).types(),
                variables.get(t.to()).types(),
                rows);
        return new Step(node, 2 * input.rows());
    }

    private List<Node.Step> steps(Traversal t, boolean forward) {
        List<Node.Step> steps = new ArrayList<>();
        for (int identity : t.edgeTypes()) {
            EntityType.EdgeType type =
                    (EntityType.EdgeType) statistics.catalog().requireType(identity);
            for (Lane lane : type.lanes()) {
                if (forward || t.undirected()) {
                    steps.add(new Node.Step(lane, Direction.OUT));
                }
                if (!forward || t.undirected()) {
                    steps.add(new Node.Step(lane, Direction.IN));
                }
            }
        }
        return steps;
    }

    private double fan(List<Node.Step> steps) {
        double fan = 0;
        for (Node.Step step : steps) {
            fan += statistics.fanOut(step);
        }
        return fan;
    }

    private double farCount(List<Node.Step> steps) {
        Set<Integer> farTypes = new TreeSet<>();
        steps.forEach(step -> farTypes.add(step.farType()));
        double all = 0;
        for (int type : farTypes) {
            all += statistics.count(type);
        }
        return all;
    }

    /** Destinations of one source. */
    private double reached(Traversal t, List<Node.Step> steps) {
        double fan = fan(steps);
        if (t.maxHops() <= 1) {
            return fan + (t.minHops() == 0 ? 1 : 0);
        }
        double all = farCount(steps);
        double below = t.minHops() <= 1 ? 0 : searched(steps, t.minHops() - 1, all);
        return Math.max(0, searched(steps, most(t), all) - below) + (t.minHops() == 0 ? 1 : 0);
    }

    private static int most(Traversal t) {
        return Math.min(t.maxHops(), HOPS_MAX);
    }

    /**
     * Nodes that each of two searches finds before they meet. Each goes half as deep at the most. Two sets of random
     * nodes meet when each has about the root of all, and the last hop finds a fan for each node of the hop before it.
     */
    private double meeting(List<Node.Step> steps, int hops, double all) {
        return Math.min(searched(steps, (hops + 1) / 2, all), fan(steps) * Math.sqrt(all));
    }

    /** Nodes within a number of hops. */
    private double searched(List<Node.Step> steps, int hops, double all) {
        double fan = fan(steps);
        double reached = 0;
        double level = 1;
        for (int hop = 1; hop <= hops && reached < all; hop++) {
            level *= fan;
            reached += level;
        }
        return Math.min(reached, all);
    }
}
