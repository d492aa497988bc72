package service.projection.resident;

import service.projection.temporal.Chain;

/**
 * A published block and the states that it answers for. A view may use it for ordinals that are not dirty.
 *
 * <p>A block that is not shared was read at the head of an incarnation, at {@code offset}. A view may use it when its
 * chain passes through the incarnation at or above that offset, and every link above was created after the dirty set
 * had begun: then every event that the view has and the block does not is marked. Incarnations are numbered in the
 * order of their creation, so the link directly above must have at least the number {@code next}.
 *
 * <p>A shared block was read at {@code offset}, too, but its dirty set has every ordinal that an event after that
 * offset has touched on any branch, also before the set had begun. So it serves each chain that passes through the
 * incarnation at or above the offset: what such a chain has above that state are events after the offset.
 *
 * <p>A block has the values that the schema of its state shows, so a view uses it only under that schema: where the
 * schema of the view was set at or below the offset.
 *
 * @param next the number of the first incarnation that was created after the block was read; 0 of a shared block
 * @param bytes heap bytes of the block and its dirty set
 */
record Kept(Part part, long offset, int next, DirtySet dirty, Block block, long bytes, Usage usage) {
    /** A block with more than one in so many dirty ordinals is not used: single look-ups cost more than a walk. */
    private static final int DIRTY_PART_MAX = 4;

    /** Heap bytes of the objects around the arrays of a block, about. */
    static final int OBJECTS_BYTES = 512;

    static Kept of(Part part, long offset, int next, DirtySet dirty, Block block, Usage usage) {
        long bytes = block.bytes() + DirtySet.bytes(dirty.bound()) + OBJECTS_BYTES;
        return new Kept(part, offset, next, dirty, block, bytes, usage);
    }

    /**
     * Whether a view along a chain may use it.
     *
     * @param withEdges whether the view wants the edges to neighbours
     * @param schemaOffset of the commit that set the schema of the view
     */
    boolean answers(boolean withEdges, Chain chain, int link, long schemaOffset) {
        return (!withEdges || block.hasEdges())
                && chain.offset(link) >= offset
                && schemaOffset <= offset
                && (link == 0 || chain.incarnation(link - 1) >= next)
                && dirty.marked() <= dirty.bound() / DIRTY_PART_MAX;
    }
}
