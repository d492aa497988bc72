package service.core.value;

/** Node or edge. */
public enum EntityKind {
    NODE,
    EDGE;

    /** {@code node} or {@code edge}, as on the wire. */
    public String wireName() {
        return this == NODE ? "node" : "edge";
    }
}
