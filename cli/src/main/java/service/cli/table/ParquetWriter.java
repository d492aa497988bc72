package service.cli.table;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/**
 * Writes a Parquet file: pages of version 1, dictionaries where words repeat, zstd. A group of rows ends at 122,880
 * rows or 32 MiB, or with the batch after which it has them; they are held until then. All columns are optional. One
 * thread.
 */
final class ParquetWriter implements Closeable {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final int ROWS_MAX = 122_880;
    private static final long BYTES_MAX = 32 << 20;
    private static final int OPTIONAL = 1;
    private static final int REPEATED = 2;

    private final OutputStream into;
    private final List<PropertyType> types;
    private final List<ParquetColumn> columns = new ArrayList<>();
    private final List<Group> groups = new ArrayList<>();
    private long at;
    private int rows;
    private long rowsBefore;

    private record Group(long rows, List<ParquetColumn.Chunk> chunks) {}

    /** Begins a file; the stream is closed with this. */
    ParquetWriter(OutputStream into, List<String> names, List<PropertyType> types) throws IOException {
        this.into = into;
        this.types = types;
        for (int i = 0; i < names.size(); i++) {
            PropertyType type = types.get(i);
            boolean list = type instanceof PropertyType.ListOf || type instanceof PropertyType.VectorOf;
            columns.add(new ParquetColumn(names.get(i), stored(item(type)), list));
        }
        write(MAGIC);
    }

    static ScalarType item(PropertyType type) {
        return switch (type) {
            case PropertyType.Scalar scalar -> scalar.scalar();
            case PropertyType.ListOf list -> list.item();
            case PropertyType.VectorOf ignored -> ScalarType.F32;
            case PropertyType.EnumOf ignored -> ScalarType.STRING;
            case PropertyType.AnyInteger any -> throw any.undeclared();
        };
    }

    private static ParquetColumn.Stored stored(ScalarType type) {
        return switch (type) {
            case STRING, BLOB -> ParquetColumn.Stored.BYTE_ARRAY;
            case BOOL -> ParquetColumn.Stored.BOOLEAN;
            case I32, U32, DATE -> ParquetColumn.Stored.INT32;
            case I64, U64, DATETIME -> ParquetColumn.Stored.INT64;
            case F32 -> ParquetColumn.Stored.FLOAT;
            case F64 -> ParquetColumn.Stored.DOUBLE;
        };
    }

    ParquetColumn column(int place) {
        return columns.get(place);
    }

    /** Ends a row, for which each column has a value. */
    void endRow() throws IOException {
        rows++;
        if (rows == ROWS_MAX || (rows % 1024 == 0 && bytesHeld() > BYTES_MAX)) {
            flush();
        }
    }

    /** Ends many rows, for which each column has a value. */
    void endRows(int count) throws IOException {
        rows += count;
        if (rows >= ROWS_MAX || bytesHeld() > BYTES_MAX) {
            flush();
        }
    }

    /** About the bytes of the rows of the group. */
    long bytesHeld() {
        return columns.stream().mapToLong(ParquetColumn::bytes).sum();
    }

    /** The bytes of the file so far. */
    long bytes() {
        return at;
    }

    long rows() {
        return rowsBefore + rows;
    }

    private void write(byte[] bytes) throws IOException {
        into.write(bytes);
        at += bytes.length;
    }

    /** Ends the group. Its columns are encoded side by side, because that is most of the work. */
    void flush() throws IOException {
        if (rows == 0) {
            return;
        }
        List<ParquetColumn.Chunk> chunks = new ArrayList<>();
        for (ParquetColumn.Encoded column :
                columns.parallelStream().map(ParquetColumn::encode).toList()) {
            chunks.add(column.chunk().movedBy(at));
            for (byte[] piece : column.pieces()) {
                write(piece);
            }
        }
        groups.add(new Group(rows, chunks));
        rowsBefore += rows;
        rows = 0;
    }

    /** Frees the memory of the group before; its size is kept for the next one otherwise. */
    void shrink() {
        columns.forEach(ParquetColumn::shrink);
    }

    @Override
    public void close() throws IOException {
        try (into) {
            flush();
            byte[] meta = metadata();
            write(meta);
            int length = meta.length;
            write(new byte[] {(byte) length, (byte) (length >> 8), (byte) (length >> 16), (byte) (length >> 24)});
            write(MAGIC);
        }
    }

    private byte[] metadata() {
        ThriftWriter meta = new ThriftWriter().i32(1, 2);
        int elements = 1;
        for (ParquetColumn column : columns) {
            elements += column.isList ? 3 : 1;
        }
        meta.list(2, ThriftWriter.STRUCT, elements);
        meta.item().text(4, "schema").i32(5, columns.size()).end();
        for (int i = 0; i < columns.size(); i++) {
            element(meta, columns.get(i), item(types.get(i)));
        }
        meta.i64(3, rowsBefore).list(4, ThriftWriter.STRUCT, groups.size());
        for (Group group : groups) {
            meta.item().list(1, ThriftWriter.STRUCT, columns.size());
            long bytes = 0;
            for (int i = 0; i < columns.size(); i++) {
                columns.get(i).describe(meta, group.chunks.get(i));
                bytes += group.chunks.get(i).plain();
            }
            meta.i64(2, bytes).i64(3, group.rows).end();
        }
        return meta.text(6, "service").finish();
    }

    private static void element(ThriftWriter meta, ParquetColumn column, ScalarType type) {
        if (column.isList) {
            meta.item().i32(3, OPTIONAL).text(4, column.name).i32(5, 1).i32(6, 3);
            meta.begin(10).begin(3).end().end().end();
            meta.item().i32(3, REPEATED).text(4, "list").i32(5, 1).end();
        }
        meta.item().i32(1, column.stored.number).i32(3, column.isList ? 0 : OPTIONAL);
        meta.text(4, column.isList ? "element" : column.name);
        switch (type) {
            case STRING, BLOB -> meta.i32(6, 0).begin(10).begin(1).end().end();
            case DATE -> meta.i32(6, 6).begin(10).begin(6).end().end();
            case DATETIME -> {
                meta.i32(6, 9)
                        .begin(10)
                        .begin(8)
                        .bool(1, true)
                        .begin(2)
                        .begin(1)
                        .end()
                        .end();
                meta.end().end();
            }
            case U32, U64 -> {
                boolean wide = type == ScalarType.U64;
                meta.i32(6, wide ? 14 : 13)
                        .begin(10)
                        .begin(10)
                        .i8(1, wide ? 64 : 32)
                        .bool(2, false);
                meta.end().end();
            }
            case BOOL, I32, I64, F32, F64 -> {}
        }
        meta.end();
    }
}
