package service.core.port;

/** Measures the commits of one graph. Called on the writer's thread, so both methods must return at once. */
public interface CommitMeter {
    /** Measures nothing. */
    CommitMeter NONE = new CommitMeter() {
        @Override
        public void event(long changes, long bytes) {}

        @Override
        public void group(int events, long bytes, long syncNanos) {}
    };

    /**
     * An event is durable.
     *
     * @param changes entities that it changes
     * @param bytes its length in the log
     */
    void event(long changes, long bytes);

    /**
     * A group is durable.
     *
     * @param events its events
     * @param bytes their length in the log
     * @param syncNanos time in which the log wrote and synced the group
     */
    void group(int events, long bytes, long syncNanos);
}
