package service.core.port;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.value.ValueOrder;

/** Live entities by id, sorted in memory: for storage that keeps no such order itself. */
final class IdOrderScan implements GraphView.Scan {
    private record Entry(String id, int ordinal) {}

    private final int type;
    private final List<Entry> entries = new ArrayList<>();
    private int next;

    IdOrderScan(GraphView view, int type, @Nullable String after) {
        this.type = type;
        EntityColumn batch = new EntityColumn();
        try (GraphView.Scan scan = view.scan(type)) {
            int size;
            while ((size = scan.next(batch)) > 0) {
                for (int row = 0; row < size; row++) {
                    int ordinal = batch.ordinals[row];
                    String id = view.id(type, ordinal);
                    if (after == null || ValueOrder.compareText(id, after) > 0) {
                        entries.add(new Entry(id, ordinal));
                    }
                }
            }
        }
        entries.sort((left, right) -> ValueOrder.compareText(left.id, right.id));
    }

    @Override
    public int next(EntityColumn into) {
        into.reset();
        int size = Math.min(Column.CAPACITY, entries.size() - next);
        for (int row = 0; row < size; row++) {
            into.set(row, type, entries.get(next++).ordinal, EntityColumn.NO_RECORD);
        }
        return size;
    }

    @Override
    public void close() {}
}
