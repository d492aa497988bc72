package service.core.json;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import service.core.event.Image;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** Writes an entity as rows hold it. Any thread. */
public final class EntityJson {
    private EntityJson() {}

    /** Writes {@code @id}, {@code @type}, an edge's ends, and the properties except Blob and Vector. */
    public static void write(JsonWriter json, EntityType type, String id, Image image) {
        json.beginObject();
        json.field("@id").string(id);
        json.field("@type").string(type.name());
        if (type instanceof EntityType.EdgeType edge && image.from() != null && image.to() != null) {
            json.field("@src").string(image.from());
            json.field("@dst").string(image.to());
            endType(json, "@src_type", edge.source(), image.fromType());
            endType(json, "@dst_type", edge.destination(), image.toType());
        }
        PropertyRow row = image.properties();
        DirectBuffer bytes = new UnsafeBuffer(row.bytes());
        for (Property property : type.properties()) {
            if (isShown(property.type())) {
                json.field(property.name());
                int place = row.placeOf(property.identity());
                if (place < 0) {
                    json.nullValue();
                } else {
                    StoredJson.value(json, bytes, row.startAt(place), row.lengthAt(place), property.type());
                }
            }
        }
        json.endObject();
    }

    /** The type of an end at which several types may stand. */
    private static void endType(JsonWriter json, String name, EdgeEnd end, int storedType) {
        if (end.wide()) {
            json.field(name).string(end.name(end.type(storedType)));
        }
    }

    /** Whether rows show properties of the type. */
    public static boolean isShown(PropertyType type) {
        return switch (type) {
            case PropertyType.VectorOf ignored -> false;
            case PropertyType.Scalar scalar -> scalar.scalar() != ScalarType.BLOB;
            case PropertyType.ListOf list -> list.item() != ScalarType.BLOB;
            case PropertyType.EnumOf ignored -> true;
            case PropertyType.AnyInteger ignored -> true;
        };
    }
}
