package service.core.graph.read;

import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.json.EntityJson;
import service.core.json.JsonWriter;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Writes the values of result rows as JSON: entities, paths, records and lists of them as a whole. */
public final class ResultValues {
    private final JsonWriter writer;

    public ResultValues(JsonWriter writer) {
        this.writer = writer;
    }

    /**
     * Writes a cell.
     *
     * @param kept charged for an entity while it is read
     */
    public void cell(GraphView view, Column column, int row, @Nullable ValueType type, QueryExecutor.Kept kept) {
        if (column.isNull(row)) {
            writer.nullValue();
            return;
        }
        PropertyType stored = type instanceof PropertyType of ? of : null;
        switch (column) {
            case TextColumn text -> writer.utf8(text.bytes, text.starts[row], text.lengths[row]);
            case BoolColumn bool -> writer.value(bool.values[row]);
            case DoubleColumn real -> writer.real(real.values[row], stored);
            case LongColumn number -> {
                long value = number.values[row];
                switch (number.kind) {
                    case INT -> writer.integer(value, stored);
                    case UINT -> writer.integer(value, PropertyType.U64);
                    case DATE -> writer.date((int) value);
                    case DATETIME -> writer.dateTime(value);
                }
            }
            case ValueColumn values -> value(view, values.values[row], type, kept);
            case EntityColumn entities -> entity(view, entities.types[row], entities.ordinals[row], kept);
        }
    }

    /** Writes one value; an entity is that of the view. */
    public void value(GraphView view, Value value, @Nullable ValueType type, QueryExecutor.Kept kept) {
        switch (value) {
            case Value.Entity(int of, int ordinal) -> entity(view, of, ordinal, kept);
            case Value.Struct record -> record(view, record, type, kept);
            case Value.Path path -> path(view, path, kept);
            case Value.ListOf list when type instanceof ValueType.ListOf of -> list(view, list, of.item(), kept);
            default -> writer.value(value, type instanceof PropertyType stored ? stored : null);
        }
    }

    private void list(GraphView view, Value.ListOf list, ValueType item, QueryExecutor.Kept kept) {
        writer.beginArray();
        for (Value each : list.items()) {
            value(view, each, item, kept);
        }
        writer.endArray();
    }

    private void record(GraphView view, Value.Struct record, @Nullable ValueType type, QueryExecutor.Kept kept) {
        ValueType.Struct known = type instanceof ValueType.Struct of ? of : null;
        writer.beginObject();
        for (int i = 0; i < record.names().size(); i++) {
            String name = record.names().get(i);
            ValueType.Field field = known == null ? null : known.field(name);
            writer.field(name);
            value(view, record.values().get(i), field == null ? null : field.type(), kept);
        }
        writer.endObject();
    }

    private void path(GraphView view, Value.Path path, QueryExecutor.Kept kept) {
        writer.beginObject();
        writer.field("length").value(path.edges().items().size());
        Double cost = path.cost();
        if (cost != null) {
            writer.field("cost").real(cost, PropertyType.F64);
        }
        writer.field("nodes").beginArray();
        path.nodes().items().forEach(node -> value(view, node, null, kept));
        writer.endArray().field("edges").beginArray();
        path.edges().items().forEach(edge -> value(view, edge, null, kept));
        writer.endArray().endObject();
    }

    private void entity(GraphView view, int type, int ordinal, QueryExecutor.Kept kept) {
        long bytes = view.imageBytes(type, ordinal);
        kept.bytes(bytes);
        entity(view, type, ordinal);
        kept.release(bytes);
    }

    private void entity(GraphView view, int type, int ordinal) {
        EntityJson.write(writer, view.catalog().requireType(type), view.id(type, ordinal), view.image(type, ordinal));
    }
}
