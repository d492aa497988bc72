package service.core.event;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyRow;

/**
 * One whole state of an entity.
 *
 * @param from id of the source node; null for a node
 * @param to id of the destination node; null for a node
 * @param fromType identity of the source's node type; 0 for the first type of that end of the edge type, and for a node
 * @param toType as {@code fromType}, of the destination
 */
public record Image(
        PropertyRow properties,
        @Nullable String from,
        @Nullable String to,
        int fromType,
        int toType) {
    public static Image ofNode(PropertyRow properties) {
        return new Image(properties, null, null, 0, 0);
    }

    /** An edge between nodes of the first types of its ends. */
    public static Image ofEdge(PropertyRow properties, String from, String to) {
        return new Image(properties, from, to, 0, 0);
    }

    /** The same ends with other properties. */
    public Image with(PropertyRow row) {
        return new Image(row, from, to, fromType, toType);
    }

    /** Whether another image has the same source. */
    public boolean hasSameSource(Image other) {
        return Objects.equals(from, other.from) && fromType == other.fromType;
    }

    /** Whether another image has the same destination. */
    public boolean hasSameDestination(Image other) {
        return Objects.equals(to, other.to) && toType == other.toType;
    }

    /** Whether it is an edge whose types of ends must be stored. */
    boolean isTyped() {
        return fromType != 0 || toType != 0;
    }
}
