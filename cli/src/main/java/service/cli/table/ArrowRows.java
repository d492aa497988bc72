package service.cli.table;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** Takes the columns of a batch, one after the other, into those of a Parquet file. One thread. */
final class ArrowRows {
    private final ArrowMessages.Batch batch;
    private int node;
    private int buffer;

    ArrowRows(ArrowMessages.Batch batch) {
        this.batch = batch;
    }

    private int length() {
        return (int) batch.nodes()[2 * node++];
    }

    private ByteBuffer buffer() {
        return batch.buffers().get(buffer++);
    }

    /** Adds the values of the next column of the batch. */
    void next(PropertyType type, ParquetColumn into) {
        int rows = length();
        ByteBuffer valid = buffer();
        switch (type) {
            case PropertyType.Scalar(ScalarType scalar) -> {
                if (valid.capacity() == 0 && scalar != ScalarType.BOOL) {
                    all(scalar, rows, into);
                    return;
                }
                Items items = items(scalar);
                for (int i = 0; i < rows; i++) {
                    if (isSet(valid, i)) {
                        items.add(i, into);
                    } else {
                        into.addNull();
                    }
                }
            }
            case PropertyType.EnumOf words -> words(words, rows, valid, into);
            case PropertyType.ListOf list -> {
                ByteBuffer ends = buffer();
                node++;
                buffer++;
                Items items = items(list.item());
                for (int i = 0; i < rows; i++) {
                    list(isSet(valid, i), ends.getInt(4 * i), ends.getInt(4 * i + 4), items, into);
                }
            }
            case PropertyType.VectorOf vector -> {
                node++;
                buffer++;
                Items items = items(ScalarType.F32);
                int length = vector.dimensions();
                for (int i = 0; i < rows; i++) {
                    list(isSet(valid, i), i * length, (i + 1) * length, items, into);
                }
            }
            case PropertyType.AnyInteger any -> throw any.undeclared();
        }
    }

    private void all(ScalarType type, int rows, ParquetColumn into) {
        ByteBuffer first = buffer();
        if (type == ScalarType.STRING || type == ScalarType.BLOB) {
            ByteBuffer texts = buffer();
            into.addAll(first, texts.array(), texts.arrayOffset(), rows);
        } else {
            into.addAll(first, rows);
        }
    }

    private static boolean isSet(ByteBuffer bits, int at) {
        return bits.capacity() == 0 || (bits.get(at >>> 3) & (1 << (at & 7))) != 0;
    }

    private static void list(boolean has, int from, int to, Items items, ParquetColumn into) {
        if (!has) {
            into.addNull();
        } else if (from == to) {
            into.addEmpty();
        } else {
            into.beginRow();
            for (int i = from; i < to; i++) {
                items.add(i, into);
            }
        }
    }

    private void words(PropertyType.EnumOf words, int rows, ByteBuffer valid, ParquetColumn into) {
        byte[][] utf8 = words.values().stream()
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        ByteBuffer codes = buffer();
        for (int i = 0; i < rows; i++) {
            if (isSet(valid, i)) {
                byte[] word = utf8[codes.getInt(4 * i)];
                into.add(word, 0, word.length);
            } else {
                into.addNull();
            }
        }
    }

    /** The values of a column, or the items of its lists. */
    private interface Items {
        void add(int at, ParquetColumn into);
    }

    private Items items(ScalarType type) {
        ByteBuffer first = buffer();
        return switch (type) {
            case BOOL -> (at, into) -> into.add(isSet(first, at) ? 1 : 0);
            case I32, U32, DATE, F32 -> (at, into) -> into.add(first.getInt(4 * at));
            case I64, U64, DATETIME, F64 -> (at, into) -> into.add(first.getLong(8 * at));
            case STRING, BLOB -> {
                ByteBuffer texts = buffer();
                byte[] bytes = texts.array();
                int offset = texts.arrayOffset();
                yield (at, into) -> {
                    int start = first.getInt(4 * at);
                    into.add(bytes, offset + start, first.getInt(4 * at + 4) - start);
                };
            }
        };
    }
}
