package service.projection.resident;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.port.GraphView;
import service.core.schema.Property;
import service.core.value.HeapBytes;
import service.core.value.PropertyType;
import service.core.value.RoundedVector;
import service.core.value.Value;

/** Reads one part of a state into arrays, piece by piece. One thread. */
abstract class BlockReader {
    /** Batches that are read in one transaction. */
    private static final int BATCHES = 8;

    final Part part;
    final int bound;
    private int at;
    private boolean failed;

    BlockReader(Part part, int bound) {
        this.part = part;
        this.bound = bound;
    }

    /**
     * The reader for a part that has {@link #bytesMax}.
     *
     * @param edges whether a block of neighbours has the edges, too
     */
    static BlockReader of(Part part, int bound, boolean edges, GraphView view) {
        return switch (part.kind()) {
            case OUT, IN -> new NeighbourReader(part, bound, edges, view);
            case LIVE -> new Live(part, bound);
            case COLUMN -> {
                Property property = Objects.requireNonNull(
                        view.catalog().requireType(part.type()).property(part.property()));
                yield switch (GraphView.columnFor(property.type())) {
                    case LongColumn column -> longs(part, bound, column);
                    case DoubleColumn column -> doubles(part, bound, column);
                    case BoolColumn column -> bools(part, bound, column);
                    case TextColumn column -> new Texts(part, bound, column);
                    case ValueColumn column
                    when property.type() instanceof PropertyType.VectorOf(int dimension) ->
                        vectors(part, bound, column, dimension);
                    case ValueColumn ignored -> throw new IllegalArgumentException("a list is not kept in blocks");
                    case EntityColumn ignored -> throw new IllegalArgumentException("a property is not an entity");
                };
            }
        };
    }

    /** Heap bytes of the block at most, while it is made; −1 when the part is not kept in blocks. */
    static long bytesMax(Part part, int bound, boolean edges, GraphView view) {
        long bytes = bytes(part, bound, edges, view);
        if (bytes < 0) {
            return -1;
        }
        return bytes
                + (columnOf(part, view) instanceof TextColumn ? TextCodes.MAKING_BYTES_MAX : 0)
                + (part.shared() ? DirtySet.bytes(bound) : 0);
    }

    /** Heap bytes of the block and its dirty set, without different texts; −1 when the part is not kept in blocks. */
    static long bytes(Part part, int bound, boolean edges, GraphView view) {
        long arrays = arrayBytes(part, bound, edges, view);
        return arrays < 0 ? -1 : arrays + Kept.OBJECTS_BYTES;
    }

    private static long arrayBytes(Part part, int bound, boolean edges, GraphView view) {
        long bits = DirtySet.bytes(bound);
        return switch (part.kind()) {
            case OUT, IN -> {
                long arrays = NeighbourReader.bytes(part, bound, edges, view);
                yield arrays < 0 ? -1 : bits + arrays;
            }
            case LIVE -> 2 * bits;
            case COLUMN ->
                switch (columnOf(part, view)) {
                    case LongColumn ignored -> 8L * bound + 2 * bits;
                    case DoubleColumn ignored -> 8L * bound + 2 * bits;
                    case BoolColumn ignored -> bound + 2 * bits;
                    case TextColumn ignored -> 2L * bound + bits;
                    case ValueColumn ignored -> vectorBytes(part, bound, view);
                    case EntityColumn ignored -> -1;
                    case null -> -1;
                };
        };
    }

    private static long vectorBytes(Part part, int bound, GraphView view) {
        Property property = propertyOf(part, view);
        return property != null && property.type() instanceof PropertyType.VectorOf(int dimensions)
                ? bound * (Block.Vectors.ORDINAL_BYTES + vectorBytes(dimensions)) + 2 * DirtySet.bytes(bound)
                : -1;
    }

    private static long vectorBytes(int dimensions) {
        return HeapBytes.SMALL + HeapBytes.array(dimensions, Float.BYTES) + RoundedVector.bytes(dimensions);
    }

    private static @Nullable Property propertyOf(Part part, GraphView view) {
        return part.kind() == Part.Kind.COLUMN
                ? view.catalog().requireType(part.type()).property(part.property())
                : null;
    }

    /** A column for the values of the part; null when it is no property of the view. */
    private static @Nullable Column columnOf(Part part, GraphView view) {
        Property property = propertyOf(part, view);
        return property == null ? null : GraphView.columnFor(property.type());
    }

    /**
     * Reads the next piece.
     *
     * @param ordinalsMax ordinals of the piece
     * @return false when there is none or the part turns out not to fit into a block
     */
    final boolean read(ResidentView view, int ordinalsMax) {
        int to = (int) Math.min(bound, (long) at + ordinalsMax);
        for (int batch = 0; batch < BATCHES && at < to; batch++) {
            int next = read(view, at, to);
            if (next < 0) {
                failed = true;
                return false;
            }
            at = next;
        }
        return at < bound;
    }

    /** Reads entities from an ordinal on, below {@code to}, and returns the next ordinal to read; −1 to give up. */
    abstract int read(ResidentView view, int from, int to);

    /** The block after the last piece; null when the part does not fit into one. */
    final @Nullable Block made() {
        return failed ? null : block();
    }

    abstract Block block();

    /** Entities found by a scan of the records. */
    private abstract static class Scanned extends BlockReader {
        private final EntityColumn rows = new EntityColumn();

        Scanned(Part part, int bound) {
            super(part, bound);
        }

