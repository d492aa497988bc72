package service.projection.query.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.gq.plan.Expression;
import service.core.port.GraphView;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.plan.Constants;
import service.projection.query.plan.Node;
import service.projection.query.plan.Seek;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.OrdinalSet;

/**
 * Reads the entities of a type in the order of their ids, from one limit to the other, and stops when a TopN by the id
 * has all rows that it needs. An id costs several times as much as a row of a scan: after many ids a scan reads the
 * entities that are left, also those outside of the limits, which a filter above drops.
 */
public final class IdRangeSource implements Source {
    private final ExecutionBudget budget;
    private final Node.IdRange node;
    private final @Nullable String low;
    private final @Nullable String high;
    private final @Nullable SortOperator top;
    private final Operator first;
    private final Batch batch;
    private final EntityColumn found;
    private final OrdinalSet pushed;

    private IdRangeSource(
            Node.IdRange node,
            @Nullable String low,
            @Nullable String high,
            @Nullable SortOperator top,
            Downstream down) {
        this.budget = down.budget();
        this.node = node;
        this.low = low;
        this.high = high;
        this.top = node.ordered() ? top : null;
        this.first = down.next();
        this.batch = down.batch();
        this.found = batch.own(node.slot());
        this.pushed = new OrdinalSet(budget, node.type());
    }

    /**
     * The source of a range.
     *
     * @param top the TopN that ends the reading, if there is one
     */
    public static Source of(Node.IdRange node, List<Value> arguments, @Nullable SortOperator top, Downstream down) {
        Value low = limit(node.low(), arguments);
        Value high = limit(node.high(), arguments);
        if (low instanceof Value.Null || high instanceof Value.Null) {
            // No id compares with null.
            return down.next()::finish;
        }
        return new IdRangeSource(node, text(low), text(high), top, down);
    }

    private static @Nullable Value limit(Seek.@Nullable Limit limit, List<Value> arguments) {
        if (limit == null) {
            return null;
        }
        Expression constant = limit.constant();
        return Constants.value(constant, arguments);
    }

    private static @Nullable String text(@Nullable Value value) {
        return value instanceof Value.Text(String text) ? text : null;
    }

    @Override
    public void drive() {
        if (pushLeast() && readIds()) {
            readRest();
        }
        first.finish();
    }

    /** Pushes the entity whose id is the lower limit itself; false when no more are needed. */
    private boolean pushLeast() {
        Seek.Limit limit = node.low();
        if (low == null || limit == null || !limit.inclusive()) {
            return true;
        }
        budget.examined(1);
        found.reset(0);
        return !budget.view.lookup(node.type(), low, found, 0) || push(1);
    }

    /** Pushes entities in order. Returns whether to go on with a scan. */
    private boolean readIds() {
        try (GraphView.Scan scan = budget.view.scanById(node.type(), low)) {
            for (int n = scan.next(found); n > 0; n = scan.next(found)) {
                budget.examined(n);
                boolean last = isPast(found.ordinals[n - 1]);
                if (!push(n) || last || (top != null && top.isFull())) {
                    return false;
                }
                if (pushed.size() > node.idsMax()) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isPast(int ordinal) {
        return high != null && ValueOrder.compareText(budget.view.id(node.type(), ordinal), high) >= 0;
    }

    private boolean push(int size) {
        for (int row = 0; row < size; row++) {
            budget.step();
            pushed.add(found.ordinals[row]);
        }
        batch.size = size;
        batch.version++;
        return first.push(batch);
    }

    /** Pushes the entities that were not pushed. */
    private void readRest() {
        boolean more = true;
        try (GraphView.Scan scan = budget.view.scan(node.type())) {
            for (int n = scan.next(found); more && n > 0; n = more ? scan.next(found) : 0) {
                budget.examined(n);
                int kept = 0;
                for (int row = 0; row < n; row++) {
                    budget.step();
                    if (pushed.add(found.ordinals[row])) {
                        found.set(kept++, node.type(), found.ordinals[row], found.records[row]);
                    }
                }
                batch.size = kept;
                batch.version++;
                more = kept == 0 || first.push(batch);
            }
        }
    }
}
