package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.projection.query.kernel.Kernel;
import service.projection.query.vector.Batch;
import service.projection.query.vector.BytesTable;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.KeyEncoder;
import service.projection.query.vector.LongTable;
import service.projection.query.vector.RowStore;

/**
 * Groups rows by hash. It first assigns a group number to each row of a batch, then runs one loop over the batch for
 * each aggregate. A single text key is hashed without a copy, once for each code when the column has a dictionary, and
 * a single 64-bit key as a number; other keys are encoded to bytes first.
 */
public final class AggregateOperator extends Operator {
    /** Codes that are looked up in one unit of work. */
    private static final int CODES_A_STEP = 16;

    private final ExecutionBudget budget;
    private final Kernel[] keys;
    private final List<Expression.Aggregate> aggregates;
    private final Accumulator[] accumulators;

    /** One for each aggregate; null for {@code count} of rows, which has no operand. */
    private final @Nullable Kernel[] operands;

    private final Operator next;
    private final Batch out;
    private final RowStore keyRows;
    private final Batch keyBatch = new Batch(0);
    private final BytesTable bytes;
    private final LongTable longs;
    private final KeyEncoder encoder = new KeyEncoder();
    private final int[] groups = new int[Column.CAPACITY];
    private final int[] identity = new int[Column.CAPACITY];
    private @Nullable Dictionary dictionary;

    /** The group of each code of the dictionary; −1 while it is not known. */
    private int[] groupOfCode = {};

    private int groupCount;
    private int nullGroup = -1;
    private boolean anyRow;

    public AggregateOperator(
            ExecutionBudget budget,
            Kernel[] keys,
            List<Expression.Aggregate> aggregates,
            @Nullable Kernel[] operands,
            int slotCount,
            Operator next) {
        this.budget = budget;
        this.keys = keys;
        this.aggregates = aggregates;
        this.operands = operands;
        this.next = next;
        this.out = new Batch(slotCount);
        this.keyRows = new RowStore(budget, new int[0]);
        this.bytes = new BytesTable(budget);
        this.longs = new LongTable(budget);
        this.accumulators =
                aggregates.stream().map(a -> Accumulator.of(budget, a)).toArray(Accumulator[]::new);
        for (int i = 0; i < identity.length; i++) {
            identity[i] = i;
        }
        keyBatch.computed = new Column[keys.length];
        if (keys.length == 0) {
            groupCount = 1;
        }
        for (Accumulator accumulator : accumulators) {
            accumulator.ensure(1);
        }
    }

    @Override
    public boolean push(Batch batch) {
        anyRow |= batch.size > 0;
        if (keys.length > 0) {
            number(batch);
        }
        for (int i = 0; i < accumulators.length; i++) {
            Accumulator accumulator = accumulators[i];
            accumulator.ensure(groupCount);
            Kernel operand = operands[i];
            if (operand != null) {
                accumulator.add(groups, operand.eval(batch), identity, batch.size);
            } else if (keys.length == 0) {
                ((Accumulator.Count) accumulator).addRows(batch.rows());
            } else if (batch.weights.length > 0) {
                ((Accumulator.Count) accumulator).addRows(groups, batch.weights, batch.size);
            } else {
                ((Accumulator.Count) accumulator).addRows(groups, batch.size);
            }
        }
        return true;
    }

    /** Assigns a group number to each row. */
    private void number(Batch batch) {
        for (int k = 0; k < keys.length; k++) {
            keyBatch.computed[k] = keys[k].eval(batch);
        }
        Column only = keyBatch.computed[0];
        if (keys.length > 1) {
            numberEncoded(batch.size);
            return;
        }
        switch (only) {
            case TextColumn c -> numberTexts(c, batch.size);
            case LongColumn c -> {
                long[] values = c.values;
                for (int row = 0; row < batch.size; row++) {
                    groups[row] = c.isNull(row) ? nullGroup(row) : known(longs.add(values[row]), row);
                }
            }
            case DoubleColumn c -> {
                for (int row = 0; row < batch.size; row++) {
                    // Adding zero turns −0 into 0.
                    groups[row] = c.isNull(row)
                            ? nullGroup(row)
                            : known(longs.add(Double.doubleToRawLongBits(c.values[row] + 0.0)), row);
                }
            }
            case EntityColumn c -> {
                for (int row = 0; row < batch.size; row++) {
                    groups[row] = c.isNull(row)
                            ? nullGroup(row)
                            : known(longs.add((long) c.types[row] << 32 | c.ordinals[row]), row);
                }
            }
            default -> numberEncoded(batch.size);
        }
    }

