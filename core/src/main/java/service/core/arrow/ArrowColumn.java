package service.core.arrow;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.json.JsonWriter;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.Value;

/** The values of one field of a record batch, in the buffers of Arrow. One thread. */
abstract sealed class ArrowColumn
        permits ArrowColumn.Nulls,
                ArrowColumn.Bits,
                ArrowColumn.Numbers,
                ArrowColumn.Texts,
                ArrowColumn.Codes,
                ArrowNested {
    /** A bit for each row, once a row is null. */
    private final ArrowBytes valid = new ArrowBytes();

    private int rows;
    private int nulls;

    /** What a record batch says of its columns: {@code nodes} are lengths and numbers of nulls, depth first. */
    interface Parts {
        void node(long rows, long nulls);

        void buffer(ByteBuffer bytes);
    }

    /** Makes an empty column. */
    static ArrowColumn of(ArrowType type) {
        return switch (type) {
            case ArrowType.Plain plain ->
                switch (plain) {
                    case NULL -> new Nulls();
                    case BOOL -> new Bits();
                    case I32, U32, DATE, F32, I64, U64, DATETIME, F64, INTEGER -> new Numbers(plain);
                    case TEXT -> new Texts(false);
                    case JSON -> new Texts(true);
                };
            case ArrowType.Words words -> new Codes(words.values());
            case ArrowType.ListOf list -> new ArrowNested.Items(of(list.item()));
            case ArrowType.Vector vector -> new ArrowNested.Floats(vector.dimensions());
            case ArrowType.Struct struct -> new ArrowNested.Fields(struct.fields());
            case ArrowType.Entity entity -> new ArrowNested.Entities(entity.fields());
            case ArrowType.Path path -> new ArrowNested.Paths(path.fields());
        };
    }

    final int rows() {
        return rows;
    }

    /** Adds the rows of a batch. */
    void addAll(GraphView view, Column column, int size, QueryExecutor.Kept kept) {
        for (int row = 0; row < size; row++) {
            add(view, column.value(row), kept);
        }
    }

    /** Adds a row. */
    final void add(GraphView view, Value value, QueryExecutor.Kept kept) {
        if (value instanceof Value.Null) {
            addNull(kept);
        } else {
            mark(true, kept);
            put(view, value, kept);
        }
    }

    final void addNull(QueryExecutor.Kept kept) {
        mark(false, kept);
        putNull(kept);
    }

    /** Counts a row. */
    final void mark(boolean has, QueryExecutor.Kept kept) {
        if (has && nulls == 0) {
            rows++;
            return;
        }
        int at = rows >>> 3;
        if (nulls == 0) {
            valid.room(at + 1, kept);
            Arrays.fill(valid.bytes, 0, at, (byte) -1);
            valid.bytes[at] = (byte) ((1 << (rows & 7)) - 1);
            valid.used = at + 1;
        } else if (at >= valid.used) {
            valid.room(1, kept);
            valid.bytes[valid.used++] = 0;
        }
        if (has) {
            valid.bytes[at] |= (byte) (1 << (rows & 7));
        } else {
            nulls++;
        }
        rows++;
    }

    /** Counts rows that have values. */
    final void markAll(int size, QueryExecutor.Kept kept) {
        if (nulls == 0) {
            rows += size;
        } else {
            for (int row = 0; row < size; row++) {
                mark(true, kept);
            }
        }
    }

    abstract void put(GraphView view, Value value, QueryExecutor.Kept kept);

    abstract void putNull(QueryExecutor.Kept kept);

    /** Gives the parts away, and begins again without rows. */
    final void take(Parts into) {
        into.node(rows, this instanceof Nulls ? rows : nulls);
        if (!(this instanceof Nulls)) {
            into.buffer(valid.take());
        }
        rows = 0;
        nulls = 0;
        takeValues(into);
    }

    abstract void takeValues(Parts into);

    static IllegalStateException unfit(Value value) {
        return new IllegalStateException(
                "a column of another type has " + value.getClass().getSimpleName());
    }

    /** Nothing but nulls. */
    static final class Nulls extends ArrowColumn {
        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            throw unfit(value);
        }

        @Override
        void putNull(QueryExecutor.Kept kept) {}

        @Override
        void takeValues(Parts into) {}
    }

    /** Truth values. */
    static final class Bits extends ArrowColumn {
        private final ArrowBytes bits = new ArrowBytes();

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            putNull(kept);
            if (((Value.Bool) value).value()) {
                bits.bytes[(rows() - 1) >>> 3] |= (byte) (1 << ((rows() - 1) & 7));
            }
        }

        @Override
        void putNull(QueryExecutor.Kept kept) {
            if ((rows() - 1) >>> 3 >= bits.used) {
                bits.room(1, kept);
                bits.bytes[bits.used++] = 0;
            }
        }

        @Override
        void takeValues(Parts into) {
            into.buffer(bits.take());
        }
    }

    /** Numbers, dates and times. */
    static final class Numbers extends ArrowColumn {
        private final ArrowBytes numbers = new ArrowBytes();
        private final ArrowType.Plain type;
        private final int width;

        Numbers(ArrowType.Plain type) {
            this.type = type;
            width = switch (type) {
                case I32, U32, DATE, F32 -> Integer.BYTES;
                case INTEGER -> 2 * Long.BYTES;
                default -> Long.BYTES;
            };
        }

        @Override
        void addAll(GraphView view, Column column, int size, QueryExecutor.Kept kept) {
            boolean real = type == ArrowType.Plain.F32 || type == ArrowType.Plain.F64;
            if (column instanceof LongColumn longs && !real && width <= Long.BYTES) {
                numbers.room(size * width, kept);
                if (!longs.hasNulls()) {
                    markAll(size, kept);
                    numbers.put(longs.values, size, width);
                    return;
                }
                for (int row = 0; row < size; row++) {
                    boolean has = !longs.isNull(row);
                    mark(has, kept);
                    bits(has ? longs.values[row] : 0);
                }
            } else if (column instanceof DoubleColumn reals && real) {
                numbers.room(size * width, kept);
                if (!reals.hasNulls() && width == Long.BYTES) {
                    markAll(size, kept);
                    for (int row = 0; row < size; row++) {
                        numbers.putLong(Double.doubleToLongBits(Value.positiveZero(reals.values[row])));
                    }
                    return;
                }
                for (int row = 0; row < size; row++) {
                    boolean has = !reals.isNull(row);
                    mark(has, kept);
                    bits(has ? bitsOf(reals.values[row]) : 0);
                }
            } else {
                super.addAll(view, column, size, kept);
            }
        }

        private void bits(long bits) {
            if (width == Integer.BYTES) {
                numbers.putInt((int) bits);
            } else {
                numbers.putLong(bits);
            }
        }

        private long bitsOf(double real) {
            double value = Value.positiveZero(real);
            return type == ArrowType.Plain.F32 ? Float.floatToIntBits((float) value) : Double.doubleToLongBits(value);
        }

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            numbers.room(width, kept);
            boolean real = type == ArrowType.Plain.F32 || type == ArrowType.Plain.F64;
            switch (value) {
                case Value.Real(double v) -> bits(bitsOf(v));
                case Value.Int(long v) -> bits(real ? bitsOf((double) v) : v);
                case Value.UInt(long v) -> bits(v);
                case Value.Date(int day) -> bits(day);
                case Value.DateTime(long millis) -> bits(millis);
                default -> throw unfit(value);
            }
            if (type == ArrowType.Plain.INTEGER) {
                numbers.putLong(value instanceof Value.Int(long v) && v < 0 ? -1 : 0);
            }
        }

        @Override
        void putNull(QueryExecutor.Kept kept) {
            numbers.room(width, kept);
            for (int i = 0; i < width; i += Integer.BYTES) {
                numbers.putInt(0);
            }
        }

        @Override
        void takeValues(Parts into) {
            into.buffer(numbers.take());
        }
    }

    /** Texts, or the JSON of other values. */
    static final class Texts extends ArrowColumn {
        private final ArrowBytes ends = new ArrowBytes();
        private final ArrowBytes texts = new ArrowBytes();
        private final boolean json;

        Texts(boolean json) {
            this.json = json;
        }

        @Override
        void addAll(GraphView view, Column column, int size, QueryExecutor.Kept kept) {
            if (json || !(column instanceof TextColumn from)) {
                super.addAll(view, column, size, kept);
                return;
            }
            if (from.isContiguous(size)) {
                markAll(size, kept);
                int start = size == 0 ? 0 : from.starts[0];
                beginEnds(size, kept);
                for (int row = 0; row < size; row++) {
                    ends.putInt(texts.used + from.starts[row] + from.lengths[row] - start);
                }
                texts.put(
                        from.bytes,
                        start,
                        size == 0 ? 0 : from.starts[size - 1] + from.lengths[size - 1] - start,
                        kept);
                return;
            }
            boolean nulls = from.hasNulls();
            int length = 0;
            for (int row = 0; row < size; row++) {
                length += nulls && from.isNull(row) ? 0 : from.lengths[row];
            }
            beginEnds(size, kept);
            texts.room(length, kept);
            if (!nulls) {
                markAll(size, kept);
            }
            for (int row = 0; row < size; row++) {
                boolean has = !nulls || !from.isNull(row);
                if (nulls) {
                    mark(has, kept);
                }
                if (has) {
                    texts.putShort(from.bytes, from.starts[row], from.lengths[row]);
                }
                ends.putInt(texts.used);
            }
        }

        /** Makes room for the ends of more rows. */
        private void beginEnds(int more, QueryExecutor.Kept kept) {
            ends.room((more + 1) * Integer.BYTES, kept);
            if (ends.used == 0) {
                ends.putInt(0);
            }
        }

        private void end(QueryExecutor.Kept kept) {
            beginEnds(1, kept);
            ends.putInt(texts.used);
        }

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            byte[] utf8 = !json && value instanceof Value.Text(String text)
                    ? text.getBytes(StandardCharsets.UTF_8)
                    : JsonWriter.bytes(writer -> writer.value(value, null));
            put(utf8, kept);
        }

        private void put(byte[] utf8, QueryExecutor.Kept kept) {
            texts.put(utf8, 0, utf8.length, kept);
            end(kept);
        }

        boolean isJson() {
            return json;
        }

        /** Adds a row that is JSON already. */
        void addJson(String text, QueryExecutor.Kept kept) {
            mark(true, kept);
            put(text.getBytes(StandardCharsets.UTF_8), kept);
        }

        @Override
        void putNull(QueryExecutor.Kept kept) {
            end(kept);
        }

        @Override
        void takeValues(Parts into) {
            into.buffer(ends.take());
            into.buffer(texts.take());
        }
    }

    /** Words of an enum as their positions in it. */
    static final class Codes extends ArrowColumn {
        private final ArrowBytes codes = new ArrowBytes();
        private final List<String> words;
        private final byte[][] utf8;

        Codes(List<String> words) {
            this.words = words;
            utf8 = words.stream()
                    .map(word -> word.getBytes(StandardCharsets.UTF_8))
                    .toArray(byte[][]::new);
        }

        @Override
        void addAll(GraphView view, Column column, int size, QueryExecutor.Kept kept) {
            if (!(column instanceof TextColumn from)) {
                super.addAll(view, column, size, kept);
                return;
            }
            codes.room(size * Integer.BYTES, kept);
            for (int row = 0; row < size; row++) {
                boolean has = !from.isNull(row);
                mark(has, kept);
                codes.putInt(has ? code(from.bytes, from.starts[row], from.lengths[row]) : 0);
            }
        }

        private int code(byte[] from, int start, int length) {
            for (int i = 0; i < utf8.length; i++) {
                if (Arrays.equals(utf8[i], 0, utf8[i].length, from, start, start + length)) {
                    return i;
                }
            }
            throw new IllegalStateException("a value is no word of its enum");
        }

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            codes.room(Integer.BYTES, kept);
            codes.putInt(words.indexOf(((Value.Text) value).value()));
        }

        @Override
        void putNull(QueryExecutor.Kept kept) {
            codes.room(Integer.BYTES, kept);
            codes.putInt(0);
        }

        @Override
        void takeValues(Parts into) {
            into.buffer(codes.take());
        }
    }
}
