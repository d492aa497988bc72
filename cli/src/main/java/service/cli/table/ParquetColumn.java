package service.cli.table;

import com.github.luben.zstd.Zstd;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
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
    private static final int FEW = 1 << 4;

    /** A dictionary is given up when so many values have more different ones than two thirds of them. */
    private static final int TRIED = 4_096;

    private static final int NULL = 0;
    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    final String name;
    final Stored stored;
    final boolean isList;
    private final int defined;
    private int[] definitions = new int[FEW];
    private int[] repetitions;
    private int entries;
    private long[] numbers = new long[FEW];
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
        this.repetitions = isList ? new int[FEW] : new int[0];
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
    void add(byte[] utf8, int start, int length) {
        room(length);
        System.arraycopy(utf8, start, texts, textsUsed, length);
        textsUsed += length;
        add(textsUsed);
    }

    /** Adds numbers of the width of the buffer's elements, one a row, of which none is null. */
    void addAll(ByteBuffer bits, int rows) {
        beginAll(rows);
        if (stored == Stored.INT64 || stored == Stored.DOUBLE) {
            bits.asLongBuffer().get(0, numbers, values, rows);
        } else {
            for (int i = 0; i < rows; i++) {
                numbers[values + i] = bits.getInt(Integer.BYTES * i);
            }
        }
        values += rows;
    }

    /**
     * Adds texts, one a row, of which none is null.
     *
     * @param ends where each begins and ends, relative to {@code start}
     */
    void addAll(ByteBuffer ends, byte[] utf8, int start, int rows) {
        beginAll(rows);
        int first = ends.getInt(0);
        int length = ends.getInt(Integer.BYTES * rows) - first;
        long shift = textsUsed - (long) first;
        room(length);
        System.arraycopy(utf8, start + first, texts, textsUsed, length);
        for (int i = 0; i < rows; i++) {
            numbers[values + i] = shift + ends.getInt(Integer.BYTES * (i + 1));
        }
        textsUsed += length;
        values += rows;
    }

    /** Adds the entries of rows that have a value, and makes room for the values. Not of lists. */
    private void beginAll(int rows) {
        if (entries + rows > definitions.length) {
            definitions = Arrays.copyOf(definitions, Math.max(entries + rows, 2 * entries));
        }
        Arrays.fill(definitions, entries, entries + rows, defined);
        entries += rows;
        if (values + rows > numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.max(values + rows, 2 * values));
        }
    }

    private void room(int length) {
        if (length > texts.length - textsUsed) {
            texts = Arrays.copyOf(texts, Math.max(textsUsed + length, Math.max(1 << 12, 2 * texts.length)));
        }
    }

    /** Frees the memory of an encoded group. */
    void shrink() {
        definitions = new int[FEW];
        repetitions = isList ? new int[FEW] : new int[0];
        numbers = new long[FEW];
        texts = new byte[0];
    }

    /** About the bytes that the group holds. */
    long bytes() {
        return 8L * values + textsUsed + 4L * entries;
    }

    /**
     * Where the column is in the file, for its metadata.
     *
     * @param dictionaryAt −1 without a dictionary
     */
    record Chunk(List<Integer> encodings, long entries, long plain, long packed, long dataAt, long dictionaryAt) {
        /** The same chunk further on. */
        Chunk movedBy(long bytes) {
            return new Chunk(
                    encodings, entries, plain, packed, dataAt + bytes, dictionaryAt < 0 ? -1 : dictionaryAt + bytes);
        }
    }

    /** A group of a column as the bytes of the file, from their place on. */
    record Encoded(Chunk chunk, List<byte[]> pieces) {}

    /** Encodes the group, as if the file began with it, and begins the next one. */
    Encoded encode() {
        int[] words = new int[values];
        int[] firsts = dictionary(words);
        Pages pages = new Pages();
        PageBytes page = new PageBytes();
        long dictionaryAt = -1;
        if (firsts != null) {
            for (int first : firsts) {
                plain(first, first + 1, page);
            }
            dictionaryAt = 0;
            int count = firsts.length;
            pages.add(
                    page,
                    2,
                    header -> header.begin(7).i32(1, count).i32(2, PLAIN).end());
        }
        long dataAt = pages.packed;
        int value = 0;
        for (int from = 0; from < entries || from == 0; ) {
            int to = pageEnd(from);
            page.clear();
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
                page.put(width);
                RunLengths.write(words, value, end, width, page);
            }
            int count = to - from;
            int encoding = firsts == null ? PLAIN : RLE_DICTIONARY;
            pages.add(
                    page,
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
                pages.plain,
                pages.packed,
                dataAt,
                dictionaryAt);
        entries = 0;
        values = 0;
        textsUsed = 0;
        return new Encoded(chunk, pages.pieces);
    }

    /** A page ends with a row. */
    private int pageEnd(int from) {
        int to = Math.min(entries, from + ENTRIES_OF_A_PAGE);
        while (isList && to < entries && repetitions[to] > 0) {
            to++;
        }
        return to;
    }

    /** The pages of a group. */
    private static final class Pages {
        final List<byte[]> pieces = new ArrayList<>();
        long plain;
        long packed;

        void add(PageBytes page, int type, Consumer<ThriftWriter> kind) {
            byte[] content = new byte[(int) Zstd.compressBound(page.used)];
            long length = Zstd.compressByteArray(content, 0, content.length, page.bytes, 0, page.used, ZSTD_LEVEL);
            if (Zstd.isError(length)) {
                throw new IllegalStateException(Zstd.getErrorName(length));
            }
            ThriftWriter header =
                    new ThriftWriter().i32(1, type).i32(2, page.used).i32(3, (int) length);
            kind.accept(header);
            byte[] head = header.finish();
            pieces.add(head);
            pieces.add(Arrays.copyOf(content, (int) length));
            plain += head.length + page.used;
            packed += head.length + length;
        }
    }

    private static void levels(int[] levels, int from, int to, int width, PageBytes into) {
        int at = into.used;
        into.putInt(0);
        RunLengths.write(levels, from, to, width, into);
        int end = into.used;
        into.used = at;
        into.putInt(end - at - Integer.BYTES);
        into.used = end;
    }

    private int textStart(int value) {
        return value == 0 ? 0 : (int) numbers[value - 1];
    }

    private void plain(int from, int to, PageBytes into) {
        switch (stored) {
            case BOOLEAN -> {
                for (int i = from; i < to; i += Byte.SIZE) {
                    int bits = 0;
                    for (int j = i; j < Math.min(to, i + Byte.SIZE); j++) {
                        bits |= (int) numbers[j] << (j - i);
                    }
                    into.put(bits);
                }
            }
            case BYTE_ARRAY -> {
                for (int i = from; i < to; i++) {
                    int length = (int) numbers[i] - textStart(i);
                    into.putInt(length);
                    into.put(texts, textStart(i), length);
                }
            }
            case INT32, FLOAT -> {
                for (int i = from; i < to; i++) {
                    into.putInt((int) numbers[i]);
                }
            }
            case INT64, DOUBLE -> {
                for (int i = from; i < to; i++) {
                    into.putLong(numbers[i]);
                }
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
        int count = 0;
        // The place of a word in the table follows from its hash; 0 is none, else the word and 1.
        int[] table = new int[1 << 9];
        for (int i = 0; i < values; i++) {
            int at = hash(i) & (table.length - 1);
            while (table[at] != 0 && !isEqual(i, firsts[table[at] - 1])) {
                at = (at + 1) & (table.length - 1);
            }
            if (table[at] != 0) {
                words[i] = table[at] - 1;
                continue;
            }
            if (count == max || (i == TRIED && count > TRIED * 2 / 3)) {
                return null;
            }
            if (count == firsts.length) {
                firsts = Arrays.copyOf(firsts, Math.min(max, 2 * count));
            }
            firsts[count] = i;
            words[i] = count++;
            table[at] = count;
            if (2 * count > table.length) {
                table = larger(table, firsts);
            }
        }
        return Arrays.copyOf(firsts, count);
    }

    private int[] larger(int[] table, int[] firsts) {
        int[] larger = new int[2 * table.length];
        for (int word : table) {
            if (word != 0) {
                int at = hash(firsts[word - 1]) & (larger.length - 1);
                while (larger[at] != 0) {
                    at = (at + 1) & (larger.length - 1);
                }
                larger[at] = word;
            }
        }
        return larger;
    }

    private int hash(int value) {
        long hash = numbers[value];
        if (stored == Stored.BYTE_ARRAY) {
            int end = (int) numbers[value];
            hash = 0;
            int at = textStart(value);
            for (; at + Long.BYTES <= end; at += Long.BYTES) {
                hash = (hash ^ (long) LONGS.get(texts, at)) * MIX;
                hash ^= hash >>> 29;
            }
            for (; at < end; at++) {
                hash = (hash ^ texts[at]) * MIX;
            }
        }
        hash *= MIX;
        return (int) (hash >>> 32);
    }

    private boolean isEqual(int one, int other) {
        return stored == Stored.BYTE_ARRAY
                ? Arrays.equals(
                        texts, textStart(one), (int) numbers[one], texts, textStart(other), (int) numbers[other])
                : numbers[one] == numbers[other];
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