        @Override
        int read(ResidentView view, int from, int to) {
            try (GraphView.Scan scan = view.tableScan(part.type(), from)) {
                int size = scan.next(rows);
                if (size == 0) {
                    return to;
                }
                // A batch ends early when its records are large.
                boolean isShort = size < Column.CAPACITY;
                int last = rows.ordinals[size - 1];
                if (last < to - 1 && isShort && !takesShort() && isFollowed(view, last)) {
                    return -1;
                }
                while (size > 0 && rows.ordinals[size - 1] >= to) {
                    size--;
                }
                return add(view, rows, size) ? Math.min(to, last + 1) : -1;
            }
        }

        private boolean isFollowed(ResidentView view, int ordinal) {
            EntityColumn next = new EntityColumn();
            try (GraphView.Scan scan = view.tableScan(part.type(), ordinal + 1)) {
                return scan.next(next) > 0 && next.ordinals[0] < bound;
            }
        }

        /** Whether the part is kept although a scan gives short batches of it. */
        abstract boolean takesShort();

        abstract boolean add(ResidentView view, EntityColumn rows, int size);
    }

    private static final class Live extends Scanned {
        private final long[] words;

        Live(Part part, int bound) {
            super(part, bound);
            words = new long[(bound + Long.SIZE - 1) / Long.SIZE];
        }

        @Override
        boolean add(ResidentView view, EntityColumn rows, int size) {
            for (int i = 0; i < size; i++) {
                words[rows.ordinals[i] >>> 6] |= 1L << rows.ordinals[i];
            }
            return true;
        }

        /** Then batches must stay short, as only a table scan does it. */
        @Override
        boolean takesShort() {
            return false;
        }

        @Override
        Block block() {
            return new Block.Live(words);
        }
    }

    /** Values of one property. */
    private abstract static class Values<C extends Column> extends Scanned {
        final C column;

        long @Nullable [] nulls;

        Values(Part part, int bound, C column) {
            super(part, bound);
            this.column = column;
        }

        @Override
        boolean takesShort() {
            return true;
        }

        @Override
        boolean add(ResidentView view, EntityColumn rows, int size) {
            if (size == 0) {
                return true;
            }
            view.read(part.property(), rows, size, column);
            for (int i = 0; i < size; i++) {
                int ordinal = rows.ordinals[i];
                if (column.isNull(i)) {
                    setNull(ordinal);
                } else if (!set(ordinal, i)) {
                    return false;
                }
            }
            return true;
        }

        void setNull(int ordinal) {
            long[] words = nulls;
            if (words == null) {
                words = new long[(bound + Long.SIZE - 1) / Long.SIZE];
                nulls = words;
            }
            words[ordinal >>> 6] |= 1L << ordinal;
        }

        abstract boolean set(int ordinal, int row);
    }

    /** Takes the value of a row of the column as that of an ordinal. */
    @FunctionalInterface
    private interface Setter {
        void set(int ordinal, int row);
    }

    /** Values of a fixed width. */
    private static final class Fixed extends Values<Column> {
        private final Setter setter;
        private final Function<long @Nullable [], Block> maker;

        Fixed(Part part, int bound, Column column, Setter setter, Function<long @Nullable [], Block> maker) {
            super(part, bound, column);
            this.setter = setter;
            this.maker = maker;
        }

        @Override
        boolean set(int ordinal, int row) {
            setter.set(ordinal, row);
            return true;
        }

        @Override
        Block block() {
            return maker.apply(nulls);
        }
    }

    private static Fixed longs(Part part, int bound, LongColumn column) {
        long[] values = new long[bound];
        return new Fixed(
                part,
                bound,
                column,
                (ordinal, row) -> values[ordinal] = column.values[row],
                nulls -> new Block.Longs(values, nulls, DistinctCount.of(bound, i -> values[i])));
    }

    private static Fixed doubles(Part part, int bound, DoubleColumn column) {
        double[] values = new double[bound];
        return new Fixed(
                part,
                bound,
                column,
                (ordinal, row) -> values[ordinal] = column.values[row],
                nulls -> new Block.Doubles(
                        values, nulls, DistinctCount.of(bound, i -> Double.doubleToRawLongBits(values[i]))));
    }

    private static Fixed bools(Part part, int bound, BoolColumn column) {
        boolean[] values = new boolean[bound];
        return new Fixed(
                part,
                bound,
                column,
                (ordinal, row) -> values[ordinal] = column.values[row],
                nulls -> new Block.Bools(values, nulls));
    }

    private static Fixed vectors(Part part, int bound, ValueColumn column, int dimensions) {
        Value.@Nullable Vector[] values = new Value.@Nullable Vector[bound];
        @Nullable RoundedVector[] rounded = new @Nullable RoundedVector[bound];
        double[] squares = new double[bound];
        return new Fixed(
                part,
                bound,
                column,
                (ordinal, row) -> {
                    Value.Vector vector = (Value.Vector) column.values[row];
                    values[ordinal] = vector;
                    rounded[ordinal] = RoundedVector.of(vector.items());
                    for (float component : vector.items()) {
                        squares[ordinal] += (double) component * component;
                    }
                },
                nulls -> new Block.Vectors(values, rounded, squares, vectorBytes(dimensions)));
    }

    private static final class Texts extends Values<TextColumn> {
        private final char[] codes;
        private final TextCodes texts = new TextCodes();

        Texts(Part part, int bound, TextColumn column) {
            super(part, bound, column);
            codes = new char[bound];
        }

        @Override
        void setNull(int ordinal) {
            codes[ordinal] = Dictionary.NULL;
        }

        @Override
        boolean set(int ordinal, int row) {
            int code = texts.code(column.bytes, column.starts[row], column.lengths[row]);
            codes[ordinal] = (char) code;
            return code != Dictionary.NULL;
        }

        @Override
        Block block() {
            return new Block.Texts(codes, texts.dictionary());
        }
    }
}
