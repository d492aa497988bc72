package service.core.port;

/**
 * The position of a commit: its event's offset and the incarnation it was made on; together the read point of its
 * state.
 */
public record CommitPosition(long offset, int incarnation) {
    public ReadPoint point() {
        return new ReadPoint(incarnation, offset);
    }
}
