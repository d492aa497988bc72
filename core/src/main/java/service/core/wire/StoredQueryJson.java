package service.core.wire;

import java.util.List;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Plan;
import service.core.graph.request.StoredQuery;
import service.core.json.JsonWriter;
import service.core.schema.Annotation;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** Stored queries, and the parameters of queries, as JSON. Any thread. */
public final class StoredQueryJson {
    private StoredQueryJson() {}

    /** {@code GET /queries}. */
    public static void write(JsonWriter json, List<StoredQuery> queries) {
        json.beginObject().field("queries").beginArray();
        queries.forEach(query -> query(json, query));
        json.endArray().endObject();
    }

    private static void query(JsonWriter json, StoredQuery query) {
        Plan plan = query.plan();
        json.beginObject().field("name").string(query.name());
        for (String name : List.of("description", "instruction")) {
            String text = Annotation.argumentOf(plan.annotations(), name);
            if (text != null) {
                json.field(name).string(text);
            }
        }
        json.field("mutation").value(plan instanceof Plan.Mutation);
        json.field("params").beginArray();
        plan.parameters().forEach(parameter -> parameter(json, parameter));
        json.endArray().field("params_schema");
        ParameterSchema.write(json, plan);
        ColumnJson.columns(json, query);
        // Alone: its file may hold queries that the caller may not know.
        json.field("source")
                .string(GqCompiler.textOf(query.source(), query.name()))
                .endObject();
    }

    /** A parameter of any query, as the list describes it. */
    static void parameter(JsonWriter json, Parameter parameter) {
        PropertyType type = parameter.type();
        json.beginObject().field("name").string(parameter.name());
        if (parameter.isRecords()) {
            json.field("kind").string(kind(type));
            json.field("item_kind").string("record");
            json.field("fields").beginArray();
            parameter.fields().forEach(field -> parameter(json, field));
            json.endArray();
            json.field("nullable").value(parameter.nullable()).endObject();
            return;
        }
        type(json, type);
        json.field("nullable").value(parameter.nullable());
        if (parameter.defaultValue() != null) {
            json.field("default").value(parameter.defaultValue(), type);
        }
        json.endObject();
    }

    /** The fields {@code kind}, {@code item_kind}, {@code vector_dim} and {@code values} of a type. */
    static void type(JsonWriter json, PropertyType type) {
        json.field("kind").string(kind(type));
        if (type instanceof PropertyType.ListOf list) {
            json.field("item_kind").string(kind(list.item()));
        }
        if (type instanceof PropertyType.VectorOf vector) {
            json.field("vector_dim").value(vector.dimensions());
        }
        if (type instanceof PropertyType.EnumOf named) {
            json.field("values").beginArray();
            named.values().forEach(json::string);
            json.endArray();
        }
    }

    static String kind(PropertyType type) {
        return switch (type) {
            case PropertyType.Scalar scalar -> kind(scalar.scalar());
            case PropertyType.EnumOf ignored -> "string";
            case PropertyType.ListOf ignored -> "list";
            case PropertyType.VectorOf ignored -> "vector";
            case PropertyType.AnyInteger ignored -> "bigint";
        };
    }

    private static String kind(ScalarType type) {
        return switch (type) {
            case STRING -> "string";
            case BOOL -> "bool";
            case I32, U32 -> "int";
            case I64, U64 -> "bigint";
            case F32, F64 -> "float";
            case DATE -> "date";
            case DATETIME -> "datetime";
            case BLOB -> "blob";
        };
    }
}
