package service.http.limit;

/** Whether a place was taken, and if not, why. */
public enum Taken {
    /** The caller has a place, and gives it back once. */
    YES,
    /** All places are taken. */
    NONE_IS_FREE,
    /** The sender has its share of the places. */
    SHARE_IS_USED,
    /** The requests for the graph have their share of the places. */
    GRAPH_SHARE_IS_USED;

    public boolean isYes() {
        return this == YES;
    }
}
