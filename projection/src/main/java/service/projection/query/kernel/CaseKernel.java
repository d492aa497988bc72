package service.projection.query.kernel;

import java.util.List;
import java.util.stream.Stream;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.LongColumn;
import service.projection.query.vector.Batch;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ColumnValues;

/**
 * The result of the first true condition. A condition sees only rows that none before it chose, a result only its own.
 */
final class CaseKernel extends Kernel {
    private final Kernel[] conditions;
    private final Kernel[] results;
    private final Column result;
    private final Batch some;
    private final int[] slots;
    private final int[] open;
    private final int[] chosen;

    /**
     * A kernel whose parts are compiled apart.
     *
     * @param results one more than conditions: the last is for rows without a true one
     * @param slots that any part reads
     */
    CaseKernel(List<Kernel> conditions, List<Kernel> results, Column result, Batches batches, int[] slots) {
        super(Stream.concat(conditions.stream(), results.stream()).toArray(Kernel[]::new));
        this.conditions = conditions.toArray(Kernel[]::new);
        this.results = results.toArray(Kernel[]::new);
        this.result = result;
        this.some = batches.make();
        this.slots = slots;
        this.open = batches.budget().rowNumbers();
        this.chosen = batches.budget().rowNumbers();
    }

    @Override
    public Column eval(Batch batch) {
        result.reset(batch.size);
        int left = batch.size;
        for (int row = 0; row < left; row++) {
            open[row] = row;
        }
        for (int i = 0; i < conditions.length && left > 0; i++) {
            BoolColumn test = conditions[i].test(rows(batch, open, left));
            int taken = 0;
            int kept = 0;
            for (int k = 0; k < left; k++) {
                if (test.isTrue(k)) {
                    chosen[taken++] = open[k];
                } else {
                    open[kept++] = open[k];
                }
            }
            left = kept;
            fill(results[i], batch, chosen, taken);
        }
        fill(results[conditions.length], batch, open, left);
        return result;
    }

    private Batch rows(Batch batch, int[] rows, int count) {
        if (count == batch.size) {
            return batch;
        }
        some.take(batch, rows, count, slots);
        return some;
    }

    private void fill(Kernel from, Batch batch, int[] rows, int count) {
        if (count == 0) {
            return;
        }
        Column values = from.eval(rows(batch, rows, count));
        boolean alike = values.getClass() == result.getClass()
                && !(values instanceof LongColumn of && result instanceof LongColumn into && of.kind != into.kind);
        for (int k = 0; k < count; k++) {
            if (alike) {
                result.copy(values, k, rows[k]);
            } else {
                ColumnValues.set(result, rows[k], ColumnValues.value(values, k));
            }
        }
    }
}
