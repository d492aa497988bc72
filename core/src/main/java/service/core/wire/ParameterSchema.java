package service.core.wire;

import java.util.List;
import service.core.gq.plan.Parameter;
import service.core.json.JsonWriter;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** Writes the declared parameters of a query as a JSON Schema of the object that the query takes. Any thread. */
public final class ParameterSchema {
    /** What an I64 or U64 may be besides an integer, because many clients have no integers of 64 bits. */
    private static final String DIGITS = "^-?[0-9]{1,20}$";

    private static final long U32_MAX = 0xFFFF_FFFFL;

    private ParameterSchema() {}

    /** Writes the schema as one JSON object. */
    public static void write(JsonWriter json, List<Parameter> parameters) {
        json.beginObject();
        object(json, parameters);
        json.endObject();
    }

    /** An object with the parameters as fields. */
    private static void object(JsonWriter json, List<Parameter> parameters) {
        json.field("type").string("object").field("properties").beginObject();
        for (Parameter parameter : parameters) {
            json.field(parameter.name()).beginObject();
            if (parameter.isRecords()) {
                names(json, parameter.nullable(), "array");
                json.field("items").beginObject();
                object(json, parameter.fields());
                json.endObject();
            } else {
                type(json, parameter.type(), parameter.nullable());
            }
            if (parameter.defaultValue() != null) {
                json.field("default").value(parameter.defaultValue(), parameter.type());
            }
            json.endObject();
        }
        json.endObject();
        json.field("required").beginArray();
        for (Parameter parameter : parameters) {
            if (!parameter.nullable() && parameter.defaultValue() == null) {
                json.string(parameter.name());
            }
        }
        json.endArray();
        json.field("additionalProperties").value(false);
    }

    private static void type(JsonWriter json, PropertyType type, boolean nullable) {
        switch (type) {
            case PropertyType.Scalar scalar -> scalar(json, scalar.scalar(), nullable);
            case PropertyType.EnumOf words -> {
                names(json, nullable, "string");
                json.field("enum").beginArray();
                words.values().forEach(json::string);
                if (nullable) {
                    json.nullValue();
                }
                json.endArray();
            }
            case PropertyType.ListOf list -> {
                names(json, nullable, "array");
                json.field("items").beginObject();
                scalar(json, list.item(), true);
                json.endObject();
            }
            case PropertyType.AnyInteger any -> throw any.undeclared();
            case PropertyType.VectorOf vector -> {
                names(json, nullable, "array");
                json.field("items").beginObject();
                names(json, false, "number");
                json.endObject();
                json.field("minItems").value(vector.dimensions());
                json.field("maxItems").value(vector.dimensions());
            }
        }
    }

    private static void scalar(JsonWriter json, ScalarType type, boolean nullable) {
        switch (type) {
            case STRING -> names(json, nullable, "string");
            case BOOL -> names(json, nullable, "boolean");
            case I32 -> integer(json, nullable, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case U32 -> integer(json, nullable, 0, U32_MAX);
            case I64, U64 -> {
                names(json, nullable, "integer", "string");
                json.field("pattern").string(DIGITS);
                json.field("description").string("an integer of 64 bits, or its decimal digits as a string");
            }
            case F32, F64 -> names(json, nullable, "number");
            case DATE -> formatted(json, nullable, "date", "such as 2024-01-31");
            case DATETIME -> formatted(json, nullable, "date-time", "such as 2024-01-31T12:34:56Z");
            case BLOB -> names(json, nullable, "string");
        }
    }

    private static void integer(JsonWriter json, boolean nullable, long min, long max) {
        names(json, nullable, "integer");
        json.field("minimum").value(min);
        json.field("maximum").value(max);
    }

    private static void formatted(JsonWriter json, boolean nullable, String format, String example) {
        names(json, nullable, "string");
        json.field("format").string(format);
        json.field("description").string(example);
    }

    /** Writes {@code type}: one name, or an array of them. */
    private static void names(JsonWriter json, boolean nullable, String... names) {
        json.field("type");
        if (names.length == 1 && !nullable) {
            json.string(names[0]);
            return;
        }
        json.beginArray();
        for (String name : names) {
            json.string(name);
        }
        if (nullable) {
            json.string("null");
        }
        json.endArray();
    }
}
