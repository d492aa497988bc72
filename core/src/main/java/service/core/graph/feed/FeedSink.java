package service.core.graph.feed;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.json.Int64Form;

/** Makes the bytes of the pages of a feed for one consumer. {@link FeedPoll#page} drives it. One thread. */
public interface FeedSink extends BlockSink {
    /** Where in a block a page ends. */
    enum Part {
        /** No block has begun. */
        NONE,
        /** A block has begun, without changes so far. */
        CAUSE,
        /** A block has begun, with changes. */
        CHANGES
    }

    /**
     * A page as one consumer gets it.
     *
     * @param pieces the bytes; nothing may change them
     * @param shown for each branch that decides about a name or a block, whether this consumer may read it
     * @param release releases the bytes, which are charged to the request of the sink; null where they are not charged
     */
    record Content(
            List<ByteBuffer> pieces,
            Map<String, Boolean> shown,
            @Nullable Runnable release) {
        /** The same, where these branches have decided, too. */
        Content besides(Map<String, Boolean> branches) {
            if (branches.isEmpty()) {
                return this;
            }
            Map<String, Boolean> all = new HashMap<>(shown);
            all.putAll(branches);
            return new Content(pieces, all, release);
        }
    }

    /** The maximum number of changes of a page; 0 for server-sent events. */
    int changesMax();

    /** How values of 64 bits are written. */
    Int64Form int64();

    /** The part of a block that the next byte follows. */
    Part part();

    /** Drops what was written since the last {@link #take}. The next page continues after this part of a block. */
    void continueAfter(Part part);

    /**
     * Ends the page and begins the next one.
     *
     * @param shared whether other consumers get the bytes, too; they are not charged to this one's request then
     */
    Content take(FeedOutcome end, boolean shared);
}
