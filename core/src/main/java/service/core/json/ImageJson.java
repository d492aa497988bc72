package service.core.json;

import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyRow;

/** Writes one state of an entity as JSON ({@code docs/change-data-capture.md}). Any thread. */
public final class ImageJson {
    private ImageJson() {}

    /**
     * Writes a field {@code {properties, endpoints?}}, or nothing when the image is null. Properties are in the order
     * of the schema; those without a value are left out.
     */
    public static void field(JsonWriter json, String name, @Nullable Image image, EntityType type) {
        field(json, name, image, type, Property::name);
    }

    /** The same with other names of the properties. */
    public static void field(
            JsonWriter json, String name, @Nullable Image image, EntityType type, Function<Property, String> names) {
        if (image == null) {
            return;
        }
        json.field(name).beginObject();
        json.field("properties").beginObject();
        PropertyRow row = image.properties();
        DirectBuffer bytes = new UnsafeBuffer(row.bytes());
        for (Property property : type.properties()) {
            int place = row.placeOf(property.identity());
            if (place >= 0) {
                json.field(names.apply(property));
                StoredJson.value(json, bytes, row.startAt(place), row.lengthAt(place), property.type());
            }
        }
        json.endObject();
        if (image.from() != null && image.to() != null) {
            EntityType.EdgeType edge = (EntityType.EdgeType) type;
            json.field("endpoints").beginObject();
            end(json.field("from"), edge.source(), image.fromType(), image.from());
            end(json.field("to"), edge.destination(), image.toType(), image.to());
            json.endObject();
        }
        json.endObject();
    }

    /**
     * Writes an end of an edge: its id or, where several types may stand there, {@code {"type", "id"}}.
     *
     * @param storedType as an image names the type of the node
     */
    public static void end(JsonWriter json, EdgeEnd end, int storedType, String id) {
        if (end.wide()) {
            json.beginObject();
            json.field("type").string(end.name(end.type(storedType)));
            json.field("id").string(id);
            json.endObject();
        } else {
            json.string(id);
        }
    }
}
