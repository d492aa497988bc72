package service.projection.query.operator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.value.HeapBytes;
import service.projection.query.vector.BytesTable;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.KeyEncoder;
import service.projection.query.vector.LongTable;

/**
 * Numbers the different values of a column over all batches from 0, in the order of their first rows. Null is a value.
 * A text is hashed without a copy, and once for each code when the column has a dictionary; entities and values of 64
 * bits are hashed as numbers; other values are encoded to bytes first. One thread.
 */
final class ValueNumbers {
    /** Codes that are looked up in one unit of work. */
    private static final int CODES_A_STEP = 16;

    private final ExecutionBudget budget;
    private final BytesTable bytes;
    private final LongTable longs;
    private final KeyEncoder encoder = new KeyEncoder();
    private @Nullable Dictionary dictionary;

    /** The number of each code of the dictionary; −1 while it is not known. */
    private int[] numberOfCode = {};

    private int nullNumber = -1;

    /** The keys of a batch of entities. */
    private long[] keys = {};

    /** The type whose entities have their ordinals as codes; 0 before the first entity. */
    private int entityType;

    ValueNumbers(ExecutionBudget budget) {
        this.budget = budget;
        this.bytes = new BytesTable(budget);
        this.longs = new LongTable(budget);
    }

    /**
     * Numbers the rows of a batch.
     *
     * @param values the same column of each batch
     * @param into receives the number of each row
     */
    void number(Column values, int size, int[] into) {
        switch (values) {
            case TextColumn c -> numberTexts(c, size, into);
            case LongColumn c -> {
                for (int row = 0; row < size; row++) {
                    into[row] = c.isNull(row) ? ofNull() : known(longs.add(c.values[row]));
                }
            }
            case DoubleColumn c -> {
                for (int row = 0; row < size; row++) {
                    // Adding zero turns −0 into 0.
                    into[row] = c.isNull(row)
                            ? ofNull()
                            : known(longs.add(Double.doubleToRawLongBits(c.values[row] + 0.0)));
                }
            }
            case BoolColumn c -> {
                for (int row = 0; row < size; row++) {
                    into[row] = c.isNull(row) ? ofNull() : known(longs.add(c.values[row] ? 1 : 0));
                }
            }
            case EntityColumn c -> numberEntities(c, size, into);
            case ValueColumn c -> {
                for (int row = 0; row < size; row++) {
                    into[row] = c.isNull(row) ? ofNull() : known(encoded(c, row));
                }
            }
        }
    }

    /**
     * Gives each row a code of 32 bits, the same to equal values only. Whole numbers that are not negative and fit, and
     * entities of one type, are their own codes; most other values have their numbers. Mixing calls of this method and
     * of {@link #number} is not allowed.
     *
     * @param values the same column of each batch
     * @param into receives the code of each row
     */
    void code(Column values, int size, int[] into) {
        switch (values) {
            case LongColumn c -> {
                for (int row = 0; row < size; row++) {
                    long value = c.values[row];
                    into[row] = c.isNull(row)
                            ? ~ofNull()
                            : value >>> (Integer.SIZE - 1) == 0 ? (int) value : ~known(longs.add(value));
                }
            }
            case EntityColumn c -> {
                for (int row = 0; row < size; row++) {
                    into[row] = c.isNull(row) ? ~ofNull() : entity(c.types[row], c.ordinals[row]);
                }
            }
            case TextColumn c -> number(c, size, into);
            case DoubleColumn c -> number(c, size, into);
            case BoolColumn c -> number(c, size, into);
            case ValueColumn c -> number(c, size, into);
        }
    }

    private void numberEntities(EntityColumn c, int size, int[] into) {
        if (!c.hasNulls() && nullNumber < 0) {
            if (keys.length == 0) {
                budget.charge(HeapBytes.array(Column.CAPACITY, Long.BYTES));
                keys = new long[Column.CAPACITY];
            }
            for (int row = 0; row < size; row++) {
                keys[row] = (long) c.types[row] << Integer.SIZE | c.ordinals[row];
            }
            longs.addAll(keys, size, into);
            return;
        }
        for (int row = 0; row < size; row++) {
            into[row] =
                    c.isNull(row) ? ofNull() : known(longs.add((long) c.types[row] << Integer.SIZE | c.ordinals[row]));
        }
    }

    private int entity(int type, int ordinal) {
        if (entityType == 0) {
            entityType = type;
        }
        return type == entityType ? ordinal : ~known(longs.add((long) type << Integer.SIZE | ordinal));
    }

    private int encoded(ValueColumn values, int row) {
        encoder.clear();
        encoder.add(values, row);
        budget.bytes(encoder.length());
        return bytes.add(encoder.bytes(), 0, encoder.length());
    }

    private void numberTexts(TextColumn c, int size, int[] into) {
        Dictionary coded = c.dictionary();
        if (coded != null) {
            numberCodes(c, coded, size, into);
            return;
        }
        boolean nulls = c.hasNulls();
        for (int row = 0; row < size; row++) {
            budget.bytes(c.lengths[row]);
            into[row] = nulls && c.isNull(row) ? ofNull() : known(bytes.add(c.bytes, c.starts[row], c.lengths[row]));
        }
    }

    /** Finds the number of each code once. */
    private void numberCodes(TextColumn c, Dictionary coded, int size, int[] into) {
        if (coded != dictionary) {
            dictionary = coded;
            budget.charge(HeapBytes.array(coded.size(), Integer.BYTES));
            numberOfCode = new int[coded.size()];
            Arrays.fill(numberOfCode, -1);
        }
        int[] numbers = numberOfCode;
        char[] codes = c.codes(size);
        budget.steps(size / CODES_A_STEP + 1);
        for (int row = 0; row < size; row++) {
            int number = numbers[codes[row]];
            if (number < 0) {
                number = c.isNull(row) ? ofNull() : known(bytes.add(c.bytes, c.starts[row], c.lengths[row]));
                numbers[codes[row]] = number;
            }
            into[row] = number;
        }
    }

    /** The number of a key of a table. Null has a number but is in no table, so the keys after it are one higher. */
    private int known(int key) {
        return nullNumber >= 0 && key >= nullNumber ? key + 1 : key;
    }

    private int ofNull() {
        if (nullNumber < 0) {
            // A column fills one of the tables only.
            nullNumber = bytes.size() + longs.size();
        }
        return nullNumber;
    }
}
