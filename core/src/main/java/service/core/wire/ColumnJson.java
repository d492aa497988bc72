package service.core.wire;

import org.jspecify.annotations.Nullable;
import service.core.gq.lint.QueryFootprint;
import service.core.gq.plan.Plan;
import service.core.graph.request.StoredQuery;
import service.core.json.JsonWriter;
import service.core.schema.Catalog;
import service.core.value.PropertyType;
import service.core.value.ValueType;

/** What stored queries answer, as JSON. Any thread. */
public final class ColumnJson {
    private ColumnJson() {}

    /**
     * Writes what the rows of a query hold: {@code columns: [{name, type, kind, …}]}, in their order; the type as the
     * schema language writes it, and the kind as a parameter has it. Nothing for a mutation that returns nothing.
     */
    public static void columns(JsonWriter json, StoredQuery query) {
        Plan.Read rows = switch (query.plan()) {
            case Plan.Read read -> read;
            case Plan.Mutation mutation -> mutation.answer();
        };
        if (rows == null) {
            return;
        }
        json.field("columns").beginArray();
        for (Plan.Output output : rows.result().outputs()) {
            ValueType type = output.expression().type();
            json.beginObject().field("name").string(output.column());
            json.field("type").string(QueryFootprint.typeOf(type, query.catalog()));
            type(json, "kind", type, query.catalog());
            json.endObject();
        }
        json.endArray();
    }

    /** Writes the kind of a value, with the types of an entity, the fields of a record, and the items of a list. */
    private static void type(JsonWriter json, String member, @Nullable ValueType type, Catalog catalog) {
        ValueType item = ValueType.itemOf(type);
        if (item != null) {
            json.field(member).string("list");
            type(json, "item_kind", item, catalog);
            return;
        }
        json.field(member).string(kind(type));
        switch (type) {
            case ValueType.Entity entity -> {
                json.field("types").beginArray();
                entity.types()
                        .forEach(each -> json.string(catalog.requireType(each).name()));
                json.endArray();
            }
            case ValueType.Struct struct -> {
                json.field("fields").beginArray();
                for (ValueType.Field field : struct.fields()) {
                    json.beginObject().field("name").string(field.name());
                    type(json, "kind", field.type(), catalog);
                    json.endObject();
                }
                json.endArray();
            }
            case PropertyType.VectorOf vector -> json.field("vector_dim").value(vector.dimensions());
            case PropertyType.EnumOf named -> {
                json.field("values").beginArray();
                named.values().forEach(json::string);
                json.endArray();
            }
            case null, default -> {}
        }
    }

    private static String kind(@Nullable ValueType type) {
        return switch (type) {
            case null -> "null";
            case PropertyType stored -> StoredQueryJson.kind(stored);
            case ValueType.Entity entity -> entity.kind().wireName();
            case ValueType.Struct ignored -> "record";
            case ValueType.Path ignored -> "path";
            case ValueType.ListOf ignored -> "list";
        };
    }
}
