package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;

/** Plans a whole read: the leaf of each stage is the plan of the stage before it. */
public final class ReadPlanner {
    private final Statistics statistics;
    private final Plan.Read plan;
    private final Choices choices;

    public ReadPlanner(Statistics statistics, Plan.Read plan, Choices choices) {
        this.choices = choices;
        this.statistics = statistics;
        this.plan = plan;
    }

    /** Whether rows may be returned as they are found and work may stop early. */
    public static boolean stopsEarly(Plan.Read plan) {
        return plan.last().window().limit() != null && plan.allStages().stream().noneMatch(ReadPlanner::keepsRows);
    }

    /** Whether a stage makes no row before it has seen all. */
    private static boolean keepsRows(Plan.Stage stage) {
        return !stage.order().isEmpty() || stage.result().grouped();
    }

    /** Slots that may hold null: those of optional blocks, and what a {@code with} makes of them. */
    public static BitSet nullable(Plan.Read plan) {
        BitSet slots = new BitSet();
        for (Plan.Stage stage : plan.allStages()) {
            addOptional(stage.match(), slots);
            for (Plan.Output output : stage.result().outputs()) {
                boolean isEntity =
                        output.expression() instanceof Expression.EntityOf entity && !slots.get(entity.slot());
                if (output.slot() >= 0 && !isEntity) {
                    slots.set(output.slot());
                }
            }
        }
        Plan.Union union = plan.union();
        if (union != null) {
            union.slots().forEach(slots::set);
        }
        return slots;
    }

    private static void addOptional(Pattern pattern, BitSet into) {
        for (Pattern.Block block : pattern.blocks()) {
            if (block instanceof Pattern.Block.Optional optional) {
                PatternSlots.boundBy(optional.pattern()).forEach(into::set);
            }
            if (block instanceof Pattern.Block.Given given && given.output() != null) {
                into.set(given.output().slot());
            }
            addOptional(block.pattern(), into);
        }
    }

    /** The plan of a read of the view. */
    public Node plan() {
        Plan.Union union = plan.union();
        BitSet bound = new BitSet();
        if (union == null) {
            return stages(plan.stages(), null, bound);
        }
        union.slots().forEach(bound::set);
        return stages(plan.stages(), union(union), bound);
    }

    /** The plan of a read over rows that are given. */
    public Node plan(Node.Given given) {
        BitSet bound = new BitSet();
        bound.set(0, given.given().expressions().size());
        return stages(plan.stages(), given, bound);
    }

    private Node union(Plan.Union union) {
        List<Node> parts = new ArrayList<>();
        for (int i = 0; i < union.parts().size(); i++) {
            Plan.Part part =
                    UnionTops.of(union.parts().get(i), union, plan.stages().getFirst());
            parts.add(part(part, union.slots()));
            if (i + 1 == union.distinct()) {
                Node first = concat(parts, union.slots());
                Node rows = new Node.Project(first, ofSlots(union.slots()), first.rows());
                rows = new Node.Distinct(rows, union.slots().size(), rows.rows());
                parts.clear();
                parts.add(new Node.Stage(rows, union.slots(), rows.rows()));
            }
        }
        return concat(parts, union.slots());
    }

    private List<Expression> ofSlots(List<Integer> slots) {
        List<Expression> all = new ArrayList<>();
        for (int slot : slots) {
            Variable variable = plan.variables().get(slot);
            all.add(variable.value() == null ? variable.entity() : new Expression.ValueOf(slot, variable.type()));
        }
        return all;
    }

    private static Node concat(List<Node> parts, List<Integer> slots) {
        double rows = parts.stream().mapToDouble(Node::rows).sum();
        return new Node.Concat(List.copyOf(parts), slots, rows);
    }

    private Node part(Plan.Part part, List<Integer> slots) {
        Node made = stages(part.stages(), null, new BitSet());
        List<Integer> own = part.stages().getLast().result().outputs().stream()
                .map(Plan.Output::slot)
                .toList();
        Node bound = new Node.Stage(made, own, made.rows());
        return new Node.Stage(new Node.Project(bound, part.columns(), made.rows()), slots, made.rows());
    }

    private Node stages(List<Plan.Stage> written, @Nullable Node first, BitSet boundFirst) {
        List<Plan.Stage> stages = StageRewrites.of(written);
        Node before = first;
        BitSet bound = boundFirst;
        for (Plan.Stage stage : stages.subList(0, stages.size() - 1)) {
            before = planner(stage, before, bound).bound();
            bound = new BitSet();
            for (Plan.Output output : stage.result().outputs()) {
                bound.set(output.slot());
            }
        }
        return planner(stages.getLast(), before, bound).returned();
    }

    private StagePlanner planner(Plan.Stage stage, @Nullable Node before, BitSet bound) {
        return new StagePlanner(statistics, plan.variables(), choices, stage, before, bound);
    }
}
