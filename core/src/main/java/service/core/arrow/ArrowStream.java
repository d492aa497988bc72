package service.core.arrow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import service.core.batch.Column;
import service.core.json.Json;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;

/**
 * An Arrow IPC stream on the heap: record batches of at most 65,536 rows as columns come, and the schema when the last
 * one is there, or before. The buffers of columns become parts of the stream without a copy. One thread.
 */
public final class ArrowStream {
    private static final int ROWS_MAX = 1 << 16;

    /** A batch ends early when it has so many bytes, so that no buffer comes near 2 GiB. */
    private static final long BYTES_MAX = 32 << 20;

    /** The key of what a reader needs in order to give the values of JSON. */
    private static final String REMARK = "service";

    private static final int ALIGNMENT = 8;
    private static final int SCHEMA = 1;
    private static final int DICTIONARY_BATCH = 2;
    private static final int RECORD_BATCH = 3;
    private static final int CONTINUATION = -1;

    private final List<ArrowType.Field> fields;
    private final List<ArrowColumn> columns = new ArrayList<>();
    private final List<ByteBuffer> batches = new ArrayList<>();
    private final List<List<String>> dictionaries = new ArrayList<>();
    private int rows;
    private long bytes;

    /** Counts what is charged, to know how long a batch is. */
    private final class Counted implements QueryExecutor.Kept {
        private final QueryExecutor.Kept kept;

        Counted(QueryExecutor.Kept kept) {
            this.kept = kept;
        }

        @Override
        public void bytes(long more) {
            kept.bytes(more);
            bytes += more;
        }

        @Override
        public void release(long less) {
            kept.release(less);
            bytes -= less;
        }
    }

    /** A stream without rows. */
    public ArrowStream(ArrowFields of) {
        fields = of.fields();
        fields.forEach(field -> columns.add(ArrowColumn.of(field.type())));
    }

    /** Adds rows. */
    public void add(GraphView view, Column[] batch, int size, QueryExecutor.Kept kept) {
        if (rows + size > ROWS_MAX || bytes > BYTES_MAX) {
            flush();
        }
        Counted counted = new Counted(kept);
        for (int i = 0; i < batch.length; i++) {
            columns.get(i).addAll(view, batch[i], size, counted);
        }
        rows += size;
    }

    /** The whole stream, not copied, where nothing was taken. */
    public List<ByteBuffer> finish(Map<String, String> metadata) {
        List<ByteBuffer> all = begin(metadata);
        all.addAll(take());
        all.add(end());
        return all;
    }

    /** The beginning of the stream. */
    public List<ByteBuffer> begin(Map<String, String> metadata) {
        dictionaries.clear();
        List<ByteBuffer> all = new ArrayList<>(batches.size() + 3);
        FlatBuffer schema = new FlatBuffer();
        int[] offsets = new int[fields.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = field(schema, fields.get(i));
        }
        int fieldVector = schema.vector(offsets);
        int pairVector = pairs(schema, metadata);
        int table = schema.table(4)
                .shortField(0, 0)
                .offsetField(1, fieldVector)
                .offsetField(2, pairVector)
                .end();
        message(schema, SCHEMA, table, 0, all);
        for (int i = 0; i < dictionaries.size(); i++) {
            dictionary(i, dictionaries.get(i), all);
        }
        return all;
    }

    /** Gives the batches away, which come after the beginning and what was taken before. */
    public List<ByteBuffer> take() {
        if (rows > 0) {
            flush();
        }
        List<ByteBuffer> taken = List.copyOf(batches);
        batches.clear();
        return taken;
    }

    /** The end of a stream. */
    public static ByteBuffer end() {
        return number(CONTINUATION, 0);
    }

    private static int pairs(FlatBuffer schema, Map<String, String> metadata) {
        return schema.vector(metadata.entrySet().stream()
                .mapToInt(entry -> {
                    int key = schema.string(entry.getKey());
                    int value = schema.string(entry.getValue());
                    return schema.table(2)
                            .offsetField(0, key)
                            .offsetField(1, value)
                            .end();
                })
                .toArray());
    }

