package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Variable;
import service.core.value.Value;

/** Counts of whole types, which the view knows without reading an entity. */
final class WholeCounts {
    private WholeCounts() {}

    /** The node of aggregates without groups over a match; null when they are not counts of all entities of types. */
    static @Nullable Node of(Pattern match, List<Expression.Aggregate> aggregates, List<Variable> variables) {
        boolean bare = match.bound().size() == 1
                && match.traversals().isEmpty()
                && match.filters().isEmpty()
                && match.blocks().isEmpty();
        if (!bare || !aggregates.stream().allMatch(WholeCounts::countsEntities)) {
            return null;
        }
        List<Integer> types = variables.get(match.bound().getFirst()).types();
        return new Node.Counts(types, aggregates.size(), 1);
    }

    private static boolean countsEntities(Expression.Aggregate aggregate) {
        return aggregate.function() == AggregateFunction.COUNT
                && aggregate.refinement().where() == null
                && switch (aggregate.operand()) {
                    case Expression.EntityOf ignored -> true;
                    case Expression.IdOf ignored -> !aggregate.distinct();
                    case Expression.Literal e -> !aggregate.distinct() && !(e.value() instanceof Value.Null);
                    default -> false;
                };
    }
}
