package service.core.graph.mutate;

import java.util.Arrays;
import java.util.List;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor;
import service.core.value.HeapBytes;
import service.core.value.Value;

/** Makes the rows of a {@code for}: one for each element of the lists of the rows around it. One thread. */
final class LoopRows implements AutoCloseable {
    private static final int FIRST_ROWS = 16;

    private final Plan.Statement.ForEach loop;
    private final QueryExecutor.Limits limits;
    private final int recordsMax;
    private final long rowBytes;
    private int[] rows = new int[FIRST_ROWS];
    private int[] elements = new int[FIRST_ROWS];
    private Value[] values = new Value[FIRST_ROWS];
    private int size;
    private long charged;

    LoopRows(Plan.Statement.ForEach loop, MutationContext context) {
        this.loop = loop;
        this.limits = context.limits();
        this.recordsMax = context.entitiesMax();
        this.rowBytes = 2 * Integer.BYTES + (1L + loop.variables().size()) * HeapBytes.REFERENCE;
    }

    /** Adds the elements of the list of a row; null has none. */
    void add(int row, Value list) {
        if (!(list instanceof Value.ListOf(List<Value> items))) {
            return;
        }
        if (loop.records() && items.size() > recordsMax) {
            throw exceeded(
                    "batch_records",
                    recordsMax,
                    items.size(),
                    "the list holds " + items.size() + " records, and one request takes " + recordsMax
                            + ": send it in parts");
        }
        if ((long) size + items.size() > limits.rows()) {
            throw exceeded(
                    "row_limit",
                    limits.rows(),
                    (long) size + items.size(),
                    "`for` makes more than " + limits.rows() + " rows: match fewer, or raise row_limit");
        }
        long bytes = items.size() * rowBytes;
        limits.budget().memory().charge(bytes, "the mutation", "send fewer rows at a time");
        charged += bytes;
        if (size + items.size() > rows.length) {
            int more = Math.max(size + items.size(), rows.length + rows.length / 2);
            rows = Arrays.copyOf(rows, more);
            elements = Arrays.copyOf(elements, more);
            values = Arrays.copyOf(values, more);
        }
        for (int i = 0; i < items.size(); i++) {
            rows[size] = row;
            elements[size] = i;
            values[size] = items.get(i);
            size++;
        }
    }

    private static ServiceException exceeded(String resource, long limit, long actual, String message) {
        return new ServiceException(
                ErrorCode.RESOURCE_LIMIT, message, new ErrorDetail.ResourceLimit(resource, limit, actual));
    }

    /** The rows, with the variables of the loop. */
    Rows over(Rows outer) {
        Rows made = outer.extended(Arrays.copyOf(rows, size), Arrays.copyOf(elements, size));
        if (!loop.records() && loop.variables().getFirst().kind() != null) {
            made.bind(loop.variables().getFirst().slot(), entities());
            return made;
        }
        for (int i = 0; i < loop.variables().size(); i++) {
            Value[] column = new Value[size];
            for (int row = 0; row < size; row++) {
                column[row] = loop.records() ? field(values[row], i) : values[row];
            }
            made.bind(loop.variables().get(i).slot(), new Rows.Cells.Values(column));
        }
        return made;
    }

    private Rows.Cells entities() {
        int[] types = new int[size];
        int[] ordinals = new int[size];
        for (int row = 0; row < size; row++) {
            if (values[row] instanceof Value.Entity(int type, int ordinal)) {
                types[row] = type;
                ordinals[row] = ordinal;
            } else {
                ordinals[row] = -1;
            }
        }
        return new Rows.Cells.Entities(types, ordinals);
    }

    private static Value field(Value record, int field) {
        return record instanceof Value.Struct of ? of.values().get(field) : Value.NULL;
    }

    /** Returns the charge. */
    @Override
    public void close() {
        limits.budget().memory().release(charged);
    }
}
