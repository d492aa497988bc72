package service.core.wire;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeReader;
import service.core.event.CommitReader;
import service.core.event.SchemaChange;
import service.core.json.JsonWriter;
import service.core.json.StoredJson;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;

/**
 * Writes the causes, schema changes and changes of {@code docs/change-data-capture.md} as JSON.
 *
 * <p>A change goes from the event's bytes to UTF-8 without objects: the constant parts are prepared once per type, and
 * texts are copied as bytes. Properties are in the order of the schema; those that it no longer has and those without a
 * value are left out.
 *
 * <p>One thread.
 */
public final class ChangeWriter {
    private static final byte[] CAUSE = JsonWriter.part("{\"cause\":");
    private static final byte[] SCHEMA = JsonWriter.part("\"schema_change\":");
    private static final byte[] CHANGES = JsonWriter.part("\"changes\":[");
    private static final byte[] NO_SCHEMA_BUT_CHANGES = JsonWriter.part("\"schema_change\":null,\"changes\":[");
    private static final byte[] INSERTED = JsonWriter.part("\"op\":\"insert\",\"after\":{\"properties\":{");
    private static final byte[] UPDATED = JsonWriter.part("\"op\":\"update\",\"before\":{\"properties\":{");
    private static final byte[] DELETED = JsonWriter.part("\"op\":\"delete\",\"before\":{\"properties\":{");
    private static final byte[] AFTER = JsonWriter.part("\"after\":{\"properties\":{");
    private static final byte[] FROM = JsonWriter.part("\"endpoints\":{\"from\":");
    private static final byte[] TO = JsonWriter.part("\"to\":");

    private final JsonWriter json;
    private final CauseWriter causes;
    private final Map<Integer, Shape> shapes = new HashMap<>();
    private @Nullable Catalog catalog;
    private int lastType;
    private @Nullable Shape lastShape;

    /** The parts that all changes of a type share. */
    private record Shape(
            byte[] lead,
            int[] identities,
            byte[][] names,
            PropertyType[] propertyTypes,
            @Nullable EdgeEnd from,
            @Nullable EdgeEnd to) {
        static Shape of(EntityType type) {
            List<Property> properties = type.properties();
            byte[][] names = new byte[properties.size()][];
            int[] identities = new int[names.length];
            PropertyType[] types = new PropertyType[names.length];
            for (int i = 0; i < names.length; i++) {
                Property property = properties.get(i);
                names[i] = JsonWriter.bytes(json -> json.field(property.name()));
                identities[i] = property.identity();
                types[i] = property.type();
            }
            String lead = "{\"kind\":\"%s\",\"type\":{\"id\":\"%d\",\"name\":\"%s\"},\"id\":"
                    .formatted(type.kind().wireName(), type.identity(), type.name());
            EntityType.EdgeType edge = type instanceof EntityType.EdgeType is ? is : null;
            return new Shape(
                    JsonWriter.part(lead),
                    identities,
                    names,
                    types,
                    edge == null ? null : edge.source(),
                    edge == null ? null : edge.destination());
        }
    }

    /**
     * @param showsBranch whether the reader of the blocks may read a branch; the name of any other is written as null
     */
    public ChangeWriter(JsonWriter json, Predicate<String> showsBranch) {
        this.json = json;
        this.causes = new CauseWriter(showsBranch);
    }

    /**
     * Writes the beginning of a block, up to its first change.
     *
     * @param brought the schema that the commit brought, unless an earlier page has shown it
     */
    public void begin(CommitReader commit, @Nullable Catalog brought) {
        json.lead(CAUSE);
        causes.write(commit, json);
        SchemaChange change = brought == null ? null : commit.schema();
        if (brought == null || change == null) {
            json.lead(NO_SCHEMA_BUT_CHANGES);
        } else {
            json.lead(SCHEMA);
            SchemaChangeJson.write(json, change, brought);
            json.lead(CHANGES);
        }
    }

    /** Asks again whether the branch of the next commit is shown. */
    void forgetBranch() {
        causes.forgetBranch();
    }

    /**
     * Writes the reader's current change, as {@link ChangeJson#change} does.
     *
     * @param at the schema that names types and properties
     */
    public void change(Catalog at, ChangeReader change) {
        Shape shape = shape(at, change.type());
        DirectBuffer buffer = change.buffer();
        json.lead(shape.lead);
        json.utf8(buffer, change.idPosition(), change.idLength());
        byte[] lead = !change.hasBefore() ? INSERTED : change.hasAfter() ? UPDATED : DELETED;
        boolean isEdge = change.kind() == EntityKind.EDGE;
        if (change.hasBefore()) {
            properties(shape, lead, buffer, change.beforePosition());
            if (isEdge) {
                json.lead(FROM);
                beginEnd(shape.from, change.beforeFromType());
                json.utf8(buffer, change.beforeFromPosition(), change.beforeFromLength());
                endEnd(shape.from, TO);
                beginEnd(shape.to, change.beforeToType());
                json.utf8(buffer, change.beforeToPosition(), change.beforeToLength());
                endEnd(shape.to, null);
            }
            json.endObject();
            lead = AFTER;
        }
        if (change.hasAfter()) {
            properties(shape, lead, buffer, change.afterPosition());
            if (isEdge) {
                json.lead(FROM);
                beginEnd(shape.from, change.afterFromType());
                json.utf8(buffer, change.afterFromPosition(), change.afterFromLength());
                endEnd(shape.from, TO);
                beginEnd(shape.to, change.afterToType());
                json.utf8(buffer, change.afterToPosition(), change.afterToLength());
                endEnd(shape.to, null);
            }
            json.endObject();
        }
        json.endObject();
    }

    /** Begins the object of an end that is written with its type. */
    private void beginEnd(@Nullable EdgeEnd end, int storedType) {
        if (end != null && end.wide()) {
            json.beginObject();
            json.field("type").string(end.name(end.type(storedType)));
            json.field("id");
        }
    }

    /** @param next the name of the other end; null after the last one */
    private void endEnd(@Nullable EdgeEnd end, byte @Nullable [] next) {
        if (end != null && end.wide()) {
            json.endObject();
        }
        if (next == null) {
            json.endObject();
        } else {
            json.lead(next);
        }
    }

    private void properties(Shape shape, byte[] lead, DirectBuffer buffer, int rowAt) {
        json.lead(lead);
        int count = PropertyRow.count(buffer, rowAt);
        int values = PropertyRow.values(rowAt, count);
        int place = 0;
        int start = values;
        for (int i = 0; i < shape.identities.length; i++) {
            int identity = shape.identities[i];
            if (place >= count || PropertyRow.identity(buffer, rowAt, place) != identity) {
                int found = PropertyRow.placeOf(buffer, rowAt, identity);
                if (found < 0) {
                    continue;
                }
                place = found;
                start = place == 0 ? values : values + PropertyRow.end(buffer, rowAt, place - 1);
            }
            int end = values + PropertyRow.end(buffer, rowAt, place);
            json.lead(shape.names[i]);
            StoredJson.value(json, buffer, start, end - start, shape.propertyTypes[i]);
            place++;
            start = end;
        }
        json.endObject();
    }

    private Shape shape(Catalog at, int type) {
        Shape last = lastShape;
        if (last != null && catalog == at && type == lastType) {
            return last;
        }
        if (catalog != at) {
            catalog = at;
            shapes.clear();
        }
        lastType = type;
        lastShape = shapes.computeIfAbsent(type, identity -> Shape.of(at.requireType(identity)));
        return lastShape;
    }
}
