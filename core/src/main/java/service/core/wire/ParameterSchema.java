package service.core.wire;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Plan;
import service.core.gq.plan.PlanSearches;
import service.core.gq.plan.SearchFunction;
import service.core.json.JsonWriter;
import service.core.schema.VectorMetric;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/**
 * Writes the declared parameters of a query as a JSON Schema of the object that the query takes. What is searched for
 * says in which property. Any thread.
 */
public final class ParameterSchema {
    /** What an I64 or U64 may be besides an integer, because many clients have no integers of 64 bits. */
    private static final String DIGITS = "^-?[0-9]{1,20}$";

    private static final long U32_MAX = 0xFFFF_FFFFL;

    private ParameterSchema() {}

    /** Writes the schema as one JSON object. */
    public static void write(JsonWriter json, Plan plan) {
        json.beginObject();
        object(json, plan.parameters(), sought(plan));
        json.endObject();
    }

    /** What searches do with parameters, by their names. */
    private static Map<String, SequencedSet<String>> sought(Plan plan) {
        Map<String, SequencedSet<String>> sought = new HashMap<>();
        for (Expression.Search search : PlanSearches.of(plan)) {
            if (search.subject() instanceof Expression.PropertyOf property) {
                note(search.arguments().getFirst(), use(search, property.name()), sought);
            }
            if (search.function() == SearchFunction.FUZZY && search.arguments().size() > 1) {
                note(search.arguments().get(1), "edits that a term may be away, 0 to 2", sought);
            }
        }
        for (Plan.Fusion fusion : PlanSearches.fusions(plan)) {
            note(fusion.k(), "what `rrf` adds to each position, 1 to 10000", sought);
        }
        for (Plan.Embedding embedding :
                plan instanceof Plan.Read read ? read.embeddings() : List.<Plan.Embedding>of()) {
            String maker = embedding.model() == null ? "" : " by the model `" + embedding.model() + "`";
            note(embedding.text(), "a text, of which a vector is made" + maker, sought);
        }
        return sought;
    }

    private static String use(Expression.Search search, String property) {
        VectorMetric metric = search.by().metric();
        return metric != null
                ? "a vector, compared with `" + property + "` by " + metric.text()
                : "words, searched for in `" + property + "`";
    }

    private static void note(Expression argument, String use, Map<String, SequencedSet<String>> into) {
        if (argument instanceof Expression.Argument given) {
            into.computeIfAbsent(given.name(), name -> new LinkedHashSet<>()).add(use);
        }
    }

    /** An object with the parameters as fields. */
    private static void object(JsonWriter json, List<Parameter> parameters, Map<String, SequencedSet<String>> sought) {
        json.field("type").string("object").field("properties").beginObject();
        for (Parameter parameter : parameters) {
            json.field(parameter.name()).beginObject();
            if (parameter.isRecords()) {
                names(json, parameter.nullable(), "array");
                json.field("items").beginObject();
                object(json, parameter.fields(), Map.of());
                json.endObject();
            } else {
                type(json, parameter.type(), parameter.nullable());
            }
            if (sought.containsKey(parameter.name())) {
                json.field("description").string(String.join("; ", sought.get(parameter.name())));
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
