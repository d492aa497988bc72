package service.projection.query.plan;

import java.util.BitSet;
import java.util.List;
import service.core.gq.plan.Expression;

/** How many different entities the rows of a plan hold in a slot, at the most, as the planner expects it. */
@FunctionalInterface
interface SlotCounts {
    double of(int slot);

    /**
     * Those of the rows of a plan.
     *
     * @param outer those of the outer rows of the block that the plan is for
     */
    static SlotCounts of(Node node, SlotCounts outer) {
        return slot -> count(node, slot, outer);
    }

    private static double count(Node node, int slot, SlotCounts outer) {
        if (node instanceof Node.OuterRows) {
            return Math.min(node.rows(), outer.of(slot));
        }
        double count = node.rows();
        int below = node instanceof Node.Stage stage ? named(stage, slot) : slot;
        for (Node input : inputs(node)) {
            if (holds(input, below)) {
                count = Math.min(count, count(input, below, outer));
            }
        }
        return count;
    }

    /** The inputs, without blocks. */
    private static List<Node> inputs(Node node) {
        return switch (node) {
            case Node.CrossJoin join -> PlanShape.children(join);
            case Node.HashJoin join -> PlanShape.children(join);
            default -> {
                Node input = node.input();
                yield input == null ? List.of() : List.of(input);
            }
        };
    }

    private static boolean holds(Node node, int slot) {
        BitSet bound = new BitSet();
        PlanShape.addBound(node, bound);
        Node leaf = node;
        for (Node input = leaf.input(); input != null; input = leaf.input()) {
            leaf = input;
        }
        return bound.get(slot) || leaf instanceof Node.OuterRows;
    }

    /** The slot of the rows before the end of a stage that it gives a name. */
    private static int named(Node.Stage stage, int slot) {
        int column = stage.slots().indexOf(slot);
        List<Expression> expressions =
                stage.input() instanceof Node.Project project ? project.expressions() : List.of();
        return column >= 0
                        && column < expressions.size()
                        && expressions.get(column) instanceof Expression.EntityOf entity
                ? entity.slot()
                : slot;
    }
}
