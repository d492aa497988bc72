package service.projection.query.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All steps that lead to each part of one {@link JoinSearch}. */
final class PlanMemo {
    private final Map<PartialPlan.Reach, List<Alternative>> steps = new LinkedHashMap<>();

    /** The part that the search must reach. */
    final PartialPlan.Reach whole;

    PlanMemo(PartialPlan.Reach whole) {
        this.whole = whole;
    }

    /** How a step makes a part of other parts. */
    interface Step {
        PartialPlan of(PartialPlan... inputs);
    }

    /** A step and its input parts. */
    record Alternative(Step step, List<PartialPlan.Reach> inputs) {}

    void add(PartialPlan.Reach reach, Step step, PartialPlan... inputs) {
        List<PartialPlan.Reach> from = Stream.of(inputs).map(PartialPlan::reach).toList();
        steps.computeIfAbsent(reach, unused -> new ArrayList<>()).add(new Alternative(step, from));
    }

    List<Alternative> alternatives(PartialPlan.Reach reach) {
        return steps.getOrDefault(reach, List.of());
    }

    /** The plan of a part, with the steps that are chosen. */
    PartialPlan pick(PartialPlan.Reach reach, Choices choices) {
        Alternative picked = alternatives(reach).get(choices.pick(this, reach));
        PartialPlan[] inputs =
                picked.inputs.stream().map(input -> pick(input, choices)).toArray(PartialPlan[]::new);
        return picked.step.of(inputs);
    }
}
