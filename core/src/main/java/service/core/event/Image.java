package service.core.event;

import org.jspecify.annotations.Nullable;
import service.core.value.PropertyRow;

/**
 * One whole state of an entity.
 *
 * @param from id of the source node; null for a node
 * @param to id of the destination node; null for a node
 */
public record Image(
        PropertyRow properties,
        @Nullable String from,
        @Nullable String to) {
    public static Image ofNode(PropertyRow properties) {
        return new Image(properties, null, null);
    }

    public static Image ofEdge(PropertyRow properties, String from, String to) {
        return new Image(properties, from, to);
    }
}
