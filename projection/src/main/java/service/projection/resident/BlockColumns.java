package service.projection.resident;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;

/** Copies values of a block into a column. */
final class BlockColumns {
    private BlockColumns() {}

    /**
     * Fills the rows of a column that was reset.
     *
     * @param except its rows that are not null are left out; null when the block has the values of all rows
     * @return false, and nothing is filled, when the column is of another class than the block
     */
    static boolean copy(Block block, EntityColumn rows, @Nullable EntityColumn except, int size, Column into) {
        return switch (block) {
            case Block.Longs longs
            when into instanceof LongColumn column -> {
                if (except == null && longs.nulls() == null && !rows.hasNulls()) {
                    gather(longs.values(), rows.ordinals, size, column.values);
                    yield true;
                }
                for (int i = 0; i < size; i++) {
                    if (has(rows, except, i, longs.nulls(), into)) {
                        column.values[i] = longs.values()[rows.ordinals[i]];
                    }
                }
                yield true;
            }
            case Block.Doubles doubles
            when into instanceof DoubleColumn column -> {
                if (except == null && doubles.nulls() == null && !rows.hasNulls()) {
                    gather(doubles.values(), rows.ordinals, size, column.values);
                    yield true;
                }
                for (int i = 0; i < size; i++) {
                    if (has(rows, except, i, doubles.nulls(), into)) {
                        column.values[i] = doubles.values()[rows.ordinals[i]];
                    }
                }
                yield true;
            }
            case Block.Bools bools
            when into instanceof BoolColumn column -> {
                for (int i = 0; i < size; i++) {
                    if (has(rows, except, i, bools.nulls(), into)) {
                        column.values[i] = bools.values()[rows.ordinals[i]];
                    }
                }
                yield true;
            }
            case Block.Texts texts
            when into instanceof TextColumn column -> {
                texts(texts, rows, except, size, column);
                yield true;
            }
            default -> false;
        };
    }

    private static void gather(long[] from, int[] ordinals, int size, long[] into) {
        for (int i = 0; i < size; i++) {
            into[i] = from[ordinals[i]];
        }
    }

    private static void gather(double[] from, int[] ordinals, int size, double[] into) {
        for (int i = 0; i < size; i++) {
            into[i] = from[ordinals[i]];
        }
    }

    /** Whether a row gets a value; sets the row to null when its value is. */
    private static boolean has(
            EntityColumn rows, @Nullable EntityColumn except, int row, @Nullable BitSet nulls, Column into) {
        if (rows.isNull(row) || (nulls != null && nulls.get(rows.ordinals[row]))) {
            // A row that is left out may be set to null here only if its ordinal is in the block.
            if (except == null || except.isNull(row)) {
                into.setNull(row);
            }
            return false;
        }
        return except == null || except.isNull(row);
    }

    private static void texts(
            Block.Texts texts, EntityColumn rows, @Nullable EntityColumn except, int size, TextColumn into) {
        int[] starts = texts.starts();
        if (except == null) {
            into.share(texts.texts());
        }
        for (int i = 0; i < size; i++) {
            if (except != null && !except.isNull(i)) {
                continue;
            }
            char code = rows.isNull(i) ? Block.Texts.NULL : texts.codes()[rows.ordinals[i]];
            if (code == Block.Texts.NULL) {
                into.setNull(i);
            } else if (except == null) {
                into.starts[i] = starts[code];
                into.lengths[i] = starts[code + 1] - starts[code];
            } else {
                into.set(i, texts.texts(), starts[code], starts[code + 1] - starts[code]);
            }
        }
    }
}
