package service.core.arrow;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.json.JsonWriter;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyRow;
import service.core.value.Value;

/** Columns that have columns within. */
abstract sealed class ArrowNested extends ArrowColumn {
    /** Lists. */
    static final class Items extends ArrowNested {
        private final ArrowBytes ends = new ArrowBytes();
        private final ArrowColumn items;

        Items(ArrowColumn items) {
            this.items = items;
        }

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            ((Value.ListOf) value).items().forEach(item -> items.add(view, item, kept));
            putNull(kept);
        }

        @Override
        void putNull(QueryExecutor.Kept kept) {
            if (ends.used == 0) {
                ends.room(2 * Integer.BYTES, kept);
                ends.putInt(0);
            }
            ends.room(Integer.BYTES, kept);
            ends.putInt(items.rows());
        }

        @Override
        void takeValues(Parts into) {
            into.buffer(ends.take());
            items.take(into);
        }
    }

    /** Vectors of one length. */
    static final class Floats extends ArrowNested {
        private final ArrowColumn.Numbers items = new ArrowColumn.Numbers(ArrowType.Plain.F32);
        private final int dimensions;

        Floats(int dimensions) {
            this.dimensions = dimensions;
        }

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            for (float item : ((Value.Vector) value).items()) {
                items.add(view, new Value.Real(item), kept);
            }
        }

        @Override
        void putNull(QueryExecutor.Kept kept) {
            for (int i = 0; i < dimensions; i++) {
                items.addNull(kept);
            }
        }

        @Override
        void takeValues(Parts into) {
            items.take(into);
        }
    }

    /** Named values. */
    static sealed class Fields extends ArrowNested {
        final List<ArrowType.Field> fields;
        final List<ArrowColumn> columns = new ArrayList<>();

        Fields(List<ArrowType.Field> fields) {
            this.fields = fields;
            fields.forEach(field -> columns.add(of(field.type())));
        }

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            Value.Struct struct = (Value.Struct) value;
            for (int i = 0; i < columns.size(); i++) {
                int at = struct.names().indexOf(fields.get(i).name());
                columns.get(i).add(view, at < 0 ? Value.NULL : struct.values().get(at), kept);
            }
        }

        @Override
        final void putNull(QueryExecutor.Kept kept) {
            columns.forEach(column -> column.addNull(kept));
        }

        @Override
        final void takeValues(Parts into) {
            columns.forEach(column -> column.take(into));
        }
    }

    /** Walks. */
    static final class Paths extends Fields {
        Paths(List<ArrowType.Field> fields) {
            super(fields);
        }

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            Value.Path path = (Value.Path) value;
            for (int i = 0; i < columns.size(); i++) {
                Double cost = path.cost();
                Value part = switch (fields.get(i).name()) {
                    case "length" -> new Value.Int(path.edges().items().size());
                    case "nodes" -> path.nodes();
                    case "edges" -> path.edges();
                    default -> cost == null ? Value.NULL : new Value.Real(cost);
                };
                columns.get(i).add(view, part, kept);
            }
        }
    }

    /** Nodes or edges, with what JSON shows of them. */
    static final class Entities extends Fields {
        /** The properties of the columns by type; null where a column is none of it. */
        private final Map<Integer, @Nullable Property[]> properties = new HashMap<>();

        Entities(List<ArrowType.Field> fields) {
            super(fields);
        }

        @Override
        void put(GraphView view, Value value, QueryExecutor.Kept kept) {
            Value.Entity entity = (Value.Entity) value;
            long bytes = view.imageBytes(entity.type(), entity.ordinal());
            kept.bytes(bytes);
            EntityType type = view.catalog().requireType(entity.type());
            Image image = view.image(entity.type(), entity.ordinal());
            @Nullable Property[] of = properties.computeIfAbsent(entity.type(), ignored -> properties(type));
            for (int i = 0; i < columns.size(); i++) {
                Property property = of[i];
                if (property != null) {
                    property(view, columns.get(i), property, image.properties(), kept);
                } else {
                    String text = switch (fields.get(i).name()) {
                        case "@id" -> view.id(entity.type(), entity.ordinal());
                        case "@type" -> type.name();
                        case "@src" -> image.from();
                        case "@dst" -> image.to();
                        case "@src_type" -> end(type, true, image.fromType());
                        case "@dst_type" -> end(type, false, image.toType());
                        default -> null;
                    };
                    columns.get(i).add(view, text == null ? Value.NULL : new Value.Text(text), kept);
                }
            }
            kept.release(bytes);
        }

        private static void property(
                GraphView view, ArrowColumn column, Property property, PropertyRow row, QueryExecutor.Kept kept) {
            int place = row.placeOf(property.identity());
            Value value = place < 0 ? Value.NULL : row.valueAt(place);
            boolean declaredElsewhere = column instanceof ArrowColumn.Texts texts && texts.isJson();
            if (declaredElsewhere && !(value instanceof Value.Null)) {
                // By its own type a float of 32 bits is written with its digits.
                String json = new String(
                        JsonWriter.bytes(writer -> writer.value(value, property.type())), StandardCharsets.UTF_8);
                ((ArrowColumn.Texts) column).addJson(json, kept);
            } else {
                column.add(view, value, kept);
            }
        }

        private @Nullable Property[] properties(EntityType type) {
            @Nullable Property[] of = new Property[columns.size()];
            for (int i = 0; i < of.length; i++) {
                of[i] = type.property(fields.get(i).name());
            }
            return of;
        }

        private static @Nullable String end(EntityType type, boolean source, int storedType) {
            if (!(type instanceof EntityType.EdgeType edge)) {
                return null;
            }
            EdgeEnd end = source ? edge.source() : edge.destination();
            return end.wide() ? end.name(end.type(storedType)) : null;
        }
    }
}
