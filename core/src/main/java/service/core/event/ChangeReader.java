package service.core.event;

import static service.core.event.EventLayout.*;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;

/**
 * Walks the changes of an event where they lie, one at a time, without allocating: a flyweight over the event's bytes.
 * Positions count from the start of {@link #buffer}. Valid while those bytes are (a read transaction, until it closes).
 * One thread.
 *
 * <p>Begins before the first change: {@code while (reader.next()) …}. The accessors speak of the change that
 * {@link #next} has moved to; those of an image only of one that is there, those of ends only of an edge.
 */
public final class ChangeReader {
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private long offset;
    private int end;
    private int count;
    private int index;
    private int start;
    private int next;
    private int flags;
    private int type;
    private int idAt;
    private int idLength;
    private int beforeAt;
    private int afterAt;

    void wrap(DirectBuffer event, int first, int lastEnd, int changes, long eventOffset) {
        buffer.wrap(event);
        next = first;
        end = lastEnd;
        count = changes;
        index = 0;
        offset = eventOffset;
    }

    /** Moves to the change at a position, which is the one of the index. */
    void moveTo(int position, int changeIndex) {
        next = position;
        index = changeIndex;
        next();
    }

    /** Goes on where another reader of the same event stood. */
    void resume(long mark) {
        int position = (int) mark;
        int passed = (int) (mark >>> 32);
        if (passed < 0 || passed > count || position < next || position > end) {
            throw EventFormatException.damaged(offset, "no change begins at " + position);
        }
        next = position;
        index = passed;
    }

    /** Where the next change begins: good for {@link EventCodec#commit} on the same event for ever. Never 0. */
    public long mark() {
        return (long) index << 32 | next;
    }

    /** The number of changes in the event. */
    public int count() {
        return count;
    }

    /** Whether there is a change behind this one. */
    public boolean hasNext() {
        return index < count;
    }

    /** The event's bytes. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** Moves to the next change; false when there is none. */
    public boolean next() {
        if (index == count) {
            if (next != end) {
                throw EventFormatException.damaged(offset, "bytes behind the last change");
            }
            return false;
        }
        start = next;
        int length = buffer.getInt(start);
        if (length < CHANGE_AT_ID || length > end - start) {
            throw EventFormatException.damaged(offset, "length of change " + index);
        }
        next = start + length;
        index++;
        flags = buffer.getByte(start + CHANGE_AT_FLAGS);
        type = buffer.getInt(start + CHANGE_AT_TYPE);
        idAt = start + CHANGE_AT_ID;
        idLength = buffer.getShort(start + CHANGE_AT_ID_LENGTH) & 0xFFFF;
        beforeAt = idAt + idLength;
        afterAt = hasBefore() ? imageEnd(beforeAt) : beforeAt;
        return true;
    }

    /** Where the encoding of the change begins. */
    public int position() {
        return start;
    }

    /** The length of the encoding of the change in bytes. */
    public int length() {
        return next - start;
    }

    public boolean isEdge() {
        return (flags & CHANGE_EDGE) != 0;
    }

    public EntityKind kind() {
        return isEdge() ? EntityKind.EDGE : EntityKind.NODE;
    }

    public boolean hasBefore() {
        return (flags & CHANGE_BEFORE) != 0;
    }

    public boolean hasAfter() {
        return (flags & CHANGE_AFTER) != 0;
    }

    /** Stable identity of the entity's type. */
    public int type() {
        return type;
    }

    /** Where the id's UTF-8 bytes begin. */
    public int idPosition() {
        return idAt;
    }

    public int idLength() {
        return idLength;
    }

    /** Where the row of the image before begins: bytes as {@link PropertyRow} draws them. */
    public int beforePosition() {
        return beforeAt + Integer.BYTES;
    }

    public int beforeLength() {
        return buffer.getInt(beforeAt);
    }

    /** Where the row of the image after begins: bytes as {@link PropertyRow} draws them. */
    public int afterPosition() {
        return afterAt + Integer.BYTES;
    }

    public int afterLength() {
        return buffer.getInt(afterAt);
    }

    /** Where the source's id begins in the image before. */
    public int beforeFromPosition() {
        return fromAt(beforeAt) + Short.BYTES;
    }

    public int beforeFromLength() {
        return textLength(fromAt(beforeAt));
    }

    public int beforeToPosition() {
        return textEnd(fromAt(beforeAt)) + Short.BYTES;
    }

    public int beforeToLength() {
        return textLength(textEnd(fromAt(beforeAt)));
    }

    /** Where the source's id begins in the image after. */
    public int afterFromPosition() {
        return fromAt(afterAt) + Short.BYTES;
    }

    public int afterFromLength() {
        return textLength(fromAt(afterAt));
    }

    public int afterToPosition() {
        return textEnd(fromAt(afterAt)) + Short.BYTES;
    }

    public int afterToLength() {
        return textLength(textEnd(fromAt(afterAt)));
    }

    /** Where the encoding of the image before begins: row and, of an edge, ends. */
    int beforeImagePosition() {
        return beforeAt;
    }

    int beforeImageLength() {
        return afterAt - beforeAt;
    }

    /** Where the encoding of the image after begins. */
    int afterImagePosition() {
        return afterAt;
    }

    int afterImageLength() {
        return next - afterAt;
    }

    public String id() {
        return text(idAt, idLength);
    }

    /** The image before as an object of its own, or null when there is none. */
    public @Nullable Image before() {
        return hasBefore() ? image(beforeAt) : null;
    }

    /** The image after as an object of its own, or null when there is none. */
    public @Nullable Image after() {
        return hasAfter() ? image(afterAt) : null;
    }

    /** The whole change as an object of its own. */
    public EntityChange change() {
        return new EntityChange(kind(), type, id(), before(), after());
    }

    private Image image(int at) {
        byte[] row = new byte[buffer.getInt(at)];
        buffer.getBytes(at + Integer.BYTES, row);
        PropertyRow properties = PropertyRow.wrap(row);
        if (!isEdge()) {
            return Image.ofNode(properties);
        }
        int from = fromAt(at);
        int to = textEnd(from);
        return Image.ofEdge(
                properties, text(from + Short.BYTES, textLength(from)), text(to + Short.BYTES, textLength(to)));
    }

    private int imageEnd(int at) {
        int rowEnd = fromAt(at);
        return isEdge() ? textEnd(textEnd(rowEnd)) : rowEnd;
    }

    private int fromAt(int imageAt) {
        return imageAt + Integer.BYTES + buffer.getInt(imageAt);
    }

    private int textLength(int at) {
        return buffer.getShort(at) & 0xFFFF;
    }

    private int textEnd(int at) {
        return at + Short.BYTES + textLength(at);
    }

    private String text(int at, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(at, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
