package service.projection.table;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import service.core.value.KeyedHash;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * The distinct ids of a window of changes, and their ordinals. Many ids are looked up in key order, so each page of the
 * ids table is visited once. Reused for each window.
 */
public final class IdReferences implements AutoCloseable {
    private static final int UNKNOWN = -1;
    private static final int FEW = 32;

    private final NativeBytes keys = new NativeBytes();
    private final KeyBuffer key = new KeyBuffer();

    private final long hashKey;

    /** The hash in the upper half and the reference in the lower half, so most probes compare no key. */
    private long[] slots = new long[128];

    private long[] positions = new long[64];
    private int[] lengths = new int[64];
    private int[] hashes = new int[64];
    private int[] ordinals = new int[64];
    private int shift = KeyedHash.shift(slots.length);
    private int size;

    public IdReferences() {
        this(KeyedHash.PROCESS_KEY);
    }

    /** @param hashKey as {@link KeyedHash#key} makes it, so that no client can choose ids that collide */
    IdReferences(long hashKey) {
        this.hashKey = hashKey;
        Arrays.fill(slots, UNKNOWN);
    }

    /** The number of an id within this window, from 0. */
    public int reference(int type, DirectBuffer id, int position, int length) {
        IdTable.idKey(key, type, id, position, length);
        int hash = hash(key.address(), key.length());
        int mask = slots.length - 1;
        int slot = hash >>> shift;
        while (slots[slot] != UNKNOWN) {
            int known = (int) slots[slot];
            if ((int) (slots[slot] >>> 32) == hash
                    && lengths[known] == key.length()
                    && MappedBytes.same(keys.address(positions[known]), key.address(), key.length())) {
                return known;
            }
            slot = (slot + 1) & mask;
        }
        slots[slot] = slotOf(hash, size);
        add(hash, id, position, length);
        if (2 * size > slots.length) {
            rehash();
        }
        return size - 1;
    }

    private void add(int hash, DirectBuffer id, int at, int length) {
        if (size == ordinals.length) {
            positions = Arrays.copyOf(positions, 2 * size);
            lengths = Arrays.copyOf(lengths, 2 * size);
            hashes = Arrays.copyOf(hashes, 2 * size);
            ordinals = Arrays.copyOf(ordinals, 2 * size);
        }
        boolean whole = length <= IdTable.ID_BYTES_WHOLE;
        long position = keys.reserve(key.length() + (whole ? 0 : Integer.BYTES + length));
        UnsafeApi.copyMemory(key.address(), keys.address(position), key.length());
        if (!whole) {
            long end = keys.address(position) + key.length();
            UnsafeApi.putInt(end, length);
            UnsafeApi.copyMemory(id.byteArray(), id.addressOffset() + at, null, end + Integer.BYTES, length);
        }
        positions[size] = position;
        lengths[size] = key.length();
        hashes[size] = hash;
        ordinals[size++] = UNKNOWN;
    }

    private void rehash() {
        slots = new long[2 * slots.length];
        shift = KeyedHash.shift(slots.length);
        Arrays.fill(slots, UNKNOWN);
        for (int i = 0; i < size; i++) {
            int slot = hashes[i] >>> shift;
            while (slots[slot] != UNKNOWN) {
                slot = (slot + 1) & (slots.length - 1);
            }
            slots[slot] = slotOf(hashes[i], i);
        }
    }

    /** Never {@link #UNKNOWN}, because references are not negative. */
    private static long slotOf(int hash, int reference) {
        return (long) hash << 32 | reference;
    }

    private int hash(long address, int length) {
        long state = KeyedHash.start(length, hashKey);
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            state = KeyedHash.step(state, MappedBytes.longAt(address + i), hashKey);
        }
        if (i < length) {
            long rest = 0;
            for (; i < length; i++) {
                rest = (rest << Byte.SIZE) | (MappedBytes.byteAt(address + i) & 0xFFL);
            }
            state = KeyedHash.step(state, rest, hashKey);
        }
        return KeyedHash.finish(state, hashKey);
    }

    /** The most slots that follow each other without a free one between: what a search may have to pass. */
    int longestRun() {
        int longest = 0;
        int run = 0;
        for (long slot : slots) {
            run = slot == UNKNOWN ? 0 : run + 1;
            longest = Math.max(longest, run);
        }
        return longest;
    }

    /** Finds the ordinals of all ids that have one. */
    public void resolve(TableAccess access) {
        if (size <= FEW) {
            for (int i = 0; i < size; i++) {
                ordinals[i] = IdTable.ordinal(access, key(i));
            }
            return;
        }
        try (IdSearch search = new IdSearch(access)) {
            for (int reference : inKeyOrder()) {
                ordinals[reference] = search.ordinal(key(reference));
            }
        }
    }

    private int[] inKeyOrder() {
        KeyOrder order = new KeyOrder(size);
        for (int i = 0; i < size; i++) {
            order.add(address(i), lengths[i]);
        }
        return order.sorted();
    }

    /** The number of references. */
    public int size() {
        return size;
    }

    /** The type of the entity that has the id. */
    public int type(int reference) {
        return MappedBytes.keyIntAt(address(reference));
    }

    /** What {@link #assign} has set, and else what {@link #resolve} has found: −1 for an id without an ordinal. */
    public int ordinal(int reference) {
        return ordinals[reference];
    }

    public void assign(int reference, int ordinal) {
        ordinals[reference] = ordinal;
    }

    /** The key of the ids table; good until the next call. */
    public KeyBuffer key(int reference) {
        return key.clear().putMemory(address(reference), lengths[reference]);
    }

    /** Wraps the bytes of the id; valid until the next {@link #reference}. */
    public void id(int reference, UnsafeBuffer into) {
        int length = lengths[reference];
        if (length <= Integer.BYTES + IdTable.ID_BYTES_WHOLE) {
            into.wrap(address(reference) + Integer.BYTES, length - Integer.BYTES);
        } else {
            long end = address(reference) + length;
            into.wrap(end + Integer.BYTES, MappedBytes.intAt(end));
        }
    }

    private long address(int reference) {
        return keys.address(positions[reference]);
    }

    /** Off-heap bytes of the keys. */
    public long bytes() {
        return keys.size();
    }

    public void clear() {
        for (int i = 0; i < size; i++) {
            int slot = hashes[i] >>> shift;
            while (slots[slot] != UNKNOWN) {
                slots[slot] = UNKNOWN;
                slot = (slot + 1) & (slots.length - 1);
            }
        }
        size = 0;
        keys.clear();
    }

    @Override
    public void close() {
        keys.close();
    }
}