    private void numberTexts(TextColumn c, int size) {
        Dictionary coded = c.dictionary();
        if (coded != null) {
            numberCodes(c, coded, size);
            return;
        }
        boolean nulls = c.hasNulls();
        for (int row = 0; row < size; row++) {
            budget.bytes(c.lengths[row]);
            groups[row] = nulls && c.isNull(row)
                    ? nullGroup(row)
                    : known(bytes.add(c.bytes, c.starts[row], c.lengths[row]), row);
        }
    }

    /** Finds the group of each code once. */
    private void numberCodes(TextColumn c, Dictionary coded, int size) {
        if (coded != dictionary) {
            dictionary = coded;
            groupOfCode = new int[coded.size()];
            Arrays.fill(groupOfCode, -1);
        }
        int[] known = groupOfCode;
        char[] codes = c.codes(size);
        budget.steps(size / CODES_A_STEP + 1);
        for (int row = 0; row < size; row++) {
            int group = known[codes[row]];
            if (group < 0) {
                group = c.isNull(row) ? nullGroup(row) : known(bytes.add(c.bytes, c.starts[row], c.lengths[row]), row);
                known[codes[row]] = group;
            }
            groups[row] = group;
        }
    }

    private void numberEncoded(int size) {
        for (int row = 0; row < size; row++) {
            encoder.clear();
            for (Column key : keyBatch.computed) {
                encoder.add(key, row);
            }
            budget.bytes(encoder.length());
            groups[row] = known(bytes.add(encoder.bytes(), 0, encoder.length()), row);
        }
    }

    /**
     * The group of a key number. The null group has a group number but no key number, so later groups are one higher.
     */
    private int known(int number, int row) {
        int group = nullGroup >= 0 && number >= nullGroup ? number + 1 : number;
        if (group == groupCount) {
            addGroup(row);
        }
        return group;
    }

    private int nullGroup(int row) {
        if (nullGroup < 0) {
            nullGroup = groupCount;
            addGroup(row);
        }
        return nullGroup;
    }

    private void addGroup(int row) {
        groupCount++;
        keyRows.append(keyBatch, row);
    }

    @Override
    public void finish() {
        Column[] computed = new Column[keys.length + accumulators.length];
        System.arraycopy(keyRows.computedSiblings(), 0, computed, 0, groupCount == 0 ? 0 : keys.length);
        for (int i = 0; i < accumulators.length; i++) {
            computed[keys.length + i] = ColumnValues.columnFor(aggregates.get(i).type());
        }
        boolean more = true;
        for (int from = 0; more && from < groupCount; from += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, groupCount - from);
            Arrays.stream(computed).forEach(column -> column.reset(size));
            for (int i = 0; i < size; i++) {
                for (int k = 0; k < keys.length; k++) {
                    Column kept = keyRows.column(k, from + i);
                    computed[k].copy(kept, RowStore.place(from + i), i);
                }
                for (int a = 0; a < accumulators.length; a++) {
                    Column into = computed[keys.length + a];
                    if (anyRow || aggregates.get(a).function() != AggregateFunction.COLLECT) {
                        accumulators[a].result(from + i, into, i);
                    } else {
                        // Without any row, every aggregate except count is null.
                        into.setNull(i);
                    }
                }
            }
            out.computed = computed;
            out.size = size;
            out.version++;
            budget.check();
            more = next.push(out);
        }
        next.finish();
    }
}
