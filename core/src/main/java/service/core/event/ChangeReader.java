package service.core.event;

import static service.core.event.EventLayout.*;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;

/**
 * Reads the changes of an event in place, one at a time, without allocating: a flyweight over the event's bytes.
 * Positions count from the start of {@link #buffer}. Valid as long as those bytes (in a read transaction, until it
 * closes). One thread.
 *
 * <p>Starts before the first change: {@code while (reader.next()) …}. The accessors return parts of the current change;
 * those of an image may be called only if the image exists, those of ends only for an edge.
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

    /** Moves to the change at a position, which has that index. */
    void moveTo(int position, int changeIndex) {
        next = position;
        index = changeIndex;
        next();
    }

    /** Continues at the mark of another reader of the same event. */
    void resume(long mark) {
        int position = (int) mark;
        int passed = (int) (mark >>> 32);
        if (passed < 0 || passed > count || position < next || position > end) {
            throw EventFormatException.damaged(offset, "no change begins at " + position);
        }
        next = position;
        index = passed;
    }

    /** The position of the next change. It stays valid for {@link EventCodec#commit} on the same event. Never 0. */
    public long mark() {
        return (long) index << 32 | next;
    }

    /** The number of changes in the event. */
    public int count() {
        return count;
    }

    /** Whether there is a change after the current one. */
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
                throw EventFormatException.damaged(offset, "bytes after the last change");
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
        afterAt = hasBefore() ? imageEnd(beforeAt, CHANGE_BEFORE_TYPED) : beforeAt;
        return true;
    }

    /** The start of the current change. */
    public int position() {
        return start;
    }

    /** The length of the current change in bytes. */
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

    /** The start of the id's UTF-8 bytes. */
    public int idPosition() {
        return idAt;
    }

    public int idLength() {
        return idLength;
    }

    /** The start of the row of the image before, in the layout of {@link PropertyRow}. */
    public int beforePosition() {
        return beforeAt + Integer.BYTES;
    }

    public int beforeLength() {
        return buffer.getInt(beforeAt);
    }

    /** The start of the row of the image after, in the layout of {@link PropertyRow}. */
    public int afterPosition() {
        return afterAt + Integer.BYTES;
    }

    public int afterLength() {
        return buffer.getInt(afterAt);
    }

    /** The start of the source's id in the image before. */
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

    /** The start of the source's id in the image after. */
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

    /** The type of the source in the image before, as {@link Image#fromType}. */
    public int beforeFromType() {
        return endType(beforeAt, CHANGE_BEFORE_TYPED, 0);
    }

    public int beforeToType() {
        return endType(beforeAt, CHANGE_BEFORE_TYPED, Integer.BYTES);
    }

    /** The type of the source in the image after, as {@link Image#fromType}. */
    public int afterFromType() {
        return endType(afterAt, CHANGE_AFTER_TYPED, 0);
    }

    public int afterToType() {
        return endType(afterAt, CHANGE_AFTER_TYPED, Integer.BYTES);
    }

    boolean hasTypedBefore() {
        return (flags & CHANGE_BEFORE_TYPED) != 0;
    }

    boolean hasTypedAfter() {
        return (flags & CHANGE_AFTER_TYPED) != 0;
    }

    private int endType(int imageAt, int typed, int at) {
        return (flags & typed) == 0 ? 0 : buffer.getInt(textEnd(textEnd(fromAt(imageAt))) + at);
    }

    /** The start of the image before: the row and, for an edge, the ends. */
    int beforeImagePosition() {
        return beforeAt;
    }

    int beforeImageLength() {
        return afterAt - beforeAt;
    }

    /** The start of the image after: the row and, for an edge, the ends. */
    int afterImagePosition() {
        return afterAt;
    }

    int afterImageLength() {
        return next - afterAt;
    }

    public String id() {
        return text(idAt, idLength);
    }

    /** The image before as a new object; null when there is none. */
    public @Nullable Image before() {
        return hasBefore() ? image(beforeAt, CHANGE_BEFORE_TYPED) : null;
    }

    /** The image after as a new object; null when there is none. */
    public @Nullable Image after() {
        return hasAfter() ? image(afterAt, CHANGE_AFTER_TYPED) : null;
    }

    /** The whole change as a new object. */
    public EntityChange change() {
        return new EntityChange(kind(), type, id(), before(), after());
    }

    private Image image(int at, int typed) {
        byte[] row = new byte[buffer.getInt(at)];
        buffer.getBytes(at + Integer.BYTES, row);
        PropertyRow properties = PropertyRow.wrap(row);
        if (!isEdge()) {
            return Image.ofNode(properties);
        }
        int from = fromAt(at);
        int to = textEnd(from);
        return new Image(
                properties,
                text(from + Short.BYTES, textLength(from)),
                text(to + Short.BYTES, textLength(to)),
                endType(at, typed, 0),
                endType(at, typed, Integer.BYTES));
    }

    private int imageEnd(int at, int typed) {
        int rowEnd = fromAt(at);
        return isEdge() ? textEnd(textEnd(rowEnd)) + ((flags & typed) == 0 ? 0 : ENDS_BYTES) : rowEnd;
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

    /** The text of UTF-8 at a position of this change. */
    public String text(int at, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(at, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
