package service.core.value;

/** The direction in which an edge is followed. */
public enum Direction {
    /** From source to destination. */
    OUT,
    /** From destination to source. */
    IN;

    public Direction reverse() {
        return this == OUT ? IN : OUT;
    }
}
