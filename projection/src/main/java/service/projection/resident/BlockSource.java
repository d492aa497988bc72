package service.projection.resident;

import com.google.errorprone.annotations.MustBeClosed;
import org.jspecify.annotations.Nullable;
import service.core.port.GraphView;

/** The blocks that one view may use, and what the view reports about its reads. Belongs to the thread of the view. */
interface BlockSource {
    /** The block of entities that answers for the point of the view; null when there is none. */
    @Nullable
    Kept find(Part.Kind kind, int type, int property);

    /**
     * The block of neighbours that answers for the point of the view; null when there is none.
     *
     * @param withEdges whether it must have the edges
     */
    @Nullable
    Kept findHops(Part.Kind kind, int lane, boolean withEdges);

    /** Counts rows that a block has answered. */
    void hit(Kept kept, int rows);

    /**
     * Counts rows that the tables have answered, and has a block made when it is worth it.
     *
     * @param entityType the type of the entities whose ordinals the block has
     */
    void missed(Part.Kind kind, int type, int property, int entityType, int rows);

    /**
     * The same for neighbours.
     *
     * @param withEdges whether the edges were wanted, too
     */
    void missedHops(Part.Kind kind, int lane, int nearType, boolean withEdges, int rows);

    /** A scan of the tables from an ordinal on. */
    @MustBeClosed
    GraphView.Scan tableScan(int type, int from);
}
