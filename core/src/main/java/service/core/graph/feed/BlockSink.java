package service.core.graph.feed;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeReader;
import service.core.event.CommitReader;
import service.core.schema.Catalog;

/**
 * Takes the blocks of a feed as they are read, and reports when it is full. Called on one thread, with a read
 * transaction open: must not block.
 */
public interface BlockSink {
    /**
     * Begins a block or continues one.
     *
     * @param cause valid during the call only
     * @param brought the schema that the commit brought; null when it brought none, and when an earlier call took the
     *     first part of the block
     * @param cursorAfter the cursor after this block
     * @return false when the page is full and the block was not taken
     */
    boolean begin(CommitReader cause, @Nullable Catalog brought, Supplier<String> cursorAfter);

    /**
     * Takes the reader's current change.
     *
     * @param at the schema that names types and properties
     * @return false when the page is full and the change was not taken; a later call continues the block
     */
    boolean change(Catalog at, ChangeReader change);

    /** Ends the block. */
    void end();
}
