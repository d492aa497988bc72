package service.projection.search.index;

/** Which events an index has not followed yet, and since when. Any thread. */
final class IndexLag {
    private volatile long committed = -1;

    /** Since when there are such events; 0 when there are none. */
    private volatile long sinceNanos;

    /** Events are in the tables up to an offset. */
    void committed(long offset) {
        if (sinceNanos == 0) {
            sinceNanos = System.nanoTime();
        }
        committed = offset;
    }

    /** The index has followed the tables up to an offset. */
    void followed(long offset) {
        sinceNanos = hasMoreThan(offset) ? System.nanoTime() : 0;
    }

    /** There is nothing to follow. */
    void clear() {
        sinceNanos = 0;
    }

    boolean hasMoreThan(long offset) {
        return offset < committed;
    }

    /** How many events come after the offset of the index. */
    long commits(long position) {
        return sinceNanos == 0 ? 0 : Math.max(0, committed - position);
    }

    double seconds() {
        long since = sinceNanos;
        return since == 0 ? 0 : (System.nanoTime() - since) / 1e9;
    }
}
