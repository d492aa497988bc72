package service.log.format;

import java.nio.file.Path;
import service.log.retain.Retention;

/**
 * Where whole images of a graph are kept outside of its directory: a copy of the log and of the tables at one offset,
 * from which another machine opens the graph without a replay. A graph in a directory has none.
 */
public interface GraphImages {
    /** What an image is for. */
    enum Kind {
        /** Saves the replay; every event is stored elsewhere too. */
        CHECKPOINT,
        /** Has what cleanup keeps; the events up to its offset need not be stored elsewhere. */
        BASE
    }

    /** Keeps nothing. */
    GraphImages NONE = new GraphImages() {
        @Override
        public boolean isKept() {
            return false;
        }

        @Override
        public boolean isDue() {
            return false;
        }

        @Override
        public boolean isOutdated() {
            return false;
        }

        @Override
        public boolean isBaseOutdated() {
            return false;
        }

        @Override
        public boolean isBaseUpToUs() {
            return false;
        }

        @Override
        public void dropCheckpoints() {}

        @Override
        public void sweep() {}

        @Override
        public Runnable spool(Kind kind, Path tables, Retention.Base name) {
            return () -> {};
        }
    };

    /** Whether there are images: every cleanup then makes one, because it deletes the objects that it replaces. */
    default boolean isKept() {
        return true;
    }

    /** Whether a checkpoint should be made now. Asked after each group on the writer thread; returns at once. */
    boolean isDue();

    /**
     * Whether checkpoints and declared retention are up to this process now. If not, another process that serves the
     * graph does them. May send a request; not on the writer thread.
     */
    default boolean isOurTurn() {
        return true;
    }

    /** Whether there are events that no image has. May send a request. */
    boolean isOutdated();

    /** Whether no base image has the state that the last cleanup of this copy has left. Any thread; returns at once. */
    boolean isBaseOutdated();

    /**
     * Whether this process should make the base image of the last cleanup now. Takes over one that another process has
     * made of the same history. May send requests. Thread of the cleanup.
     */
    boolean isBaseUpToUs();

    /**
     * Discards all checkpoints, because their tables are not wanted any more: no later opening uses them. They are
     * deleted when the reclaim delay is over.
     */
    void dropCheckpoints();

    /**
     * Deletes objects that a cleanup or later checkpoints have replaced, when the reclaim delay is over. Sends no
     * request when there are none. Thread of the cleanup.
     */
    void sweep();

    /**
     * Makes the file of an image. Sends no request. Not on the writer thread, which may write meanwhile.
     *
     * @param tables a synced copy of the tables, which must stay during the call
     * @param name the offset that it has applied, and its digest
     * @return puts the image and then deletes the objects that it replaces; run it once. It throws an
     *     {@link service.core.port.ObjectStoreException} when the store fails
     */
    Runnable spool(Kind kind, Path tables, Retention.Base name);
}
