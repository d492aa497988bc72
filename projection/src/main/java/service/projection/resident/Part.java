package service.projection.resident;

/**
 * The name of a block: what it holds, and of which incarnation.
 *
 * @param type a lane for neighbours, else the type of the entities
 * @param property 0 unless the block is a column
 * @param shared whether the block is for all branches that were created from the incarnation at a point or after it
 */
record Part(Kind kind, int type, int property, int incarnation, boolean shared) {
    Part(Kind kind, int type, int property, int incarnation) {
        this(kind, type, property, incarnation, false);
    }

    /** The part of the same kind that another incarnation shares with the branches that were created from it. */
    Part sharedBy(int parent) {
        return new Part(kind, type, property, parent, true);
    }

    /** The part of the same kind that an incarnation has for itself. */
    Part ofBranch(int branch) {
        return new Part(kind, type, property, branch, false);
    }

    /** What a block holds. */
    enum Kind {
        /** The neighbours of sources. */
        OUT,
        /** The neighbours of destinations. */
        IN,
        /** Which entities of a type are live. */
        LIVE,
        /** One property of a type. */
        COLUMN
    }
}
