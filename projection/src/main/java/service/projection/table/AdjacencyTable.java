package service.projection.table;

import service.core.error.DamagedDataException;
import service.log.lmdb.KeyBuffer;

/**
 * Neighbours, once by source ({@code out}) and once by destination ({@code in}). An entry is
 *
 * <pre>
 *  u32 lane | u32 node | u32 neighbour | u32 edge | u32 ~incarnation | u64 ~offset   →   u8 1 live, 0 dead
 * </pre>
 *
 * Node, neighbour and edge are ordinals of the types that the lane names. LMDB does not hold the entries one by one but
 * in <em>runs</em>, the entries of a range of keys, of at most {@value #RUN_BYTES_MAX} bytes:
 *
 * <pre>
 *  first bytes of a key, above the keys of the run   →   the entries, as {@link AdjacencyEntry} codes them
 * </pre>
 *
 * A run has the entries from the key of the run before it up to its own, exclusively. The key of the last run is
 * {@value #END}, which is above all. So the run of a key is the first one above it, a new entry changes no key, and a
 * run that becomes too long is divided. The same entries can be in other runs, which depends on the order in which they
 * were put; {@link EntryCursor} shows the entries.
 */
public final class AdjacencyTable {
    static final int KEY_BYTES = 28;
    static final int RUN_BYTES_MAX = 384;

    /** One byte, above the first one of each lane. */
    static final int END = 0xFF;

    private AdjacencyTable() {}

    /** A run that does not end with an entry. */
    static DamagedDataException damaged() {
        return DamagedDataException.table("out` or `in", "a run of neighbours ends within an entry", null);
    }

    public static void member(KeyBuffer into, int lane, int node, int neighbour, int edge) {
        into.clear().putInt(lane).putInt(node).putInt(neighbour).putInt(edge);
    }
}
