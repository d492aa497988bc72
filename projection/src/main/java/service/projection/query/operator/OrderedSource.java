package service.projection.query.operator;

import java.util.List;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.projection.query.kernel.Kernel;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * Reads a type by an index in the order that a TopN asks for, and stops when no entity that is left can be among the
 * rows that are needed. An index is read upwards only, so it reads ranges of values, the best first: it finds the first
 * value by bisection, and makes a range wider when the one before held few entities. When many entities were read in
 * vain, a scan reads those that are left.
 *
 * <p>Values are numbers of 64 bits here; with an ascending order they are complemented, so that the greatest comes
 * first in both orders.
 */
public final class OrderedSource implements Source {
    private static final int FEW = 256;
    private static final int MANY = 4096;

    private final ExecutionBudget budget;
    private final Node.OrderedScan node;
    private final SortOperator top;
    private final Kernel key;
    private final Operator first;
    private final Batch batch;
    private final Batch rest;
    private final EntityColumn found;
    private final ScalarType kind;
    private final int[] slots;
    private final int[] rows;

    /**
     * @param top the TopN whose first key is the property
     * @param key the property
     */
    public OrderedSource(Node.OrderedScan node, SortOperator top, Kernel key, Downstream down) {
        this.budget = down.budget();
        this.node = node;
        this.top = top;
        this.key = key;
        this.first = down.next();
        this.batch = down.batch();
        this.rest = down.batch();
        this.found = batch.own(node.slot());
        this.kind = ((PropertyType.Scalar) node.key().type()).scalar();
        this.slots = new int[] {node.slot()};
        this.rows = budget.rowNumbers();
    }

    @Override
    public void drive() {
        long least = code(node.descending() ? min() : max());
        long from = code(node.descending() ? max() : min());
        if (!isAny(least, from)) {
            readRest(Long.MAX_VALUE);
            return;
        }
        from = best(least, from);
        long width = 0;
        long examined = 0;
        while (true) {
            long to = from - width > from || from - width < least ? least : from - width;
            int n = read(to, from);
            examined += n;
            if (n < 0) {
                first.finish();
                return;
            }
            if (to == least) {
                break;
            }
            from = to - 1;
            if (top.isSettled(value(from))) {
                first.finish();
                return;
            }
            if (examined > node.postingsMax()) {
                readRest(from);
                return;
            }
            width = n > MANY ? width / 2 : n < FEW && width < Long.MAX_VALUE / 8 ? 4 * width + 3 : width;
        }
        if (node.nullable()) {
            readRest(Long.MIN_VALUE);
        } else {
            first.finish();
        }
    }

    private long code(long value) {
        return node.descending() ? value : ~value;
    }

    private long value(long code) {
        return node.descending() ? code : ~code;
    }

    private long min() {
        return switch (kind) {
            case I32, DATE -> Integer.MIN_VALUE;
            case U32 -> 0;
            default -> Long.MIN_VALUE;
        };
    }

    private long max() {
        return switch (kind) {
            case I32, DATE -> Integer.MAX_VALUE;
            case U32 -> 0xFFFF_FFFFL;
            default -> Long.MAX_VALUE;
        };
    }

    private Value boxed(long value) {
        return switch (kind) {
            case DATE -> new Value.Date((int) value);
            case DATETIME -> new Value.DateTime(value);
            default -> new Value.Int(value);
        };
    }

    private IndexRange range(long to, long from) {
        long low = node.descending() ? to : ~from;
        long high = node.descending() ? from : ~to;
        return new IndexRange(node.index(), List.of(), boxed(low), true, boxed(high), true, null);
    }

    private boolean isAny(long to, long from) {
        try (GraphView.Scan scan = budget.view.seek(range(to, from))) {
            int n = scan.next(found);
            budget.examined(Math.min(n, 1));
            budget.step();
            return n > 0;
        }
    }

    /** The greatest code of an entity; there is one. */
    private long best(long least, long most) {
        long low = least;
        long high = most;
        while (low < high) {
            long middle = (low & high) + ((low ^ high) >> 1) + 1;
            middle = Math.max(middle, low + 1);
            if (isAny(middle, high)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Pushes the entities of a range; −1 when no more are needed. */
    private int read(long to, long from) {
        int all = 0;
        try (GraphView.Scan scan = budget.view.seek(range(to, from))) {
            for (int n = scan.next(found); n > 0; n = scan.next(found)) {
                budget.examined(n);
                all += n;
                batch.size = n;
                batch.version++;
                if (!first.push(batch)) {
                    return -1;
                }
            }
        }
        return all;
    }

    /** Pushes the entities that no range has held, by a scan: those up to a code, and those without a value. */
    private void readRest(long most) {
        try (GraphView.Scan scan = budget.view.scan(node.type())) {
            for (int n = scan.next(found); n > 0; n = scan.next(found)) {
                budget.examined(n);
                batch.size = n;
                batch.version++;
                if (!pushRest(most)) {
                    break;
                }
            }
        }
        first.finish();
    }

    private boolean pushRest(long most) {
        Column values = key.eval(batch);
        int n = 0;
        for (int row = 0; row < batch.size; row++) {
            boolean left =
                    values.isNull(row) || (most != Long.MIN_VALUE && code(((LongColumn) values).values[row]) <= most);
            rows[n] = row;
            n += left ? 1 : 0;
        }
        rest.clear(slots);
        rest.append(batch, rows, n, slots);
        return n == 0 || first.push(rest);
    }
}
