package service.core.port;

/**
 * Receives the commits of a graph in order, each once: see {@link GraphStorage#follow}. Cleanup keeps the images of
 * events that a follower has not taken yet.
 */
public interface CommitFollower {
    /**
     * Whether to pass the next commits to this follower; if not, they count as taken. Called on the writer's thread, so
     * it must return at once.
     *
     * @param offset everything up to it is durable and visible
     */
    boolean isInterested(long offset);

    /**
     * Takes the events between two offsets, both included. They are durable, and visible to sessions opened from now
     * on. Called on a thread of the storage, one call at a time. When it throws, the same events are passed again a
     * second later.
     */
    void committed(long from, long to);
}
