package service.core.event;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.RandomAccess;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.budget.Spill;
import service.core.value.ValueOrder;

/**
 * The encoded changes of one commit, in the order of an event: nodes before edges, then type identity, then id by its
 * UTF-8 bytes; each entity once.
 *
 * <p>A {@link ChangeBlockWriter} makes a block with its checksum and its digest; the log copies its bytes. The thread
 * that prepares a commit therefore does the encoding and the hashing, and a commit of a million changes needs no object
 * per change. The bytes are on the heap or, for a large block, in a mapped file of the request that made it, which is
 * released with the request or by {@link #close}.
 *
 * <p>Immutable; any thread until {@link #close}, which must come after the last use: a read of a closed mapped block
 * would access unmapped memory.
 */
public final class ChangeBlock implements AutoCloseable {
    /** A block without changes. */
    public static final ChangeBlock EMPTY = of(List.of());

    /** Consecutive changes of one type: from {@code start}, inclusive, to {@code end}, exclusive. */
    record Stretch(int type, int start, int end) {}

    /** The order of the ids in a block: by UTF-8 bytes, which is the order by code point. */
    public static final Comparator<EntityChange> ORDER = Comparator.comparing(EntityChange::kind)
            .thenComparingInt(EntityChange::typeIdentity)
            .thenComparing(EntityChange::id, ValueOrder::compareText);

    /**
     * An encoded block.
     *
     * @param length the length of the encoding in {@code bytes}, from 0
     * @param starts where each change begins; only the first {@code count} count
     * @param crc CRC32C of the encoding
     * @param digest SHA-256 of the encoding; not copied
     */
    record Body(
            DirectBuffer bytes,
            int length,
            int[] starts,
            int count,
            List<Stretch> stretches,
            ChangeCounts counts,
            int crc,
            byte[] digest) {}

    private final Body body;
    private final boolean typed;
    private final @Nullable Spill spill;
    private final @Nullable ResolvedIds resolved;

    /**
     * @param typed whether it has a change with typed ends
     * @param spill holds the bytes of the body; null for a block on the heap
     */
    ChangeBlock(Body body, boolean typed, @Nullable Spill spill) {
        this(body, typed, spill, null);
    }

    private ChangeBlock(Body body, boolean typed, @Nullable Spill spill, @Nullable ResolvedIds resolved) {
        this.body = body;
        this.typed = typed;
        this.spill = spill;
        this.resolved = resolved;
    }

    /** A block of changes that are in order; on the heap. */
    public static ChangeBlock of(List<EntityChange> changes) {
        ChangeBlockWriter writer = new ChangeBlockWriter();
        changes.forEach(writer::add);
        return writer.finish();
    }

    /** A block of changes in any order; sorts the list. On the heap. */
    public static ChangeBlock sorting(List<EntityChange> changes) {
        changes.sort(ORDER);
        return of(changes);
    }

    /** The same block, which {@link #close} of either releases, with the ordinals of its entities. */
    public ChangeBlock with(ResolvedIds ids) {
        return new ChangeBlock(body, typed, spill, ids);
    }

    /** The ordinals of its entities in a recent state; null when they were not looked up. */
    public @Nullable ResolvedIds resolved() {
        return resolved;
    }

    /** The number of changes. */
    public int count() {
        return body.count;
    }

    public boolean isEmpty() {
        return body.count == 0;
    }

    /** The numbers of entities that it inserts, updates and deletes. */
    public ChangeCounts counts() {
        return body.counts;
    }

    /** The length of its encoding in bytes. */
    public int length() {
        return body.length;
    }

    /** The number of heap bytes that it holds. */
    public long heapBytes() {
        return 4L * body.starts.length + (body.bytes.byteArray() == null ? 0 : body.bytes.capacity());
    }

    /** Its encoding: {@link #length} bytes from 0. */
    DirectBuffer bytes() {
        return body.bytes;
    }

    /** Whether the ends of one of its edges are typed, which programs before that do not know. */
    boolean isTyped() {
        return typed;
    }

    /** CRC32C of its encoding. */
    int crc() {
        return body.crc;
    }

    /** SHA-256 of its encoding. The array is not a copy. */
    byte[] digest() {
        return body.digest;
    }

    /** A reader of the changes, before the first. */
    public ChangeReader reader() {
        ChangeReader reader = new ChangeReader();
        reader.wrap(body.bytes, 0, body.length, body.count, -1);
        return reader;
    }

    /** Moves a {@link #reader} to the change at an index. */
    public void moveTo(ChangeReader reader, int index) {
        reader.moveTo(body.starts[index], index);
    }

    /** The change at an index, as a new object. */
    public EntityChange change(int index) {
        ChangeReader reader = reader();
        moveTo(reader, index);
        return reader.change();
    }

    /** The changes as objects, decoded on access. */
    public List<EntityChange> changes() {
        return new Decoded(this);
    }

    private static final class Decoded extends AbstractList<EntityChange> implements RandomAccess {
        private final ChangeBlock block;

        Decoded(ChangeBlock block) {
            this.block = block;
        }

        @Override
        public EntityChange get(int index) {
            return block.change(index);
        }

        @Override
        public int size() {
            return block.body.count;
        }
    }

    /** Whether it changes an entity of a type. */
    public boolean touches(int type) {
        return stretch(type) != null;
    }

    /** The index of the change of an entity, or −1. */
    public int indexOf(int type, String id) {
        Stretch stretch = stretch(type);
        if (stretch == null) {
            return -1;
        }
        UnsafeBuffer wanted = new UnsafeBuffer(id.getBytes(StandardCharsets.UTF_8));
        ChangeReader reader = reader();
        int low = stretch.start;
        int high = stretch.end - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            moveTo(reader, middle);
            int order = compare(body.bytes, reader.idPosition(), reader.idLength(), wanted, 0, wanted.capacity());
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /** The change of an entity, or null. */
    public @Nullable EntityChange find(int type, String id) {
        int index = indexOf(type, id);
        return index < 0 ? null : change(index);
    }

    /** The changes of entities of a type, or null. */
    @Nullable
    Stretch stretch(int type) {
        for (Stretch stretch : body.stretches) {
            if (stretch.type == type) {
                return stretch;
            }
        }
        return null;
    }

    /** Compares bytes as unsigned numbers; a prefix comes first. */
    static int compare(
            DirectBuffer left, int leftAt, int leftLength, DirectBuffer right, int rightAt, int rightLength) {
        int common = Math.min(leftLength, rightLength);
        for (int i = 0; i < common; i++) {
            int order = (left.getByte(leftAt + i) & 0xFF) - (right.getByte(rightAt + i) & 0xFF);
            if (order != 0) {
                return order;
            }
        }
        return leftLength - rightLength;
    }

    /** Whether both blocks hold the same changes. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ChangeBlock block
                && block.body.length == body.length
                && Arrays.equals(block.body.digest, body.digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(body.digest);
    }

    @Override
    public String toString() {
        return body.count + " changes of " + body.length + " bytes";
    }

    /** Takes the block from the request that made it: it stays readable until {@link #close}, which the caller owes. */
    public void detach() {
        if (spill != null) {
            spill.detach();
        }
    }

    /**
     * Releases a mapped file before the end of the request that made the block; does nothing for a block on the heap.
     * Idempotent.
     */
    @Override
    public void close() {
        if (spill != null) {
            spill.close();
        }
    }
}
