package service.projection.resident;

/**
 * The name of a block: what it holds, and of which incarnation.
 *
 * @param type an edge type for neighbours, else the type of the entities
 * @param property 0 unless the block is a column
 */
record Part(Kind kind, int type, int property, int incarnation) {
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
