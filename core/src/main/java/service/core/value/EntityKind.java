package service.core.value;

import org.jspecify.annotations.Nullable;

/** Node or edge. */
public enum EntityKind {
    NODE,
    EDGE;

    /** {@code node} or {@code edge}, as on the wire. */
    public String wireName() {
        return this == NODE ? "node" : "edge";
    }

    /** The kind of that {@link #wireName}; null for another word. */
    public static @Nullable EntityKind ofWireName(String word) {
        return switch (word) {
            case "node" -> NODE;
            case "edge" -> EDGE;
            default -> null;
        };
    }
}
