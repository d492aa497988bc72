package service.core.graph.check;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.value.KeyedHash;
import service.core.value.Value;

/**
 * The first change that took each tuple of a unique index: an open-addressing hash table of hashes and indexes of
 * changes, which reads a tuple again only when two hashes are equal. 8 bytes per slot, at most two thirds of them used.
 * One thread.
 *
 * <p>Tuples are hashed under the random key of the process, so that no client can choose tuples that collide.
 */
final class TupleClaims {
    private static final long KEY = KeyedHash.PROCESS_KEY;
    private static final int FIRST_SLOTS = 16;
    private static final int BYTES_PER_SLOT = 2 * Integer.BYTES;

    private final IntFunction<@Nullable List<Value>> tuples;
    private final RequestBudget budget;
    private int[] hashes = new int[FIRST_SLOTS];

    /** The index of the claim in each slot, plus one; 0 is a free slot. */
    private int[] places = new int[FIRST_SLOTS];

    private int size;

    /**
     * A table without claims.
     *
     * @param tuples returns the tuple of an index
     */
    TupleClaims(IntFunction<@Nullable List<Value>> tuples, RequestBudget budget) {
        this.tuples = tuples;
        this.budget = budget;
    }

    /**
     * Claims a tuple for an index.
     *
     * @return the index that has claimed it before, or −1
     */
    int claim(List<Value> tuple, int place) {
        int hash = hash(tuple);
        int slot = slot(tuple, hash);
        if (places[slot] != 0) {
            return places[slot] - 1;
        }
        hashes[slot] = hash;
        places[slot] = place + 1;
        if (++size * 3L > places.length * 2L) {
            grow();
        }
        return -1;
    }

    /** Whether some index has claimed the tuple. */
    boolean isClaimed(List<Value> tuple) {
        return places[slot(tuple, hash(tuple))] != 0;
    }

    /** The slot of the tuple, or the free slot for it. */
    private int slot(List<Value> tuple, int hash) {
        int mask = places.length - 1;
        int slot = hash >>> KeyedHash.shift(places.length);
        while (places[slot] != 0 && !(hashes[slot] == hash && tuple.equals(tuples.apply(places[slot] - 1)))) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        budget.memory().charge((long) BYTES_PER_SLOT * places.length, "the check of unique values", "split the write");
        int[] oldHashes = hashes;
        int[] oldPlaces = places;
        hashes = new int[oldHashes.length * 2];
        places = new int[oldPlaces.length * 2];
        int mask = places.length - 1;
        int shift = KeyedHash.shift(places.length);
        for (int i = 0; i < oldPlaces.length; i++) {
            if (oldPlaces[i] != 0) {
                int slot = oldHashes[i] >>> shift;
                while (places[slot] != 0) {
                    slot = (slot + 1) & mask;
                }
                hashes[slot] = oldHashes[i];
                places[slot] = oldPlaces[i];
            }
        }
    }

    private static int hash(List<Value> tuple) {
        long state = KeyedHash.start(tuple.size(), KEY);
        for (Value value : tuple) {
            if (value instanceof Value.Text text) {
                String characters = text.value();
                for (int i = 0; i < characters.length(); i++) {
                    state = KeyedHash.step(state, characters.charAt(i), KEY);
                }
            }
            state = KeyedHash.step(
                    state,
                    value instanceof Value.Vector vector ? Arrays.hashCode(vector.items()) : value.hashCode(),
                    KEY);
        }
        return KeyedHash.finish(state, KEY);
    }
}
