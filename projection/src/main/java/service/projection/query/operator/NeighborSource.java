package service.projection.query.operator;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.port.TextIndex;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;

/**
 * Entities of a type that a graph of neighbours proposes as the nearest, where a request does not want all compared: a
 * nearer one may be missing. The order above decides among them by their records. Where the graph knows too little, all
 * entities of the type.
 *
 * @param first takes them
 */
public record NeighborSource(
        ExecutionBudget budget, Node.Scan scan, VectorTopOperator.Sought sought, int slotCount, Operator first)
        implements Source {
    /**
     * Whether a graph is asked: the candidates are all entities of one type, and more than the request wants compared.
     *
     * @param properties the identity of the compared property by type
     */
    public static boolean isAsked(ExecutionBudget budget, Node candidates, Map<Integer, Integer> properties) {
        if (!(candidates instanceof Node.Scan scan) || scan.types().size() != 1) {
            return false;
        }
        int type = scan.types().getFirst();
        if (budget.view.count(type) <= budget.limits.search().exactMax()) {
            return false;
        }
        TextIndex index = budget.view.texts();
        return index != null && index.hasNeighbors(type, properties.getOrDefault(type, -1));
    }

    @Override
    public void drive() {
        int type = scan.types().getFirst();
        TextIndex.Proposal found = proposal(type);
        if (found != null) {
            budget.approximate();
        }
        TextSources.give(budget, scan.slot(), type, found, slotCount, first);
    }

    private TextIndex.@Nullable Proposal proposal(int type) {
        TextIndex index = budget.view.texts();
        return index == null
                ? null
                : index.nearest(
                        type, sought.properties().getOrDefault(type, -1), sought.sought(), sought.wanted(), budget);
    }
}
