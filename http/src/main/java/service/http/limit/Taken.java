package service.http.limit;

/** Whether a place was taken, and if not, why. */
public enum Taken {
    /** The caller has a place, and gives it back once. */
    YES,
    /** All places are taken. */
    NONE_IS_FREE,
    /** The holder has its share of the places. */
    SHARE_IS_USED;

    public boolean isYes() {
        return this == YES;
    }
}
