package service.core.port;

/**
 * The place of one consumer in the log while the process sends it events. Until it is closed cleanup keeps the changes
 * of every event after that place, for at most the time that the storage allows a read to hold them. Of a consumer that
 * is at the head, it keeps those that come on its branch. Any thread, one at a time.
 */
public interface FeedHold extends AutoCloseable {
    /** Holds nothing. */
    FeedHold NONE = new FeedHold() {
        @Override
        public void moveTo(long offset, boolean atHead) {}

        @Override
        public void close() {}
    };

    /**
     * Moves on.
     *
     * @param offset of the last event that the consumer has
     * @param atHead whether there is nothing after it that concerns the consumer
     */
    void moveTo(long offset, boolean atHead);

    @Override
    void close();
}
