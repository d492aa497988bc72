package service.projection.apply;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import service.core.event.ChangeReader;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Lane;
import service.log.lmdb.MappedBytes;
import service.projection.table.IdReferences;
import service.projection.table.NativeBytes;

/**
 * Changes of one or more events that wait to be applied to the tables, with ids replaced by references, or by ordinals
 * where they are known: ordinal <em>n</em> is stored as −2 − <em>n</em>. Off the heap, because the window of a large
 * load or of a replay takes megabytes.
 *
 * <pre>
 *  0 i32 event (place in the window)   4 i32 type   8 i32 id   12 i32 source before   16 i32 destination before
 *  20 i32 source after   24 i32 destination after   28 i32 length before (−1 none)   32 i32 length after (−1 none)
 *  36 i32 lane before (of an edge)   40 i32 lane after
 *  44 row before, row after
 * </pre>
 */
final class ChangeWindow implements AutoCloseable {
    static final int EVENT = 0;
    static final int TYPE = 4;
    static final int ID = 8;
    static final int SOURCE_BEFORE = 12;
    static final int DESTINATION_BEFORE = 16;
    static final int SOURCE_AFTER = 20;
    static final int DESTINATION_AFTER = 24;
    static final int LENGTH_BEFORE = 28;
    static final int LENGTH_AFTER = 32;
    static final int LANE_BEFORE = 36;
    static final int LANE_AFTER = 40;
    static final int ROWS = 44;
    private static final int NONE = -1;
    private static final int FIRST_KNOWN = -2;

    final IdReferences references = new IdReferences();
    private final NativeBytes changes = new NativeBytes();
    private int size;

    /** Adds the current change of a reader. */
    void add(int event, Catalog catalog, ChangeReader change) {
        DirectBuffer bytes = change.buffer();
        EntityType type = catalog.requireType(change.type());
        int id = references.reference(change.type(), bytes, change.idPosition(), change.idLength());
        int sourceBefore = NONE;
        int destinationBefore = NONE;
        int sourceAfter = NONE;
        int destinationAfter = NONE;
        int laneBefore = NONE;
        int laneAfter = NONE;
        if (type instanceof EntityType.EdgeType edge) {
            if (change.hasBefore()) {
                Lane lane = ChangeLanes.before(edge, change);
                laneBefore = lane.identity();
                sourceBefore = references.reference(
                        lane.source(), bytes, change.beforeFromPosition(), change.beforeFromLength());
                destinationBefore = references.reference(
                        lane.destination(), bytes, change.beforeToPosition(), change.beforeToLength());
            }
            if (change.hasAfter()) {
                Lane lane = ChangeLanes.after(edge, change);
                laneAfter = lane.identity();
                sourceAfter = references.reference(
                        lane.source(), bytes, change.afterFromPosition(), change.afterFromLength());
                destinationAfter = references.reference(
                        lane.destination(), bytes, change.afterToPosition(), change.afterToLength());
            }
        }
        long at = add(event, change);
        UnsafeApi.putInt(at + LANE_BEFORE, laneBefore);
        UnsafeApi.putInt(at + LANE_AFTER, laneAfter);
        UnsafeApi.putInt(at + ID, id);
        UnsafeApi.putInt(at + SOURCE_BEFORE, sourceBefore);
        UnsafeApi.putInt(at + DESTINATION_BEFORE, destinationBefore);
        UnsafeApi.putInt(at + SOURCE_AFTER, sourceAfter);
        UnsafeApi.putInt(at + DESTINATION_AFTER, destinationAfter);
    }

    /**
     * Adds the current change of a reader, whose entities are known: a change of a node, or the insert of an edge.
     *
     * @param source ordinal of the source; −1 for a node
     * @param destination ordinal of the destination; −1 for a node
     */
    void add(int event, Catalog catalog, ChangeReader change, int ordinal, int source, int destination) {
        long at = add(event, change);
        UnsafeApi.putInt(at + LANE_BEFORE, NONE);
        UnsafeApi.putInt(
                at + LANE_AFTER,
                catalog.requireType(change.type()) instanceof EntityType.EdgeType edge
                        ? ChangeLanes.after(edge, change).identity()
                        : NONE);
        UnsafeApi.putInt(at + ID, known(ordinal));
        UnsafeApi.putInt(at + SOURCE_BEFORE, NONE);
        UnsafeApi.putInt(at + DESTINATION_BEFORE, NONE);
        UnsafeApi.putInt(at + SOURCE_AFTER, source < 0 ? NONE : known(source));
        UnsafeApi.putInt(at + DESTINATION_AFTER, destination < 0 ? NONE : known(destination));
    }

    private static int known(int ordinal) {
        return FIRST_KNOWN - ordinal;
    }

    /** The ordinal that a field gives, −1 for none; a reference must be resolved. */
    int ordinal(int field) {
        return field <= FIRST_KNOWN ? FIRST_KNOWN - field : references.ordinal(field);
    }

    /** Whether a field gives a reference, not an ordinal. */
    static boolean isReference(int field) {
        return field >= 0;
    }

    /** Adds all of a change but its entities; returns its address. */
    private long add(int event, ChangeReader change) {
        DirectBuffer bytes = change.buffer();
        int beforeLength = change.hasBefore() ? change.beforeLength() : NONE;
        int afterLength = change.hasAfter() ? change.afterLength() : NONE;
        long at = changes.address(changes.reserve(ROWS + Math.max(0, beforeLength) + Math.max(0, afterLength)));
        UnsafeApi.putInt(at + EVENT, event);
        UnsafeApi.putInt(at + TYPE, change.type());
        UnsafeApi.putInt(at + LENGTH_BEFORE, beforeLength);
        UnsafeApi.putInt(at + LENGTH_AFTER, afterLength);
        copy(bytes, change.hasBefore() ? change.beforePosition() : 0, beforeLength, at + ROWS);
        copy(bytes, change.hasAfter() ? change.afterPosition() : 0, afterLength, at + ROWS + Math.max(0, beforeLength));
        size++;
        return at;
    }

    /** Copies from a buffer on or off the heap to an address. */
    private static void copy(DirectBuffer from, int position, int length, long to) {
        if (length > 0) {
            UnsafeApi.copyMemory(from.byteArray(), from.addressOffset() + position, null, to, length);
        }
    }

    int size() {
        return size;
    }

    long bytes() {
        return changes.size() + references.bytes();
    }

    /** Address of the change at a position: 0, then the result of {@link #next}. Valid until the next {@link #add}. */
    long address(long position) {
        return changes.address(position);
    }

    /** The position after a change. */
    long next(long position) {
        long at = changes.address(position);
        return position
                + ROWS
                + Math.max(0, MappedBytes.intAt(at + LENGTH_BEFORE))
                + Math.max(0, MappedBytes.intAt(at + LENGTH_AFTER));
    }

    void clear() {
        changes.clear();
        references.clear();
        size = 0;
    }

    @Override
    public void close() {
        changes.close();
        references.close();
    }
}
