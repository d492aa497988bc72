package service.cli.table;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of one column in a group of rows. A row of a list has an entry for each item, or one that says that it is
 * null or empty. One thread.
 */
final class ParquetColumn {
    /** What a value is stored as. */
    enum Stored {
        BOOLEAN(0),
        INT32(1),
        INT64(2),
        FLOAT(4),
        DOUBLE(5),
        BYTE_ARRAY(6);

        /** The number of the format. */
        final int number;

        Stored(int number) {
            this.number = number;
        }
    }

    private static final int PLAIN = 0;
    private static final int RLE = 3;
    private static final int RLE_DICTIONARY = 8;
    private static final int ZSTD = 6;
    private static final int ZSTD_LEVEL = 3;
    private static final int ENTRIES_OF_A_PAGE = 20_000;
    private static final int WORDS_MAX = 1 << 15;

    /** A dictionary is given up when so many values have more different ones than two thirds of them. */
    private static final int TRIED = 4_096;

    private static final int NULL = 0;

    final String name;
    final Stored stored;
    final boolean isList;
    private final int defined;
    private int[] definitions = new int[1 << 10];
    private int[] repetitions;
    private int entries;
    private long[] numbers = new long[1 << 10];
    private byte[] texts = {};
    private int textsUsed;
    private int values;

    /** The definition of the next value of a list, and its repetition. */
    private int repetition;

    ParquetColumn(String name, Stored stored, boolean isList) {
        this.name = name;
        this.stored = stored;
        this.isList = isList;
        this.defined = isList ? 2 : 1;
        this.repetitions = isList ? new int[1 << 10] : new int[0];
    }

    private void entry(int definition) {
        if (entries == definitions.length) {
            definitions = Arrays.copyOf(definitions, 2 * entries);
            repetitions = isList ? Arrays.copyOf(repetitions, 2 * entries) : repetitions;
        }
        definitions[entries] = definition;
        if (isList) {
            repetitions[entries] = repetition;
            repetition = 1;
        }
        entries++;
    }

    /** Begins the row of a list. */
    void beginRow() {
        repetition = 0;
    }

    void addNull() {
        repetition = 0;
        entry(NULL);
    }

    void addEmpty() {
        repetition = 0;
        entry(1);
    }

