package service.projection.resident;

import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.value.Value;

/**
 * Copies values of a block into a column. When the block has the values of all rows, a text column gets codes, and rows
 * with consecutive ordinals, as those of a scan, are copied as one piece.
 */
final class BlockColumns {
    private BlockColumns() {}

    /**
     * Fills the rows of a column that was reset.
     *
     * @param except its rows that are not null are left out; null when the block has the values of all rows
     * @return false, and nothing is filled, when the column is of another class than the block
     */
    static boolean copy(Block block, EntityColumn rows, @Nullable EntityColumn except, int size, Column into) {
        boolean whole = except == null && !rows.hasNulls();
        boolean run = whole && isRun(rows.ordinals, size);
        int[] ordinals = rows.ordinals;
        return switch (block) {
            case Block.Longs longs
            when into instanceof LongColumn column -> {
                if (run) {
                    System.arraycopy(longs.values(), ordinals[0], column.values, 0, size);
                } else if (whole) {
                    for (int i = 0; i < size; i++) {
                        column.values[i] = longs.values()[ordinals[i]];
                    }
                } else {
                    for (int i = 0; i < size; i++) {
                        if (has(rows, except, i)) {
                            column.values[i] = longs.values()[ordinals[i]];
                        }
                    }
                }
                nulls(longs.nulls(), rows, except, size, into, whole, run);
                yield true;
            }
            case Block.Doubles doubles
            when into instanceof DoubleColumn column -> {
                if (run) {
                    System.arraycopy(doubles.values(), ordinals[0], column.values, 0, size);
                } else if (whole) {
                    for (int i = 0; i < size; i++) {
                        column.values[i] = doubles.values()[ordinals[i]];
                    }
                } else {
                    for (int i = 0; i < size; i++) {
                        if (has(rows, except, i)) {
                            column.values[i] = doubles.values()[ordinals[i]];
                        }
                    }
                }
                nulls(doubles.nulls(), rows, except, size, into, whole, run);
                yield true;
            }
            case Block.Bools bools
            when into instanceof BoolColumn column -> {
                for (int i = 0; i < size; i++) {
                    if (has(rows, except, i)) {
                        column.values[i] = bools.values()[ordinals[i]];
                    }
                }
                nulls(bools.nulls(), rows, except, size, into, whole, run);
                yield true;
            }
            case Block.Texts texts
            when into instanceof TextColumn column -> {
                if (except == null) {
                    codes(texts, rows, size, column, whole, run);
                } else {
                    texts(texts, rows, except, size, column);
                }
                yield true;
            }
            case Block.Vectors vectors
            when into instanceof ValueColumn column -> {
                for (int i = 0; i < size; i++) {
                    Value.Vector value = has(rows, except, i) ? vectors.values()[rows.ordinals[i]] : null;
                    if (value != null) {
                        column.set(i, value);
                    } else if (except == null || except.isNull(i)) {
                        column.setNull(i);
                    }
                }
                yield true;
            }
            default -> false;
        };
    }

    /** Whether the ordinals are consecutive. */
    private static boolean isRun(int[] ordinals, int size) {
        if (size == 0 || ordinals[size - 1] - ordinals[0] != size - 1) {
            return false;
        }
        int first = ordinals[0];
        int other = 0;
        for (int i = 0; i < size; i++) {
            other |= ordinals[i] ^ first + i;
        }
        return other == 0;
    }

    /** Whether the block has the value of a row. */
    private static boolean has(EntityColumn rows, @Nullable EntityColumn except, int row) {
        return !rows.isNull(row) && (except == null || except.isNull(row));
    }

    private static void nulls(
            long @Nullable [] nulls,
            EntityColumn rows,
            @Nullable EntityColumn except,
            int size,
            Column into,
            boolean whole,
            boolean run) {
        if (!whole) {
            for (int i = 0; i < size; i++) {
                boolean isNull = rows.isNull(i)
                        || (nulls != null
                                && has(rows, except, i)
                                && (nulls[rows.ordinals[i] >>> 6] & 1L << rows.ordinals[i]) != 0);
                if (isNull) {
                    into.setNull(i);
                }
            }
        } else if (nulls != null && run) {
            into.addNulls(nulls, rows.ordinals[0], size);
        } else if (nulls != null) {
            into.addNulls(nulls, rows.ordinals, size);
        }
    }

    private static void codes(
            Block.Texts texts, EntityColumn rows, int size, TextColumn into, boolean whole, boolean run) {
        char[] from = texts.codes();
        char[] codes = into.codes(size);
        if (run) {
            System.arraycopy(from, rows.ordinals[0], codes, 0, size);
        } else if (whole) {
            int[] ordinals = rows.ordinals;
            for (int i = 0; i < size; i++) {
                codes[i] = from[ordinals[i]];
            }
        } else {
            for (int i = 0; i < size; i++) {
                codes[i] = rows.isNull(i) ? Dictionary.NULL : from[rows.ordinals[i]];
            }
        }
        into.decode(texts.texts(), size);
    }

    private static void texts(Block.Texts texts, EntityColumn rows, EntityColumn except, int size, TextColumn into) {
        Dictionary dictionary = texts.texts();
        for (int i = 0; i < size; i++) {
            if (!except.isNull(i)) {
                continue;
            }
            char code = rows.isNull(i) ? Dictionary.NULL : texts.codes()[rows.ordinals[i]];
            if (code == Dictionary.NULL) {
                into.setNull(i);
            } else {
                into.set(i, dictionary.bytes, dictionary.starts[code], dictionary.lengths[code]);
            }
        }
    }
}
