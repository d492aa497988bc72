package service.core.port;

/**
 * Hears of commits, in their order and each once: see {@link GraphStorage#follow}. Cleanup keeps the images of events
 * that a follower has not taken yet.
 */
public interface CommitFollower {
    /**
     * Whether it wants to hear of the next commits; otherwise they count as taken. Asked on the writer's thread, so it
     * must return at once.
     */
    boolean isInterested();

    /**
     * Takes the events between two offsets, both included. They are durable, and visible to sessions that are opened
     * from now on. Called on a thread of the storage, one call at a time; when it throws, the same events are given
     * again a second later.
     */
    void committed(long from, long to);
}
