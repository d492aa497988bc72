package service.core.schema;

import service.core.value.Direction;

/**
 * The edges of one type that join nodes of one pair of types. Neighbours are stored, kept in memory and followed by
 * lane, so that a neighbour is an ordinal. The lane of the first type at both ends has the identity of the edge type,
 * and is the only one of an edge type with one type at each end. All others have
 *
 * <pre>
 *  bit 30 set | 14 bits number of the edge type among the wide ones | 8 bits place of the source | 8 bits of the destination
 * </pre>
 *
 * @param identity unique among the lanes and the types of a graph, for good
 * @param edgeType identity of the edge type
 * @param source identity of the node type at the source end
 * @param destination identity of the node type at the destination end
 */
public record Lane(int identity, int edgeType, int source, int destination) {
    /** At most so many edge types of a graph ever have several types at an end. */
    public static final int NUMBERS_MAX = 1 << 14;

    private static final int OTHER = 1 << 30;
    private static final int PLACE_BITS = Byte.SIZE;
    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;

    /** Identity of the node type at the end from which edges are followed. */
    public int near(Direction direction) {
        return direction == Direction.OUT ? source : destination;
    }

    /** Identity of the node type to which edges lead that are followed in a direction. */
    public int far(Direction direction) {
        return direction == Direction.OUT ? destination : source;
    }

    static int identity(int edgeType, int number, int sourcePlace, int destinationPlace) {
        return sourcePlace == 0 && destinationPlace == 0
                ? edgeType
                : OTHER | number << (2 * PLACE_BITS) | sourcePlace << PLACE_BITS | destinationPlace;
    }

    /** Whether it is not the lane of the first types. */
    public static boolean isOther(int identity) {
        return (identity & OTHER) != 0;
    }

    /** The number of the edge type of a lane that {@link #isOther}. */
    static int number(int identity) {
        return (identity & ~OTHER) >>> (2 * PLACE_BITS);
    }

    /** The place of the type at the source end. */
    static int sourcePlace(int identity) {
        return isOther(identity) ? identity >>> PLACE_BITS & PLACE_MASK : 0;
    }

    /** The place of the type at the destination end. */
    static int destinationPlace(int identity) {
        return isOther(identity) ? identity & PLACE_MASK : 0;
    }

    /** The source of an edge as {@link EdgeEnd#key} gives it. */
    public static long sourceKey(int identity, int ordinal) {
        return key(sourcePlace(identity), ordinal);
    }

    /** The destination of an edge as {@link EdgeEnd#key} gives it. */
    public static long destinationKey(int identity, int ordinal) {
        return key(destinationPlace(identity), ordinal);
    }

    static long key(int place, int ordinal) {
        return (long) place << Integer.SIZE | ordinal;
    }
}
