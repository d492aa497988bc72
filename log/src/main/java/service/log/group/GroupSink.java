package service.log.group;

/**
 * Makes the groups of one graph durable, one after the other.
 *
 * <p>Order: {@link #begin}, {@link OpenGroup#stage} for what was added to the group, {@link OpenGroup#write}, then
 * {@link OpenGroup#close}. A group is durable as a whole or not at all, and a group that is durable continues the one
 * before it: its first offset is one above the last durable offset, and its first event repeats the hash of the last
 * durable event.
 *
 * <p>After {@link Outcome.Unknown} the next call is {@link #settle}, again until its outcome is not unknown. The sink
 * keeps from the group what it needs for that; the bytes of the group may be freed when {@code write} has returned.
 *
 * <p>Thread rule: the graph's writer thread, and for {@link OpenGroup#stage} also a thread that the writer has started
 * and waits for. Every method may block for I/O.
 */
public interface GroupSink {
    /** What became of a group. */
    sealed interface Outcome {
        /** The whole group is on stable storage. */
        record Durable() implements Outcome {}

        /** The group is not known to be stored. */
        sealed interface Failure extends Outcome {
            RuntimeException cause();
        }

        /** Nothing of the group is stored, and nothing of it will be. */
        record Refused(RuntimeException cause) implements Failure {}

        /**
         * Nothing of the group is stored, because another process has stored events at its place.
         * {@link GroupSink#takeNew} takes them into the log, and the commands of the group are decided again.
         */
        record Overtaken() implements Outcome {}

        /**
         * Nothing of the group is stored, nor will be: {@link Progress#sent} has said that it is not wanted any more.
         */
        record Withdrawn() implements Outcome {}

        /** The group is stored as a whole, or nothing of it is. Only {@link GroupSink#settle} can decide it. */
        record Unknown(RuntimeException cause) implements Failure {}
    }

    /** Is told how far a group is. */
    interface Progress {
        /** For a group that is never withdrawn. */
        Progress NONE = new Progress() {
            @Override
            public void bringing() {}

            @Override
            public boolean sent() {
                return true;
            }
        };

        /**
         * The blobs of the group are being stored, and its changes are not needed any more. From now on the blobs may
         * be closed; then the group must be withdrawn.
         */
        void bringing();

        /**
         * Only the answer of the storage is missing: nothing of the group is needed any more.
         *
         * @return false to withdraw the group: nothing of it is stored
         */
        boolean sent();
    }

    /** A group that is being written. */
    interface OpenGroup extends AutoCloseable {
        /**
         * Takes the events and the blobs that were added to the group since the last call, ahead of {@link #write}.
         * After an exception the group can only be closed, and nothing of it is stored.
         *
         * @throws IllegalStateException when an event refers to a blob that is neither staged nor stored
         * @throws RuntimeException the failure of the storage
         */
        void stage();

        /**
         * Stages the rest, and makes the group durable. Called once; all failures of storage are outcomes.
         *
         * @param progress told on this thread how far the group is. Not told where the storage is a disk
         */
        Outcome write(Progress progress);

        /** Drops a group that was not written. A second call does nothing. */
        @Override
        void close();
    }

    /**
     * Opens a group, which may still be empty.
     *
     * @throws IllegalStateException when the outcome of an earlier group is unknown
     */
    OpenGroup begin(EncodedGroup group);

    /**
     * Decides the outcome of the last group by reading what is stored.
     *
     * @return {@code Unknown} when storage cannot be read now; {@code Overtaken} when the log has other events at the
     *     place of the group, or has the group and more: {@link #takeNew} shows it
     * @throws IllegalStateException when no outcome is unknown
     */
    Outcome settle();

    /** Whether other processes may append to the log. If not, the methods below do nothing. */
    default boolean isShared() {
        return false;
    }

    /**
     * Whether other processes have stored events after the end of the log. Any thread; may send a request.
     *
     * @throws RuntimeException when the store does not answer
     */
    default boolean hasNew() {
        return false;
    }

    /**
     * What a look for groups of other processes has brought.
     *
     * @param groups how many were taken into the log
     * @param isAll whether the log has everything that was stored when the look began
     */
    record Taken(long groups, boolean isAll) {
        static final Taken NOTHING = new Taken(0, true);
    }

    /**
     * Takes into the log what other processes have stored after its end; when that is not all, call it again. Writer
     * thread, with no group open and no outcome unknown.
     *
     * @throws service.core.error.ServiceException NOT_YET_HERE when the store does not answer within some seconds. The
     *     log may have a part of the events then
     */
    default Taken takeNew() {
        return Taken.NOTHING;
    }

    /** The same, but at most the next group, by one request, where that is possible. */
    default Taken takeNext() {
        return Taken.NOTHING;
    }

    /** Asks other processes to leave a turn; may be in vain. Writer thread; sends a request. */
    default void askForTurn() {}

    /**
     * Whether a process has asked since the last call. Any thread; sends a request.
     *
     * @throws RuntimeException when the store does not answer
     */
    default boolean isAskedForTurn() {
        return false;
    }
}
