package service.core.wire;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.event.Image;
import service.core.json.JsonWriter;
import service.core.json.StoredJson;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Writes the values of result rows as JSON: entities, paths, records and lists of them as a whole. */
final class ResultValues {
    private final JsonWriter writer;

    ResultValues(JsonWriter writer) {
        this.writer = writer;
    }

    /** @param kept charged for an entity while it is read */
    void cell(GraphView view, Column column, int row, @Nullable ValueType type, QueryExecutor.Kept kept) {
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

    private void value(GraphView view, Value value, @Nullable ValueType type, QueryExecutor.Kept kept) {
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

    /** Writes a whole entity: {@code @id}, {@code @type}, an edge's ends, and the properties except Blob and Vector. */
    private void entity(GraphView view, int typeIdentity, int ordinal) {
        EntityType type = view.catalog().requireType(typeIdentity);
        Image image = view.image(typeIdentity, ordinal);
        writer.beginObject();
        writer.field("@id").string(view.id(typeIdentity, ordinal));
        writer.field("@type").string(type.name());
        if (type instanceof EntityType.EdgeType edge && image.from() != null && image.to() != null) {
            writer.field("@src").string(image.from());
            writer.field("@dst").string(image.to());
            endType("@src_type", edge.source(), image.fromType());
            endType("@dst_type", edge.destination(), image.toType());
        }
        PropertyRow row = image.properties();
        DirectBuffer bytes = new UnsafeBuffer(row.bytes());
        for (Property property : type.properties()) {
            if (isShown(property.type())) {
                writer.field(property.name());
                int place = row.placeOf(property.identity());
                if (place < 0) {
                    writer.nullValue();
                } else {
                    StoredJson.value(writer, bytes, row.startAt(place), row.lengthAt(place), property.type());
                }
            }
        }
        writer.endObject();
    }

    /** The type of an end at which several types may stand. */
    private void endType(String name, EdgeEnd end, int storedType) {
        if (end.wide()) {
            writer.field(name).string(end.name(end.type(storedType)));
        }
    }

    private static boolean isShown(PropertyType type) {
        return switch (type) {
            case PropertyType.VectorOf ignored -> false;
            case PropertyType.Scalar scalar -> scalar.scalar() != ScalarType.BLOB;
            case PropertyType.ListOf list -> list.item() != ScalarType.BLOB;
            case PropertyType.EnumOf ignored -> true;
            case PropertyType.AnyInteger ignored -> true;
        };
    }
}
