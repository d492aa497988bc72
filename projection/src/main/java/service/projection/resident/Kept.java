package service.projection.resident;

import java.util.concurrent.atomic.LongAdder;
import service.projection.temporal.Chain;

/**
 * A published block and the states that it answers for.
 *
 * <p>It was read at the head of an incarnation, at {@code offset}. A view may use it for ordinals that are not dirty
 * when its chain passes through the incarnation at or above that offset, and every link above was created after the
 * dirty set had begun: then every event that the view has and the block does not is marked. Incarnations are numbered
 * in the order of their creation, so the link directly above must have at least the number {@code next}.
 *
 * @param next the number of the first incarnation that was created after the block was read
 * @param rows rows that the block has answered since the last eviction
 */
record Kept(Part part, long offset, int next, DirtySet dirty, Block block, LongAdder rows) {
    /** A block with more than one in so many dirty ordinals is not used: single look-ups cost more than a walk. */
    private static final int DIRTY_PART_MAX = 4;

    boolean answers(Chain chain, int link) {
        return chain.offset(link) >= offset
                && (link == 0 || chain.incarnation(link - 1) >= next)
                && dirty.marked() <= dirty.bound() / DIRTY_PART_MAX;
    }

    long bytes() {
        return block.bytes() + DirtySet.bytes(dirty.bound());
    }
}