    private static ByteBuffer number(int first, int second) {
        return ByteBuffer.allocate(2 * Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(first)
                .putInt(second)
                .flip();
    }

    private static void message(FlatBuffer buffer, int type, int header, long bodyLength, List<ByteBuffer> into) {
        // The version of the format is 5, which is written as 4.
        int root = buffer.table(4)
                .longField(3, bodyLength)
                .offsetField(2, header)
                .shortField(0, 4)
                .byteField(1, type)
                .end();
        byte[] metadata = buffer.finish(root);
        into.add(number(CONTINUATION, metadata.length));
        into.add(ByteBuffer.wrap(metadata));
    }

    private int field(FlatBuffer schema, ArrowType.Field field) {
        int[] children = switch (field.type()) {
            case ArrowType.ListOf list -> children(schema, List.of(new ArrowType.Field("item", list.item())));
            case ArrowType.Vector ignored ->
                children(schema, List.of(new ArrowType.Field("item", ArrowType.Plain.F32)));
            case ArrowType.Struct struct -> children(schema, struct.fields());
            case ArrowType.Entity entity -> children(schema, entity.fields());
            case ArrowType.Path path -> children(schema, path.fields());
            case ArrowType.Plain ignored -> new int[0];
            case ArrowType.Words ignored -> new int[0];
        };
        int childVector = schema.vector(children);
        int name = schema.string(field.name());
        int encoding = 0;
        if (field.type() instanceof ArrowType.Words words) {
            int index = schema.table(2).intField(0, 32).byteField(1, 1).end();
            encoding = schema.table(4)
                    .longField(0, dictionaries.size())
                    .offsetField(1, index)
                    .end();
            dictionaries.add(words.values());
        }
        Map<String, String> remark = remark(field.type());
        int remarks = remark.isEmpty() ? 0 : pairs(schema, remark);
        int kind = kind(field.type());
        int type = type(schema, field.type());
        schema.table(7)
                .offsetField(0, name)
                .byteField(1, 1)
                .byteField(2, kind)
                .offsetField(3, type)
                .offsetField(5, childVector);
        if (encoding != 0) {
            schema.offsetField(4, encoding);
        }
        if (remarks != 0) {
            schema.offsetField(6, remarks);
        }
        return schema.end();
    }

    /** What the types of Arrow do not say of a field. */
    private static Map<String, String> remark(ArrowType type) {
        return switch (type) {
            case ArrowType.Plain plain when plain == ArrowType.Plain.JSON -> Map.of(REMARK, "json");
            case ArrowType.Entity entity
            when !entity.ofTypes().isEmpty() -> {
                ObjectNode types = Json.object();
                entity.ofTypes().forEach((name, fields) -> fields.forEach(types.withArray(name)::add));
                yield Map.of(REMARK, types.toString());
            }
            default -> Map.of();
        };
    }

    private int[] children(FlatBuffer schema, List<ArrowType.Field> within) {
        return within.stream().mapToInt(field -> field(schema, field)).toArray();
    }

    /** The number of a type in the union {@code Type}. */
    private static int kind(ArrowType type) {
        return switch (type) {
            case ArrowType.Plain plain ->
                switch (plain) {
                    case NULL -> 1;
                    case I32, I64, U32, U64 -> 2;
                    case F32, F64 -> 3;
                    case TEXT, JSON -> 5;
                    case BOOL -> 6;
                    case INTEGER -> 7;
                    case DATE -> 8;
                    case DATETIME -> 10;
                };
            case ArrowType.Words ignored -> 5;
            case ArrowType.ListOf ignored -> 12;
            case ArrowType.Struct ignored -> 13;
            case ArrowType.Entity ignored -> 13;
            case ArrowType.Path ignored -> 13;
            case ArrowType.Vector ignored -> 16;
        };
    }

    private static int type(FlatBuffer schema, ArrowType type) {
        return switch (type) {
            case ArrowType.Plain plain ->
                switch (plain) {
                    case NULL, TEXT, JSON, BOOL -> schema.table(0).end();
                    case I32 -> schema.table(2).intField(0, 32).byteField(1, 1).end();
                    case I64 -> schema.table(2).intField(0, 64).byteField(1, 1).end();
                    case U32 -> schema.table(2).intField(0, 32).byteField(1, 0).end();
                    case U64 -> schema.table(2).intField(0, 64).byteField(1, 0).end();
                    case F32 -> schema.table(1).shortField(0, 1).end();
                    case F64 -> schema.table(1).shortField(0, 2).end();
                    case INTEGER ->
                        schema.table(3)
                                .intField(0, 20)
                                .intField(1, 0)
                                .intField(2, 128)
                                .end();
                    case DATE -> schema.table(1).shortField(0, 0).end();
                    case DATETIME -> {
                        int zone = schema.string("UTC");
                        yield schema.table(2)
                                .offsetField(1, zone)
                                .shortField(0, 1)
                                .end();
                    }
                };
            case ArrowType.Vector vector ->
                schema.table(1).intField(0, vector.dimensions()).end();
            default -> schema.table(0).end();
        };
    }

    private static void dictionary(int id, List<String> words, List<ByteBuffer> into) {
        Body body = new Body();
        ByteBuffer ends =
                ByteBuffer.allocate(Integer.BYTES * (words.size() + 1)).order(ByteOrder.LITTLE_ENDIAN);
        byte[] texts = String.join("", words).getBytes(StandardCharsets.UTF_8);
        int end = 0;
        ends.putInt(0);
        for (String word : words) {
            end += word.getBytes(StandardCharsets.UTF_8).length;
            ends.putInt(end);
        }
        body.node(words.size(), 0);
        body.buffer(ByteBuffer.allocate(0));
        body.buffer(ends.flip());
        body.buffer(ByteBuffer.wrap(texts));
        FlatBuffer buffer = new FlatBuffer();
        int data = body.header(buffer, words.size());
        int header = buffer.table(3).longField(0, id).offsetField(1, data).end();
        message(buffer, DICTIONARY_BATCH, header, body.length, into);
        into.addAll(body.buffers);
    }

    private void flush() {
        Body body = new Body();
        columns.forEach(column -> column.take(body));
        FlatBuffer buffer = new FlatBuffer();
        int header = body.header(buffer, rows);
        message(buffer, RECORD_BATCH, header, body.length, batches);
        batches.addAll(body.buffers);
        rows = 0;
        bytes = 0;
    }

    /** The buffers of a batch, each at a multiple of 8 bytes. */
    private static final class Body implements ArrowColumn.Parts {
        private final List<ByteBuffer> buffers = new ArrayList<>();
        private final List<Long> nodes = new ArrayList<>();
        private final List<Long> places = new ArrayList<>();
        private long length;

        @Override
        public void node(long rows, long nulls) {
            nodes.add(rows);
            nodes.add(nulls);
        }

        @Override
        public void buffer(ByteBuffer bytes) {
            places.add(length);
            places.add((long) bytes.remaining());
            int padding = -bytes.remaining() & (ALIGNMENT - 1);
            length += bytes.remaining() + padding;
            if (bytes.hasRemaining()) {
                buffers.add(bytes);
            }
            if (padding > 0) {
                buffers.add(ByteBuffer.allocate(padding));
            }
        }

        private int header(FlatBuffer buffer, long rows) {
            int buffersAt =
                    buffer.pairs(places.stream().mapToLong(Long::longValue).toArray());
            int nodesAt = buffer.pairs(nodes.stream().mapToLong(Long::longValue).toArray());
            return buffer.table(4)
                    .longField(0, rows)
                    .offsetField(1, nodesAt)
                    .offsetField(2, buffersAt)
                    .end();
        }
    }
}
