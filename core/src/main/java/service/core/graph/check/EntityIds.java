package service.core.graph.check;

import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.Image;
import service.core.schema.Constraint;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.KeyText;
import service.core.value.PropertyRow;
import service.core.value.Value;

/** Derives the ids of entities whose type has a key. */
public final class EntityIds {
    /** A node with the number of its type, in the key of an edge. */
    private static final Pattern TYPED = Pattern.compile("(?<=[\\[,])\\[\"\\d+\",(\"(?:[^\"\\\\]|\\\\.)*+\")\\]");

    private EntityIds() {}

    /** Whether the image gives this id; fast for a key of one text. */
    public static boolean gives(EntityType type, Image image, String id) {
        if (type.key().size() == 1) {
            PropertyRow row = image.properties();
            int place = row.placeOf(type.key().getFirst());
            if (place >= 0 && row.isTextAt(place, id)) {
                return true;
            }
        }
        return derive(type, image).equals(id);
    }

    /** The id that the image of an entity gives; BAD_REQUEST with the member that has no value. */
    public static String derive(EntityType type, Image image) {
        PropertyRow row = image.properties();
        if (type.key().size() == 1) {
            int place = row.placeOf(type.key().getFirst());
            if (place >= 0 && row.tagAt(place) == PropertyRow.TAG_TEXT) {
                return row.textAt(place);
            }
        }
        return switch (type) {
            case EntityType.NodeType node -> ofNode(node, row);
            case EntityType.EdgeType edge -> ofEdge(edge, image);
        };
    }

    private static String ofNode(EntityType.NodeType node, PropertyRow row) {
        if (node.key().size() == 1) {
            return property(node, node.key().getFirst(), row);
        }
        StringBuilder text = new StringBuilder("[");
        for (int member : node.key()) {
            KeyText.quote(next(text), property(node, member, row));
        }
        return text.append(']').toString();
    }

    private static String ofEdge(EntityType.EdgeType edge, Image image) {
        StringBuilder text = new StringBuilder("[");
        for (int member : edge.key()) {
            next(text);
            switch (member) {
                case Constraint.SRC -> end(text, edge.source(), image.fromType(), image.from());
                case Constraint.DST -> end(text, edge.destination(), image.toType(), image.to());
                default -> KeyText.quote(text, property(edge, member, image.properties()));
            }
        }
        return text.append(']').toString();
    }

    private static StringBuilder next(StringBuilder text) {
        return text.length() == 1 ? text : text.append(',');
    }

    /** The id of a node; with the number of its type where that is not the first one of the end. */
    private static void end(StringBuilder text, EdgeEnd end, int stored, @Nullable String id) {
        String node = Objects.requireNonNull(id);
        if (stored == EdgeEnd.FIRST) {
            KeyText.quote(text, node);
            return;
        }
        KeyText.quote(text.append('['), Integer.toString(end.type(stored)));
        KeyText.quote(text.append(','), node);
        text.append(']');
    }

    /** Whether two ids of edges differ by the numbers of types alone, which another graph gives otherwise. */
    public static boolean isAlike(EntityType.EdgeType edge, String one, String two) {
        return !edge.hasOneLane()
                && TYPED.matcher(one).replaceAll("$1").equals(TYPED.matcher(two).replaceAll("$1"));
    }

    private static String property(EntityType type, int member, PropertyRow row) {
        Property property = type.property(member);
        Value value = row.get(member);
        if (property == null) {
            throw new IllegalStateException("a key member of " + type.name() + " is no property");
        }
        if (value == null) {
            throw new ServiceException(
                    ErrorCode.BAD_REQUEST,
                    "a " + type.name() + " needs a value for its key property `" + property.name() + "`",
                    ConstraintChecks.valueViolation(type, null));
        }
        return KeyText.of(property.type(), value);
    }
}