    /** Adds a value, or the next item of a list: the bits of a number. */
    void add(long bits) {
        entry(defined);
        if (values == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * values);
        }
        numbers[values++] = bits;
    }

    /** Adds a text, or the next item of a list. */
    void add(byte[] utf8, int length) {
        if (length > texts.length - textsUsed) {
            texts = Arrays.copyOf(texts, Math.max(textsUsed + length, Math.max(1 << 12, 2 * texts.length)));
        }
        System.arraycopy(utf8, 0, texts, textsUsed, length);
        textsUsed += length;
        add(textsUsed);
    }

    /** About the bytes that the group holds. */
    long bytes() {
        return 8L * values + textsUsed + 4L * entries;
    }

    /** Where the column is in the file, for its metadata. */
    record Chunk(List<Integer> encodings, long entries, long plain, long packed, long dataAt, long dictionaryAt) {}

    /** Writes the group at a place of the file, and begins the next one. */
    Chunk write(OutputStream into, long at) throws IOException {
        int[] words = new int[values];
        int[] firsts = dictionary(words);
        long[] sizes = new long[2];
        long dictionaryAt = -1;
        if (firsts != null) {
            ByteArrayOutputStream plain = new ByteArrayOutputStream();
            for (int first : firsts) {
                plain(first, first + 1, plain);
            }
            dictionaryAt = at;
            int count = firsts.length;
            page(
                    plain,
                    into,
                    sizes,
                    2,
                    header -> header.begin(7).i32(1, count).i32(2, PLAIN).end());
        }
        long dataAt = at + sizes[1];
        int value = 0;
        for (int from = 0; from < entries || from == 0; ) {
            int to = pageEnd(from);
            ByteArrayOutputStream page = new ByteArrayOutputStream();
            if (isList) {
                levels(repetitions, from, to, 1, page);
            }
            levels(definitions, from, to, isList ? 2 : 1, page);
            int end = value;
            for (int i = from; i < to; i++) {
                end += definitions[i] == defined ? 1 : 0;
            }
            if (firsts == null) {
                plain(value, end, page);
            } else {
                int width = RunLengths.width(firsts.length);
                page.write(width);
                RunLengths.write(words, value, end, width, page);
            }
            int count = to - from;
            int encoding = firsts == null ? PLAIN : RLE_DICTIONARY;
            page(
                    page,
                    into,
                    sizes,
                    0,
                    header -> header.begin(5)
                            .i32(1, count)
                            .i32(2, encoding)
                            .i32(3, RLE)
                            .i32(4, RLE)
                            .end());
            value = end;
            from = Math.max(to, 1);
        }
        Chunk chunk = new Chunk(
                firsts == null ? List.of(PLAIN, RLE) : List.of(PLAIN, RLE, RLE_DICTIONARY),
                entries,
                sizes[0],
                sizes[1],
                dataAt,
                dictionaryAt);
        entries = 0;
        values = 0;
        textsUsed = 0;
        return chunk;
    }

    /** A page ends with a row. */
    private int pageEnd(int from) {
        int to = Math.min(entries, from + ENTRIES_OF_A_PAGE);
        while (isList && to < entries && repetitions[to] > 0) {
            to++;
        }
        return to;
    }

    private interface Header {
        void write(ThriftWriter header);
    }

    private static void page(ByteArrayOutputStream content, OutputStream into, long[] sizes, int type, Header kind)
            throws IOException {
        byte[] plain = content.toByteArray();
        byte[] packed = Zstd.compress(plain, ZSTD_LEVEL);
        ThriftWriter header =
                new ThriftWriter().i32(1, type).i32(2, plain.length).i32(3, packed.length);
        kind.write(header);
        byte[] head = header.finish();
        into.write(head);
        into.write(packed);
        sizes[0] += head.length + plain.length;
        sizes[1] += head.length + packed.length;
    }

    private static void levels(int[] levels, int from, int to, int width, ByteArrayOutputStream into) {
        ByteArrayOutputStream runs = new ByteArrayOutputStream();
        RunLengths.write(levels, from, to, width, runs);
        little(runs.size(), Integer.BYTES, into);
        into.writeBytes(runs.toByteArray());
    }

    private static void little(long bits, int bytes, ByteArrayOutputStream into) {
        for (int i = 0; i < bytes; i++) {
            into.write((int) (bits >>> (Byte.SIZE * i)));
        }
    }

    private int textStart(int value) {
        return value == 0 ? 0 : (int) numbers[value - 1];
    }

    private void plain(int from, int to, ByteArrayOutputStream into) {
        switch (stored) {
            case BOOLEAN -> {
                for (int i = from; i < to; i += Byte.SIZE) {
                    int bits = 0;
                    for (int j = i; j < Math.min(to, i + Byte.SIZE); j++) {
                        bits |= (int) numbers[j] << (j - i);
                    }
                    into.write(bits);
                }
            }
            case BYTE_ARRAY -> {
                for (int i = from; i < to; i++) {
                    int length = (int) numbers[i] - textStart(i);
                    little(length, Integer.BYTES, into);
                    into.write(texts, textStart(i), length);
                }
            }
            default -> {
                boolean narrow = stored == Stored.INT32 || stored == Stored.FLOAT;
                ByteBuffer all = ByteBuffer.allocate((to - from) * (narrow ? Integer.BYTES : Long.BYTES))
                        .order(ByteOrder.LITTLE_ENDIAN);
                for (int i = from; i < to; i++) {
                    if (narrow) {
                        all.putInt((int) numbers[i]);
                    } else {
                        all.putLong(numbers[i]);
                    }
                }
                into.writeBytes(all.array());
            }
        }
    }

    /** Fills the positions of the values; returns the first value of each word, or null where there are too many. */
    private int @Nullable [] dictionary(int[] words) {
        if (stored == Stored.BOOLEAN || values == 0) {
            return null;
        }
        int max = Math.min(WORDS_MAX, Math.max(1, values * 2 / 3));
        int[] firsts = new int[Math.min(max, 1 << 8)];
        Map<Object, Integer> known = new HashMap<>();
        for (int i = 0; i < values; i++) {
            Object key = stored == Stored.BYTE_ARRAY
                    ? ByteBuffer.wrap(texts, textStart(i), (int) numbers[i] - textStart(i))
                    : (Object) numbers[i];
            Integer word = known.get(key);
            if (word == null) {
                int count = known.size();
                if (count == max || (i == TRIED && count > TRIED * 2 / 3)) {
                    return null;
                }
                if (count == firsts.length) {
                    firsts = Arrays.copyOf(firsts, Math.min(max, 2 * count));
                }
                firsts[count] = i;
                known.put(key, count);
                words[i] = count;
            } else {
                words[i] = word;
            }
        }
        return Arrays.copyOf(firsts, known.size());
    }

    /** Writes what the metadata says of a group of the column. */
    void describe(ThriftWriter meta, Chunk chunk) {
        meta.item()
                .i64(2, chunk.dictionaryAt < 0 ? chunk.dataAt : chunk.dictionaryAt)
                .begin(3);
        meta.i32(1, stored.number).list(2, ThriftWriter.I32, chunk.encodings.size());
        chunk.encodings.forEach(meta::i32Item);
        List<String> path = isList ? List.of(name, "list", "element") : List.of(name);
        meta.list(3, ThriftWriter.BINARY, path.size());
        path.forEach(meta::textItem);
        meta.i32(4, ZSTD)
                .i64(5, chunk.entries)
                .i64(6, chunk.plain)
                .i64(7, chunk.packed)
                .i64(9, chunk.dataAt);
        if (chunk.dictionaryAt >= 0) {
            meta.i64(11, chunk.dictionaryAt);
        }
        meta.end().end();
    }
}
