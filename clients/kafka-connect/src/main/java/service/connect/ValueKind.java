package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HexFormat;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.ConnectException;

/** A scalar type of the schema language, and what its values are in Connect. Any thread. */
enum ValueKind {
    /** Also an enum. */
    STRING {
        @Override
        SchemaBuilder schema() {
            return SchemaBuilder.string();
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return json.asText();
        }
    },
    BOOL {
        @Override
        SchemaBuilder schema() {
            return SchemaBuilder.bool();
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return json.booleanValue();
        }
    },
    I32 {
        @Override
        SchemaBuilder schema() {
            return SchemaBuilder.int32();
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return json.intValue();
        }
    },
    /** Also U32. */
    I64 {
        @Override
        SchemaBuilder schema() {
            return SchemaBuilder.int64();
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return json.longValue();
        }
    },
    /** A decimal without fraction: no integer of Connect has all of its values. */
    U64 {
        @Override
        SchemaBuilder schema() {
            return Decimal.builder(0);
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return new BigDecimal(json.bigIntegerValue());
        }
    },
    F32 {
        @Override
        SchemaBuilder schema() {
            return SchemaBuilder.float32();
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return (float) json.doubleValue();
        }
    },
    F64 {
        @Override
        SchemaBuilder schema() {
            return SchemaBuilder.float64();
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return json.doubleValue();
        }
    },
    DATE {
        @Override
        SchemaBuilder schema() {
            return Date.builder();
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return java.util.Date.from(
                    LocalDate.parse(json.asText()).atStartOfDay(ZoneOffset.UTC).toInstant());
        }
    },
    DATETIME {
        @Override
        SchemaBuilder schema() {
            return Timestamp.builder();
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            return java.util.Date.from(Instant.parse(json.asText()));
        }
    },
    /** Size and digest, or the address of an external one. */
    BLOB {
        @Override
        SchemaBuilder schema() {
            return SchemaBuilder.struct()
                    .name("service.connect.Blob")
                    .version(1)
                    .field("size", Schema.OPTIONAL_INT64_SCHEMA)
                    .field("sha256", Schema.OPTIONAL_STRING_SCHEMA)
                    .field("uri", Schema.OPTIONAL_STRING_SCHEMA);
        }

        @Override
        Object value(JsonNode json, Schema schema) {
            Struct blob = new Struct(schema);
            return json.isTextual() ? record(blob, json.textValue()) : image(blob, json.path("blob"));
        }
    };

    private static final String INLINE = "base64:";

    /** A new builder of its schema, not optional. */
    abstract SchemaBuilder schema();

    /**
     * A value.
     *
     * @param json as images of the feed have it, or lines of a baseline
     * @param schema what was built of {@link #schema()}
     */
    abstract Object value(JsonNode json, Schema schema);

    /** The type of a scalar by its name in the schema language. */
    static ValueKind named(String type) {
        return switch (type) {
            case "String" -> STRING;
            case "Bool" -> BOOL;
            case "I32" -> I32;
            case "I64", "U32" -> I64;
            case "U64" -> U64;
            case "F32" -> F32;
            case "F64" -> F64;
            case "Date" -> DATE;
            case "DateTime" -> DATETIME;
            case "Blob" -> BLOB;
            default -> {
                if (type.startsWith("enum(")) {
                    yield STRING;
                }
                throw new ConnectException("the server has a type `" + type
                        + "` that this connector does not know: install the connector of the server's version");
            }
        };
    }

    /** A blob of a baseline. */
    private static Struct record(Struct blob, String text) {
        if (!text.startsWith(INLINE)) {
            return blob.put("uri", text);
        }
        byte[] bytes = Base64.getDecoder().decode(text.substring(INLINE.length()));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return blob.put("size", (long) bytes.length)
                    .put("sha256", HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** A blob of the feed. */
    private static Struct image(Struct blob, JsonNode shown) {
        if (shown.has("uri")) {
            return blob.put("uri", shown.path("uri").asText());
        }
        return blob.put("size", shown.path("size").longValue())
                .put("sha256", shown.path("etag").asText().replace("\"", ""));
    }
}
