package service.projection.query.plan;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;

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
        return plan.last().window().limit() != null && plan.stages().stream().noneMatch(ReadPlanner::keepsRows);
    }

    /** Whether a stage makes no row before it has seen all. */
    private static boolean keepsRows(Plan.Stage stage) {
        return !stage.order().isEmpty() || stage.result().grouped();
    }

    /** Slots that may hold null: those of optional blocks, and what a {@code with} makes of them. */
    public static BitSet nullable(Plan.Read plan) {
        BitSet slots = new BitSet();
        for (Plan.Stage stage : plan.stages()) {
            addOptional(stage.match(), slots);
            for (Plan.Output output : stage.result().outputs()) {
                boolean isEntity =
                        output.expression() instanceof Expression.EntityOf entity && !slots.get(entity.slot());
                if (output.slot() >= 0 && !isEntity) {
                    slots.set(output.slot());
                }
            }
        }
        return slots;
    }

    private static void addOptional(Pattern pattern, BitSet into) {
        for (Pattern.Block block : pattern.blocks()) {
            if (block instanceof Pattern.Block.Optional optional) {
                PatternPlanner.boundBy(optional.pattern()).forEach(into::set);
            }
        }
    }

    /** The plan of a read of the view. */
    public Node plan() {
        return plan(null, new BitSet());
    }

    /** The plan of a read over rows that are given. */
    public Node plan(Node.Given given) {
        BitSet bound = new BitSet();
        bound.set(0, given.given().expressions().size());
        return plan(given, bound);
    }

    /** @param given what the first stage goes on from */
    private Node plan(@Nullable Node given, BitSet slots) {
        List<Plan.Stage> stages = plan.stages();
        @Nullable Node before = given;
        BitSet bound = slots;
        for (Plan.Stage stage : stages.subList(0, stages.size() - 1)) {
            before = planner(stage, before, bound).bound();
            bound = new BitSet();
            for (Plan.Output output : stage.result().outputs()) {
                bound.set(output.slot());
            }
        }
        return planner(plan.last(), before, bound).returned();
    }

    private StagePlanner planner(Plan.Stage stage, @Nullable Node before, BitSet bound) {
        return new StagePlanner(statistics, plan.variables(), choices, stage, before, bound);
    }
}
