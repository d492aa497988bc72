package service.cli.copy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeType;

/** How the values of a property are kept. */
enum Storage {
    TEXT,
    BOOL,
    I32,
    I64,
    U64,
    F32,
    F64,
    DATE,
    DATETIME,

    /** Lists and vectors. */
    JSON,

    /** What the feed shows of a blob: size and digest, or a URI; as JSON. */
    BLOB;

    /** The storage of a property of a catalog. */
    static Storage of(JsonNode property) {
        return switch (property.path("type").asText()) {
            case "Bool" -> BOOL;
            case "I32" -> I32;
            case "I64", "U32" -> I64;
            case "U64" -> U64;
            case "F32" -> F32;
            case "F64" -> F64;
            case "Date" -> DATE;
            case "DateTime" -> DATETIME;
            case "Blob" -> BLOB;
            default -> property.path("kind").asText().equals("string") ? TEXT : JSON;
        };
    }

    /** A value as text; what is no JSON text is shown as JSON. */
    static String text(JsonNode value) {
        return value.getNodeType() == JsonNodeType.STRING ? value.textValue() : value.toString();
    }
}
