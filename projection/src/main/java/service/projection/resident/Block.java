package service.projection.resident;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.Dictionary;
import service.core.batch.EntityColumn;
import service.core.value.HeapBytes;
import service.core.value.RoundedVector;
import service.core.value.Value;

/** What a block holds, by ordinal. Immutable once published. */
sealed interface Block {
    /** Heap bytes. */
    long bytes();

    /** About the number of different values; 0 when it is not known. */
    default long distinctValues() {
        return 0;
    }

    /** Whether it gives the edges to neighbours. */
    default boolean hasEdges() {
        return false;
    }

    /**
     * Neighbours in the order of the tables: ascending, parallel edges adjacent.
     *
     * @param starts the run of a node is {@code [starts[node], starts[node + 1])}
     * @param nodes may be longer than the last run needs
     * @param edges the edge to each neighbour; null when queries have not asked for edges
     * @param distinct the number of different neighbours of each node; null when no two edges are parallel
     * @param some a bit for each node that has neighbours; null when most have some. The bits of all nodes fit into a
     *     cache into which their starts do not
     */
    record Neighbours(
            int[] starts, int[] nodes, @Nullable PackedInts edges, int @Nullable [] distinct, long @Nullable [] some)
            implements Block {
        /** A bit for each node that has neighbours; null when most have some. */
        static long @Nullable [] some(int[] starts) {
            int nodes = starts.length - 1;
            long[] some = new long[(nodes + Long.SIZE - 1) / Long.SIZE];
            int count = 0;
            for (int node = 0; node < nodes; node++) {
                if (starts[node] < starts[node + 1]) {
                    some[node >>> 6] |= 1L << node;
                    count++;
                }
            }
            return count > nodes / 2 ? null : some;
        }

        @Override
        public boolean hasEdges() {
            return edges != null;
        }

        @Override
        public long bytes() {
            return 4L * (starts.length + nodes.length + (distinct == null ? 0 : distinct.length))
                    + (edges == null ? 0 : edges.bytes())
                    + bitBytes(some);
        }
    }

    /**
     * Which entities are live.
     *
     * @param words a bit for each ordinal
     */
    record Live(long[] words) implements Block {
        @Override
        public long bytes() {
            return 8L * words.length;
        }

        boolean isLive(int ordinal) {
            return (words[ordinal >>> 6] & 1L << ordinal) != 0;
        }

        /** Whether each row that is not null is live, and of the type. */
        boolean areLive(int type, EntityColumn rows, int size) {
            for (int i = 0; i < size; i++) {
                if (!rows.isNull(i) && (rows.types[i] != type || !isLive(rows.ordinals[i]))) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Values in a {@code LongColumn}.
     *
     * @param nulls a bit for each ordinal, null when no value is null; dead entities have any value
     */
    record Longs(long[] values, long @Nullable [] nulls, long distinctValues) implements Block {
        @Override
        public long bytes() {
            return 8L * values.length + bitBytes(nulls);
        }
    }

    /** Values in a {@code DoubleColumn}. */
    record Doubles(double[] values, long @Nullable [] nulls, long distinctValues) implements Block {
        @Override
        public long bytes() {
            return 8L * values.length + bitBytes(nulls);
        }
    }

    /** Values in a {@code BoolColumn}. */
    record Bools(boolean[] values, long @Nullable [] nulls) implements Block {
        @Override
        public long bytes() {
            return values.length + bitBytes(nulls);
        }
    }

    /**
     * Texts of few different values.
     *
     * @param codes the code of the text of each entity
     */
    record Texts(char[] codes, Dictionary texts) implements Block {
        @Override
        public long distinctValues() {
            return texts.size() - 1L;
        }

        @Override
        public long bytes() {
            return 2L * codes.length + texts.heapBytes();
        }
    }

    /**
     * Vectors in a {@code ValueColumn}.
     *
     * @param values null where there is none
     * @param rounded the same, rounded
     * @param squares the sum of the squares of the components of each
     * @param bytesOfEach heap bytes of a vector and the rounded one
     */
    record Vectors(
            Value.@Nullable Vector[] values, @Nullable RoundedVector[] rounded, double[] squares, long bytesOfEach)
            implements Block {
        /** Heap bytes of what is held for each ordinal. */
        static final long ORDINAL_BYTES = 2L * HeapBytes.REFERENCE + Double.BYTES;

        @Override
        public long bytes() {
            long held = Arrays.stream(values).filter(Objects::nonNull).count();
            return ORDINAL_BYTES * values.length + held * bytesOfEach;
        }
    }

    private static long bitBytes(long @Nullable [] bits) {
        return bits == null ? 0 : 8L * bits.length;
    }
}
