package service.core.event;

import static service.core.event.EventLayout.*;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.value.EntityKind;

/** A growing heap buffer of encoded changes; {@link EventCodec} shows their layout. One thread. */
final class ChangeBytes {
    private static final int FIRST_BYTES = 512;
    private static final int TEXT_BYTES_MAX = 0xFFFF;

    private final @Nullable RequestBudget budget;
    private final int usualBytesMax;
    private UnsafeBuffer buffer = new UnsafeBuffer(new byte[FIRST_BYTES]);
    private int at;
    private boolean typed;
    private long charged;

    /**
     * A buffer that doubles up to the usual size and then grows only as far as one more change needs.
     *
     * @param budget charged for the buffer; null for a buffer that is charged to no request
     */
    ChangeBytes(@Nullable RequestBudget budget, int usualBytesMax) {
        this.budget = budget;
        this.usualBytesMax = usualBytesMax;
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    /** The number of bytes in the buffer. */
    int length() {
        return at;
    }

    /** Whether the ends of an edge were ever typed. */
    boolean isTyped() {
        return typed;
    }

    void clear() {
        at = 0;
    }

    /** Charges bytes of the change, in the buffer or beside it, that {@link #free} gives back. */
    void charge(long bytes) {
        chargeForGood(bytes);
        charged += bytes;
    }

    /** Charges bytes of the change that are held until the request ends. */
    void chargeForGood(long bytes) {
        if (budget != null) {
            budget.memory().charge(bytes, "the change", "split the write");
        }
    }

    /** Gives the bytes of {@link #charge} back; the bytes must not be used afterwards. */
    void free() {
        buffer.wrap(new byte[0]);
        if (budget != null) {
            budget.memory().release(charged);
            charged = 0;
        }
    }

    /** Encodes a change and returns its position. */
    int put(EntityKind kind, int type, byte[] id, @Nullable Image before, @Nullable Image after) {
        boolean edge = kind == EntityKind.EDGE;
        int start = at;
        ensure(CHANGE_AT_ID + id.length);
        buffer.putBytes(start + CHANGE_AT_ID, id);
        at = start + CHANGE_AT_ID + id.length;
        putImage(before, edge);
        putImage(after, edge);
        putHead(
                start,
                edge,
                type,
                id.length,
                flags(before, CHANGE_BEFORE, CHANGE_BEFORE_TYPED) | flags(after, CHANGE_AFTER, CHANGE_AFTER_TYPED));
        return start;
    }

    private static int flags(@Nullable Image image, int exists, int typed) {
        return image == null ? 0 : exists | (image.isTyped() ? typed : 0);
    }

    /** Copies the current change of a reader and returns the position of the copy. */
    int put(ChangeReader change) {
        typed |= change.hasTypedBefore() || change.hasTypedAfter();
        int start = at;
        ensure(change.length());
        buffer.putBytes(start, change.buffer(), change.position(), change.length());
        at = start + change.length();
        return start;
    }

    /**
     * Encodes a change with the image before of one change and the image after of another change of the same entity.
     */
    int put(ChangeReader first, ChangeReader last) {
        if (first == last) {
            return put(first);
        }
        int start = at;
        int head = CHANGE_AT_ID + first.idLength();
        int beforeLength = first.beforeImageLength();
        int afterLength = last.afterImageLength();
        ensure(head + beforeLength + afterLength);
        buffer.putBytes(start, first.buffer(), first.position(), head);
        buffer.putBytes(start + head, first.buffer(), first.beforeImagePosition(), beforeLength);
        buffer.putBytes(start + head + beforeLength, last.buffer(), last.afterImagePosition(), afterLength);
        at = start + head + beforeLength + afterLength;
        int flags = (first.hasBefore() ? CHANGE_BEFORE : 0)
                | (first.hasTypedBefore() ? CHANGE_BEFORE_TYPED : 0)
                | (last.hasAfter() ? CHANGE_AFTER : 0)
                | (last.hasTypedAfter() ? CHANGE_AFTER_TYPED : 0);
        putHead(start, first.isEdge(), first.type(), first.idLength(), flags);
        return start;
    }

    private void putHead(int start, boolean edge, int type, int idLength, int images) {
        int flags = (edge ? CHANGE_EDGE : 0) | images;
        typed |= (images & (CHANGE_BEFORE_TYPED | CHANGE_AFTER_TYPED)) != 0;
        buffer.putInt(start, at - start);
        buffer.putShort(start + CHANGE_AT_FLAGS, (short) flags);
        buffer.putShort(start + CHANGE_AT_ID_LENGTH, (short) idLength);
        buffer.putInt(start + CHANGE_AT_TYPE, type);
    }

    private void putImage(@Nullable Image image, boolean edge) {
        if (image == null) {
            return;
        }
        byte[] row = image.properties().bytes();
        ensure(Integer.BYTES + row.length);
        buffer.putInt(at, row.length);
        buffer.putBytes(at + Integer.BYTES, row);
        at += Integer.BYTES + row.length;
        if (edge != (image.from() != null && image.to() != null)) {
            throw new IllegalArgumentException("edges, and only edges, have two ends");
        }
        if (image.from() != null && image.to() != null) {
            putText(image.from());
            putText(image.to());
        }
        if (image.isTyped()) {
            ensure(ENDS_BYTES);
            buffer.putInt(at, image.fromType());
            buffer.putInt(at + Integer.BYTES, image.toType());
            at += ENDS_BYTES;
        }
    }

    private void putText(String text) {
        byte[] bytes = utf8(text);
        ensure(Short.BYTES + bytes.length);
        buffer.putShort(at, (short) bytes.length);
        buffer.putBytes(at + Short.BYTES, bytes);
        at += Short.BYTES + bytes.length;
    }

    private void ensure(int more) {
        long needed = (long) at + more;
        if (needed > buffer.capacity()) {
            EventCodec.checkLength(needed);
            int wider = (int) Math.max(needed, Math.min(usualBytesMax, 2L * buffer.capacity()));
            charge(wider - buffer.capacity());
            buffer = new UnsafeBuffer(Arrays.copyOf(buffer.byteArray(), wider));
        }
    }

    static byte[] utf8(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > TEXT_BYTES_MAX) {
            throw new IllegalArgumentException("a text of " + bytes.length + " bytes: at most " + TEXT_BYTES_MAX);
        }
        return bytes;
    }
}
