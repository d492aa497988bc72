package service.cli.table;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes a structure in the compact protocol of Thrift, in which Parquet has its metadata. One thread. */
final class ThriftWriter {
    static final int I32 = 5;
    static final int BINARY = 8;
    static final int STRUCT = 12;
    private static final int TRUE = 1;
    private static final int FALSE = 2;
    private static final int I8 = 3;
    private static final int I64 = 6;
    private static final int LIST = 9;
    private static final int SHORT_LIST_MAX = 15;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** The number of the last field of each open structure. */
    private final int[] last = new int[16];

    private int depth;

    private void header(int field, int type) {
        out.write(((field - last[depth]) << 4) | type);
        last[depth] = field;
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private void zigzag(long value) {
        varint((value << 1) ^ (value >> 63));
    }

    ThriftWriter i32(int field, int value) {
        header(field, I32);
        zigzag(value);
        return this;
    }

    ThriftWriter i64(int field, long value) {
        header(field, I64);
        zigzag(value);
        return this;
    }

    ThriftWriter i8(int field, int value) {
        header(field, I8);
        out.write(value);
        return this;
    }

    ThriftWriter bool(int field, boolean value) {
        header(field, value ? TRUE : FALSE);
        return this;
    }

    ThriftWriter text(int field, String value) {
        header(field, BINARY);
        return textItem(value);
    }

    /** Begins a structure in a field; end it with {@link #end}. */
    ThriftWriter begin(int field) {
        header(field, STRUCT);
        return item();
    }

    /** Begins a structure that is an item of a list. */
    ThriftWriter item() {
        last[++depth] = 0;
        return this;
    }

    ThriftWriter end() {
        out.write(0);
        depth--;
        return this;
    }

    ThriftWriter list(int field, int itemType, int size) {
        header(field, LIST);
        if (size < SHORT_LIST_MAX) {
            out.write((size << 4) | itemType);
        } else {
            out.write(0xF0 | itemType);
            varint(size);
        }
        return this;
    }

    ThriftWriter i32Item(int value) {
        zigzag(value);
        return this;
    }

    ThriftWriter textItem(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        varint(utf8.length);
        out.writeBytes(utf8);
        return this;
    }

    /** Ends the outermost structure; returns its bytes. */
    byte[] finish() {
        out.write(0);
        return out.toByteArray();
    }
}
