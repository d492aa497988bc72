package service.projection.query.plan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * All plans that the planner can make for one query. At each decision the planner asks which alternative to take; the
 * answers form a path in a tree, and this class makes the paths.
 *
 * <p>A tree of few plans is walked completely, depth first. In a larger tree each path leads to a decision with an
 * untried alternative, until every alternative of every decision was in a plan; some random paths follow.
 */
public final class PlanTree {
    private static final int RANDOM_WALKS = 2;

    /** A bound that no query reaches. */
    private static final int WALKS_MAX = 5000;

    private final Random random;
    private final Function<Choices, Node> planner;

    /** A decision of the planner. Decisions of different plans are the same if they are equal. */
    private record Point(Object whole, Object reach, int alternatives) {}

    private record Decision(Point point, int taken) {}

    private final Set<Decision> taken = new HashSet<>();

    /** Number of plans of the tree, as far as the last walk saw it. */
    private long plans;

    /** @param planner makes a plan with the given choices */
    public PlanTree(Random random, Function<Choices, Node> planner) {
        this.random = random;
        this.planner = planner;
    }

    /**
     * Gives plans to run.
     *
     * @param most largest number of plans for which the tree is walked completely
     * @return whether it was walked completely
     */
    public boolean walk(int most, Consumer<Node> run) {
        Script script = new Script();
        Node first = planner.apply(script);
        plans = script.plans;
        if (plans <= most) {
            for (Node node = first; ; node = planner.apply(script)) {
                run.accept(node);
                if (!script.advance()) {
                    return true;
                }
            }
        }
        int walks = 0;
        for (boolean open = true; open; ) {
            Cover cover = new Cover();
            run.accept(planner.apply(cover));
            open = cover.found;
            if (++walks > WALKS_MAX) {
                throw new AssertionError("the walks do not end");
            }
        }
        for (int i = 0; i < RANDOM_WALKS; i++) {
            run.accept(planner.apply(new Drawn()));
        }
        return false;
    }

    /** Choices that keep every alternative. */
    private abstract static class Everything implements Choices {
        @Override
        public boolean all() {
            return true;
        }

        @Override
        public int[] postingsMax(double all) {
            return new int[] {1 << 20, 0};
        }

        @Override
        public double productMax() {
            return Double.MAX_VALUE;
        }

        @Override
        public int pick(PlanMemo memo, PartialPlan.Reach reach) {
            return of(memo, reach, memo.alternatives(reach).size());
        }

        @Override
        public int pick(int alternatives) {
            return of(null, null, alternatives);
        }

        /** Both null for a choice outside of a search. */
        abstract int of(PlanMemo memo, PartialPlan.Reach reach, int alternatives);
    }

    private final class Drawn extends Everything {
        @Override
        int of(PlanMemo memo, PartialPlan.Reach reach, int alternatives) {
            return random.nextInt(alternatives);
        }
    }

    /** A path by the numbers of its alternatives; the next path takes another last alternative. */
    private static final class Script extends Everything {
        private int[] turns = new int[64];
        private int[] ways = new int[64];
        private int at;
        private int known;
        private long plans = 1;

        @Override
        int of(PlanMemo memo, PartialPlan.Reach reach, int alternatives) {
            if (memo == null || reach.equals(memo.whole)) {
                long more = memo == null ? alternatives : count(memo, reach, new HashMap<>());
                plans = Math.min(1L << 40, plans * more);
            }
            if (at == turns.length) {
                turns = java.util.Arrays.copyOf(turns, 2 * at);
                ways = java.util.Arrays.copyOf(ways, 2 * at);
            }
            if (at == known) {
                turns[at] = 0;
                known++;
            }
            ways[at] = alternatives;
            return turns[at++];
        }

        private static long count(PlanMemo memo, PartialPlan.Reach reach, Map<PartialPlan.Reach, Long> counted) {
            Long already = counted.get(reach);
            if (already != null) {
                return already;
            }
            long sum = 0;
            for (PlanMemo.Alternative one : memo.alternatives(reach)) {
                long product = 1;
                for (PartialPlan.Reach input : one.inputs()) {
                    product = Math.min(1L << 30, product * count(memo, input, counted));
                }
                sum += product;
            }
            counted.put(reach, sum);
            return sum;
        }

        /** False when all paths were walked. */
        boolean advance() {
            known = at;
            at = 0;
            while (known > 0 && turns[known - 1] + 1 == ways[known - 1]) {
                known--;
            }
            if (known == 0) {
                return false;
            }
            turns[known - 1]++;
            return true;
        }
    }

    /** A path to an untried alternative. */
    private final class Cover extends Everything {
        private final Map<PlanMemo, Map<PartialPlan.Reach, Boolean>> open = new HashMap<>();
        private boolean found;
        private int loose;

        @Override
        int of(PlanMemo memo, PartialPlan.Reach reach, int alternatives) {
            Point point = memo == null
                    ? new Point("loose", loose++, alternatives)
                    : new Point(memo.whole, reach, alternatives);
            int start = random.nextInt(alternatives);
            int picked = -1;
            for (int i = 0; i < alternatives && picked < 0; i++) {
                int one = (start + i) % alternatives;
                if (!taken.contains(new Decision(point, one))) {
                    picked = one;
                    found = true;
                }
            }
            for (int i = 0; i < alternatives && picked < 0 && memo != null; i++) {
                int one = (start + i) % alternatives;
                if (isOpen(memo, memo.alternatives(reach).get(one))) {
                    picked = one;
                }
            }
            picked = picked < 0 ? start : picked;
            taken.add(new Decision(point, picked));
            return picked;
        }

        private boolean isOpen(PlanMemo memo, PlanMemo.Alternative alternative) {
            Map<PartialPlan.Reach, Boolean> known = open.computeIfAbsent(memo, ignored -> new HashMap<>());
            return alternative.inputs().stream().anyMatch(input -> isOpen(memo, input, known));
        }

        /** Whether the part, or one below it, has an untried alternative. */
        private boolean isOpen(PlanMemo memo, PartialPlan.Reach reach, Map<PartialPlan.Reach, Boolean> known) {
            Boolean already = known.get(reach);
            if (already != null) {
                return already;
            }
            List<PlanMemo.Alternative> all = memo.alternatives(reach);
            Point point = new Point(memo.whole, reach, all.size());
            boolean is = false;
            for (int i = 0; i < all.size() && !is; i++) {
                is = !taken.contains(new Decision(point, i))
                        || all.get(i).inputs().stream().anyMatch(input -> isOpen(memo, input, known));
            }
            known.put(reach, is);
            return is;
        }
    }
}
