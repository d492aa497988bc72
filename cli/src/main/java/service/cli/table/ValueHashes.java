package service.cli.table;

import org.agrona.collections.LongHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Hashes of the values of one column, for as long as no value has occurred twice and there is room. Values with the
 * same hash of 64 bits count as the same one. One thread.
 */
final class ValueHashes {
    /** Room for values of all columns together. */
    static final class Room {
        private long left;

        Room(long values) {
            left = values;
        }
    }

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final Room room;
    private @Nullable LongHashSet seen = new LongHashSet();
    private boolean isFull;

    ValueHashes(Room room) {
        this.room = room;
    }

    /** Hashes of a column that cannot be a key. */
    static ValueHashes none() {
        ValueHashes none = new ValueHashes(new Room(0));
        none.forget();
        return none;
    }

    void add(String value) {
        LongHashSet before = seen;
        if (before == null) {
            return;
        }
        if (!before.add(hash(value))) {
            forget();
        } else if (--room.left < 0) {
            isFull = true;
            forget();
        }
    }

    /** Gives the room back. */
    void forget() {
        if (seen != null) {
            room.left += seen.size();
            seen = null;
        }
    }

    /** Whether all values differ; false also where that is not known. */
    boolean areUnique() {
        return seen != null && !seen.isEmpty();
    }

    /** Whether there was no room to know. */
    boolean areUnknown() {
        return isFull;
    }

    /** Whether the value is one of them; false where they are not known. */
    boolean contains(String value) {
        return seen != null && seen.contains(hash(value));
    }

    private static long hash(String value) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < value.length(); i++) {
            hash = (hash ^ value.charAt(i)) * FNV_PRIME;
        }
        // The last characters must reach the upper bits.
        hash = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
        return hash ^ (hash >>> 29);
    }
}
