package service.projection.query.operator;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.projection.query.vector.BytesTable;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.KeyEncoder;
import service.projection.query.vector.LongTable;

/**
 * The different values of one column in each group, for aggregates of {@code distinct} values. Entities of one type and
 * whole numbers of 32 bits are kept as numbers together with their group; other values are encoded to bytes. A code of
 * a dictionary is encoded once in a group, while groups and codes are few. One thread.
 */
final class NewValues {
    /** Combinations of a group and a code that are remembered, one bit each. */
    private static final int CODES_MAX = 1 << 16;

    private final BytesTable encoded;
    private final LongTable numbers;
    private final KeyEncoder encoder = new KeyEncoder();
    private final BitSet codes = new BitSet();
    private final ExecutionBudget budget;
    private @Nullable Dictionary dictionary;

    /** The type whose entities are kept as numbers; 0 before the first entity. */
    private int entityType;

    NewValues(ExecutionBudget budget) {
        this.budget = budget;
        this.encoded = new BytesTable(budget);
        this.numbers = new LongTable(budget);
    }

    /**
     * Adds the value of a row; false when the group has it.
     *
     * @param values the same column of each batch
     */
    boolean add(int group, Column values, int row) {
        return switch (values) {
            case Column c when c.isNull(row) -> addEncoded(group, c, row);
            case EntityColumn c when isKeptAsNumber(c.types[row]) -> addNumber(group, c.ordinals[row]);
            case LongColumn c when (int) c.values[row] == c.values[row] -> addNumber(group, (int) c.values[row]);
            case TextColumn c when c.dictionary() != null -> addCoded(group, c, c.dictionary(), row);
            default -> addEncoded(group, values, row);
        };
    }

    /** Returns the memory; this must not be used afterwards. */
    void release() {
        encoded.release();
        numbers.release();
    }

    private boolean isKeptAsNumber(int type) {
        if (entityType == 0) {
            entityType = type;
        }
        return type == entityType;
    }

    private boolean addNumber(int group, int value) {
        int before = numbers.size();
        return numbers.add((long) group << Integer.SIZE | Integer.toUnsignedLong(value)) == before;
    }

    private boolean addCoded(int group, TextColumn values, Dictionary from, int row) {
        if (from != dictionary) {
            dictionary = from;
            codes.clear();
        }
        long place = (long) group * from.size() + values.codes(row + 1)[row];
        if (place >= CODES_MAX) {
            return addEncoded(group, values, row);
        }
        if (codes.get((int) place)) {
            return false;
        }
        codes.set((int) place);
        return addEncoded(group, values, row);
    }

    private boolean addEncoded(int group, Column values, int row) {
        encoder.clear();
        encoder.addLong(LongColumn.Kind.INT, group);
        encoder.add(values, row);
        budget.bytes(encoder.length());
        int before = encoded.size();
        return encoded.add(encoder.bytes(), 0, encoder.length()) == before;
    }
}
