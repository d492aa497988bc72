package service.connect;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;

/** Makes the values of records, in the form that consumers of Debezium know. One thread. */
final class Envelope {
    private static final Schema SOURCE = SchemaBuilder.struct()
            .name("service.connect.Source")
            .version(1)
            .field("version", Schema.STRING_SCHEMA)
            .field("connector", Schema.STRING_SCHEMA)
            .field("name", Schema.STRING_SCHEMA)
            .field("ts_ms", Schema.INT64_SCHEMA)
            .field("snapshot", Schema.STRING_SCHEMA)
            .field("graph", Schema.STRING_SCHEMA)
            .field("branch", Schema.STRING_SCHEMA)
            .field("entity", Schema.OPTIONAL_STRING_SCHEMA)
            .field("type", Schema.OPTIONAL_STRING_SCHEMA)
            .field("commit_id", Schema.STRING_SCHEMA)
            .field("log_offset", Schema.INT64_SCHEMA)
            .field("actor", Schema.OPTIONAL_STRING_SCHEMA)
            .field("kind", Schema.STRING_SCHEMA)
            .build();

    /** The name and fields are those of Debezium. */
    private static final Schema TRANSACTION = SchemaBuilder.struct()
            .name("event.block")
            .version(1)
            .optional()
            .field("id", Schema.STRING_SCHEMA)
            .field("total_order", Schema.INT64_SCHEMA)
            .field("data_collection_order", Schema.INT64_SCHEMA)
            .build();

    private static final Schema SCHEMA_KEY = SchemaBuilder.struct()
            .name("service.connect.SchemaKey")
            .version(1)
            .field("graph", Schema.STRING_SCHEMA)
            .field("branch", Schema.STRING_SCHEMA)
            .build();

    private static final Schema SCHEMA_VALUE = SchemaBuilder.struct()
            .name("service.connect.Schema")
            .version(1)
            .field("op", Schema.STRING_SCHEMA)
            .field("ts_ms", Schema.INT64_SCHEMA)
            .field("schema_version", Schema.INT32_SCHEMA)
            .field("schema_digest", Schema.STRING_SCHEMA)
            .field("steps", Schema.OPTIONAL_STRING_SCHEMA)
            .field("catalog", Schema.STRING_SCHEMA)
            .field("source", SOURCE)
            .build();

    private final GraphSourceConfig config;
    private final Map<String, Long> orders = new TreeMap<>();
    private String commit = "";
    private long order;

    Envelope(GraphSourceConfig config) {
        this.config = config;
    }

    /** The operations of Debezium. */
    enum Op {
        CREATE("c"),
        UPDATE("u"),
        DELETE("d"),

        /** Read by a baseline. */
        READ("r"),

        /** Whatever was sent of the type before is void. */
        TRUNCATE("t"),

        /** Only tells the place. */
        MARK("m");

        final String letter;

        Op(String letter) {
            this.letter = letter;
        }
    }

    /** The schema of the values of a type. */
    static Schema schema(String name, int version, Schema row) {
        return SchemaBuilder.struct()
                .name(name)
                .version(version)
                .field("before", row)
                .field("after", row)
                .field("source", SOURCE)
                .field("op", Schema.STRING_SCHEMA)
                .field("ts_ms", Schema.INT64_SCHEMA)
                .field("transaction", TRANSACTION)
                .build();
    }

    /** An entity that a baseline has read. */
    Draft read(EntityShape shape, String id, Struct row, CommitInfo from) {
        Struct source = source(from, true, shape);
        return draft(shape, id, value(shape, Op.READ, source).put("after", row), from);
    }

    /** The beginning of the baseline of a type. */
    Draft truncate(EntityShape shape, CommitInfo from) {
        return draft(shape, "", value(shape, Op.TRUNCATE, source(from, true, shape)), from);
    }

    /** A change of an entity. Changes of a commit are numbered in the order of the calls. */
    Draft change(EntityShape shape, String id, @Nullable Struct before, @Nullable Struct after, CommitInfo from) {
        if (!commit.equals(from.id())) {
            commit = from.id();
            order = 0;
            orders.clear();
        }
        order++;
        long ofType = orders.merge(shape.name, 1L, Long::sum);
        Op op = before == null ? Op.CREATE : after == null ? Op.DELETE : Op.UPDATE;
        Struct transaction = new Struct(TRANSACTION)
                .put("id", from.id())
                .put("total_order", order)
                .put("data_collection_order", ofType);
        Struct value = value(shape, op, source(from, false, shape))
                .put("before", before)
                .put("after", after)
                .put("transaction", transaction);
        return draft(shape, id, value, from);
    }

    /** Begins a commit again whose changes were sent in part. */
    void restart() {
        commit = "";
    }

    /** The record without a value after a delete. */
    Draft tombstone(EntityShape shape, String id, CommitInfo from) {
        return new Draft(shape.topic, shape.keySchema, shape.key(id), null, null, from);
    }

    /**
     * The schema from a commit on.
     *
     * @param steps of the change, as JSON; null where the record does not come from one
     */
    Draft schema(GraphTypes types, Op op, @Nullable String steps, CommitInfo from) {
        Struct key = new Struct(SCHEMA_KEY).put("graph", config.graph()).put("branch", config.branch());
        Struct value = new Struct(SCHEMA_VALUE)
                .put("op", op.letter)
                .put("ts_ms", System.currentTimeMillis())
                .put("schema_version", types.version)
                .put("schema_digest", types.digest())
                .put("steps", steps)
                .put("catalog", types.catalog.toString())
                .put("source", source(from, op == Op.READ, null));
        return new Draft(config.schemaTopic(), SCHEMA_KEY, key, SCHEMA_VALUE, value, from);
    }

    /** Says of the last record of a baseline that it is the last one, in the word of Debezium. */
    static void markLast(Draft draft) {
        if (draft.value() != null) {
            draft.value().getStruct("source").put("snapshot", "last");
        }
    }

    private static Draft draft(EntityShape shape, String id, Struct value, CommitInfo from) {
        return new Draft(shape.topic, shape.keySchema, shape.key(id), shape.envelopeSchema, value, from);
    }

    private static Struct value(EntityShape shape, Op op, Struct source) {
        return new Struct(shape.envelopeSchema)
                .put("source", source)
                .put("op", op.letter)
                .put("ts_ms", System.currentTimeMillis());
    }

    private Struct source(CommitInfo from, boolean isSnapshot, @Nullable EntityShape shape) {
        Struct source = new Struct(SOURCE)
                .put("version", GraphSourceConnector.VERSION)
                .put("connector", "service-graph")
                .put("name", config.prefix())
                .put("ts_ms", from.millis())
                .put("snapshot", String.valueOf(isSnapshot))
                .put("graph", config.graph())
                .put("branch", config.branch())
                .put("commit_id", from.id())
                .put("log_offset", from.logOffset())
                .put("actor", from.actor())
                .put("kind", from.kind());
        if (shape != null) {
            source.put("entity", shape.edge ? "edge" : "node").put("type", shape.name);
        }
        return source;
    }
}
