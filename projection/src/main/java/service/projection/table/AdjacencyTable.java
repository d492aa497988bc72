package service.projection.table;

import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Neighbours, once by source ({@code out}) and once by destination ({@code in}).
 *
 * <pre>
 *  u32 edge type | u32 node | u32 neighbour | u32 edge | u32 ~incarnation | u64 ~offset   →   u8 1 live, 0 dead
 * </pre>
 *
 * Node, neighbour and edge are ordinals of the types that the edge type names.
 */
public final class AdjacencyTable {
    public static final int NODE_SCOPE = 2 * Integer.BYTES;
    public static final int PAIR_SCOPE = 3 * Integer.BYTES;
    public static final int NEIGHBOUR = 8;
    public static final int EDGE = 12;

    private AdjacencyTable() {}

    public static void member(KeyBuffer into, int edgeType, int node, int neighbour, int edge) {
        into.clear().putInt(edgeType).putInt(node).putInt(neighbour).putInt(edge);
    }

    public static void scope(KeyBuffer into, int edgeType, int node) {
        into.clear().putInt(edgeType).putInt(node);
    }

    /** The edges of one type between two nodes. */
    public static void pair(KeyBuffer into, int edgeType, int node, int neighbour) {
        into.clear().putInt(edgeType).putInt(node).putInt(neighbour);
    }

    public static boolean live(long value) {
        return MappedBytes.byteAt(value) != 0;
    }
}
