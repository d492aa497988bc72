package service.core.graph.feed;

import java.util.function.Supplier;
import service.core.event.ChangeReader;
import service.core.event.CommitReader;
import service.core.schema.Catalog;

/**
 * Takes the blocks of a feed as they are read, and says when it is full. Called on one thread, with a read transaction
 * open: must not block.
 */
public interface BlockSink {
    /**
     * Begins a block, or goes on with one.
     *
     * @param cause valid during the call only
     * @param continued whether an earlier call took the beginning of its changes
     * @param cursorBehind the cursor behind this block
     * @return false when there is no room: nothing was taken
     */
    boolean begin(CommitReader cause, boolean continued, Supplier<String> cursorBehind);

    /**
     * Takes the change that the reader stands on.
     *
     * @param at the schema whose names it is told in
     * @return false when there is no room: nothing was taken, and the block goes on another time
     */
    boolean change(Catalog at, ChangeReader change);

    /** The block is whole. */
    void end();
}
