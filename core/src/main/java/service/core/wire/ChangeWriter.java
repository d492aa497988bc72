package service.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.SchemaChange;
import service.core.json.JsonWriter;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;

/**
 * Causes, schema changes and changes of {@code data.md} §8 as JSON.
 *
 * <p>A change goes from the event's bytes to UTF-8 without objects between: what surrounds the
 * values is prepared once a type, and texts are copied as the bytes that they are. Properties stand
 * in the order of the schema; those that it no longer has, and those without a value, are left out.
 *
 * <p>One thread.
 */
public final class ChangeWriter {
    private static final byte[] COMMIT = bytes("{\"graph_commit_id\":");
    private static final byte[] KIND = bytes("\"kind\":");
    private static final byte[] PARENT = bytes("\"parent_commit_id\":");
    private static final byte[] MERGED_PARENT = bytes("\"merged_parent_commit_id\":");
    private static final byte[] BRANCH = bytes("\"authored_branch\":");
    private static final byte[] ACTOR = bytes("\"actor_id\":");
    private static final byte[] TIME = bytes("\"authored_at\":");
    private static final byte[] INSERT = bytes("\"op\":\"insert\"");
    private static final byte[] UPDATE = bytes("\"op\":\"update\"");
    private static final byte[] DELETE = bytes("\"op\":\"delete\"");
    private static final byte[] BEFORE = bytes("\"before\":{\"properties\":{");
    private static final byte[] AFTER = bytes("\"after\":{\"properties\":{");
    private static final byte[] FROM = bytes("\"endpoints\":{\"from\":");
    private static final byte[] TO = bytes("\"to\":");

    private final JsonWriter json;
    private final Map<Integer, Shape> shapes = new HashMap<>();
    private @Nullable Catalog catalog;
    private byte[] scratch = new byte[256];

    /** What is the same in every change of a type. */
    private record Shape(
            byte[] lead, int[] identities, byte[][] names, PropertyType[] propertyTypes) {
        static Shape of(EntityType type) {
            List<Property> properties = type.properties();
            byte[][] names = new byte[properties.size()][];
            int[] identities = new int[names.length];
            PropertyType[] types = new PropertyType[names.length];
            for (int i = 0; i < names.length; i++) {
                Property property = properties.get(i);
                names[i] = JsonWriter.quoted(property.name());
                identities[i] = property.identity();
                types[i] = property.type();
            }
            String lead =
                    "{\"kind\":\"%s\",\"type\":{\"id\":\"%d\",\"name\":\"%s\"},\"id\":"
                            .formatted(type.kind().wireName(), type.identity(), type.name());
            return new Shape(bytes(lead), identities, names, types);
        }
    }

    public ChangeWriter(JsonWriter json) {
        this.json = json;
    }

    /** The object {@code cause}. */
    public void cause(CommitHeader commit) {
        json.lead(COMMIT).ulid(commit.id());
        json.lead(KIND).string(commit.kind().wireName());
        json.lead(PARENT).ulid(commit.parent());
        json.lead(MERGED_PARENT).ulid(commit.mergedParent());
        json.lead(BRANCH).string(commit.branch());
        json.lead(ACTOR).string(commit.actor());
        json.lead(TIME).micros(commit.timeMicros());
        json.endObject();
    }

    /** The object {@code schema_change}, or null. */
    public void schemaChange(@Nullable SchemaChange change) {
        if (change == null) {
            json.nullValue();
            return;
        }
        json.beginObject().field("schema_digest").string(change.digest());
        json.field("steps").beginArray();
        for (String step : change.steps()) {
            json.json(step.getBytes(StandardCharsets.UTF_8));
        }
        json.endArray().endObject();
    }

    /**
     * The change that the reader has moved to, as {@link ChangeJson#change} writes it.
     *
     * @param at the schema whose names it is told in
     */
    public void change(Catalog at, ChangeReader change) {
        Shape shape = shape(at, change.type());
        DirectBuffer buffer = change.buffer();
        json.lead(shape.lead);
        text(buffer, change.idPosition(), change.idLength());
        operation(change.hasBefore(), change.hasAfter());
        boolean isEdge = change.kind() == EntityKind.EDGE;
        if (change.hasBefore()) {
            properties(shape, BEFORE, buffer, change.beforePosition());
            if (isEdge) {
                json.lead(FROM);
                text(buffer, change.beforeFromPosition(), change.beforeFromLength());
                json.lead(TO);
                text(buffer, change.beforeToPosition(), change.beforeToLength());
                json.endObject();
            }
            json.endObject();
        }
        if (change.hasAfter()) {
            properties(shape, AFTER, buffer, change.afterPosition());
            if (isEdge) {
                json.lead(FROM);
                text(buffer, change.afterFromPosition(), change.afterFromLength());
                json.lead(TO);
                text(buffer, change.afterToPosition(), change.afterToLength());
                json.endObject();
            }
            json.endObject();
        }
        json.endObject();
    }

    private void operation(boolean before, boolean after) {
        json.json(!before ? INSERT : after ? UPDATE : DELETE);
    }

    private void properties(Shape shape, byte[] lead, DirectBuffer buffer, int rowAt) {
        json.lead(lead);
        for (int i = 0; i < shape.identities.length; i++) {
            long found = PropertyRow.find(buffer, rowAt, shape.identities[i]);
            if (found >= 0) {
                json.field(shape.names[i]);
                value(buffer, (int) (found >>> 32), (int) found, shape.propertyTypes[i]);
            }
        }
        json.endObject();
    }

    private void value(DirectBuffer buffer, int at, int length, PropertyType type) {
        switch (buffer.getByte(at)) {
            case PropertyRow.TAG_TEXT -> text(buffer, at + 1, length - 1);
            case PropertyRow.TAG_INT -> json.value(buffer.getLong(at + 1));
            case PropertyRow.TAG_BOOL -> json.value(buffer.getByte(at + 1) != 0);
            default -> json.value(PropertyRow.getValue(buffer, at, length), type);
        }
    }

    private void text(DirectBuffer buffer, int at, int length) {
        if (scratch.length < length) {
            scratch = new byte[length + (length >> 1)];
        }
        buffer.getBytes(at, scratch, 0, length);
        json.utf8(scratch, 0, length);
    }

    private Shape shape(Catalog at, int type) {
        if (catalog != at) {
            catalog = at;
            shapes.clear();
        }
        return shapes.computeIfAbsent(type, identity -> Shape.of(at.requireType(identity)));
    }

    private static byte[] bytes(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }
}
