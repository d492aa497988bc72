package service.core.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.budget.Spill;
import service.core.value.EntityKind;

/**
 * Encodes changes into a {@link ChangeBlock}. The changes must be added in the order of an event; the writer checks it.
 * One thread.
 */
public final class ChangeBlockWriter {
    /** A larger block is spilled to disk, if the writer has a budget. */
    static final int HEAP_BYTES_MAX = 4 << 20;

    private static final int RUN_HEAP_BYTES = 1 << 20;

    private final @Nullable RequestBudget budget;

    /** Maximum number of bytes that wait on the heap, if the writer has a budget. */
    private final int heapBytesMax;

    /** The bytes that are encoded and not spilled; the whole block when there is no spill. */
    private final ChangeBytes bytes;

    private final int[] operations = new int[6];
    private final List<ChangeBlock.Stretch> stretches = new ArrayList<>();
    private @Nullable Spill spill;
    private int spilled;

    /** Null for a sorted run, which never becomes part of an event. */
    private final @Nullable EventChecksums checksums;

    private int[] starts = new int[8];
    private int count;
    private int stretchStart;
    private int lastType;
    private byte[] lastId = new byte[0];
    private boolean lastIsEdge;

    /** A writer whose block stays on the heap, whatever its size, and is charged to no request. */
    public ChangeBlockWriter() {
        this(null, EventCodec.EVENT_BYTES_MAX, new EventChecksums());
    }

    /**
     * A writer for a request.
     *
     * @param budget charged for the heap bytes of the block; provides disk space for a large one
     */
    public ChangeBlockWriter(RequestBudget budget) {
        this(budget, HEAP_BYTES_MAX, new EventChecksums());
    }

    private ChangeBlockWriter(@Nullable RequestBudget budget, int heapBytesMax, @Nullable EventChecksums checksums) {
        this.budget = budget;
        this.heapBytesMax = heapBytesMax;
        this.checksums = checksums;
        this.bytes = new ChangeBytes(budget, heapBytesMax);
    }

    /** A writer of a sorted run, whose block goes to disk, whatever its size. */
    static ChangeBlockWriter ofRun(RequestBudget budget) {
        return new ChangeBlockWriter(budget, RUN_HEAP_BYTES, null);
    }

    /** Adds a change. */
    public void add(EntityChange change) {
        add(change.kind(), change.typeIdentity(), change.id(), change.before(), change.after());
    }

    /**
     * Adds a change. A null image means that the entity does not exist in that state; at least one image is not null,
     * and they differ.
     *
     * @throws service.core.error.ServiceException RESOURCE_LIMIT when the block would be longer than an event may be
     */
    public void add(EntityKind kind, int type, String id, @Nullable Image before, @Nullable Image after) {
        byte[] utf8 = ChangeBytes.utf8(id);
        begin(kind == EntityKind.EDGE, type, utf8);
        end(bytes.put(kind, type, utf8, before, after), before != null, after != null);
    }

    /** Adds the current change of a reader by copying its bytes. */
    public void add(ChangeReader change) {
        addFolded(change, change);
    }

    /**
     * Adds the net effect of two changes of one entity: the image before the first and the image after the last. Adds
     * nothing when these are equal.
     */
    public void addNet(ChangeReader first, ChangeReader last) {
        if (!isUnchanged(first, last)) {
            addFolded(first, last);
        }
    }

    private static boolean isUnchanged(ChangeReader first, ChangeReader last) {
        return first.hasBefore() == last.hasAfter()
                && ChangeBlock.compare(
                                first.buffer(),
                                first.beforeImagePosition(),
                                first.beforeImageLength(),
                                last.buffer(),
                                last.afterImagePosition(),
                                last.afterImageLength())
                        == 0;
    }

    /**
     * Like {@link #addNet}, but adds an entity even if its images are equal: a later change of it may follow in another
     * run.
     */
    void addFolded(ChangeReader first, ChangeReader last) {
        byte[] id = new byte[first.idLength()];
        first.buffer().getBytes(first.idPosition(), id);
        begin(first.isEdge(), first.type(), id);
        end(bytes.put(first, last), first.hasBefore(), last.hasAfter());
    }

    private void begin(boolean edge, int type, byte[] id) {
        boolean sameType = count > 0 && lastType == type && lastIsEdge == edge;
        boolean ascends = count == 0
                || (sameType
                        ? Arrays.compareUnsigned(lastId, id) < 0
                        : lastIsEdge == edge ? lastType < type : !lastIsEdge);
        if (!ascends) {
            throw new IllegalArgumentException("changes out of order: type " + type + " after type " + lastType);
        }
        if (!sameType && count > 0) {
            endStretch();
        }
        lastType = type;
        lastId = id;
        lastIsEdge = edge;
    }

    private void endStretch() {
        stretches.add(new ChangeBlock.Stretch(lastType, stretchStart, count));
        stretchStart = count;
    }

    private void end(int start, boolean before, boolean after) {
        EventCodec.checkLength((long) spilled + bytes.length());
        if (count == starts.length) {
            // The starts stay on the heap, also when the changes leave it.
            bytes.chargeForGood(4L * count);
            starts = Arrays.copyOf(starts, count * 2);
        }
        starts[count++] = spilled + start;
        int operation = before ? (after ? 1 : 2) : 0;
        operations[(lastIsEdge ? 3 : 0) + operation]++;
        if (bytes.length() >= heapBytesMax && budget != null) {
            spill(budget);
        }
    }

    private void spill(RequestBudget to) {
        Spill open = spill;
        if (open == null) {
            open = to.spill().open();
            spill = open;
        }
        if (checksums != null) {
            checksums.add(bytes.buffer(), 0, bytes.length());
        }
        open.append(bytes.buffer(), 0, bytes.length());
        spilled += bytes.length();
        bytes.clear();
    }

    /** The number of changes so far. */
    public int count() {
        return count;
    }

    /** Ends the block. The writer must not be used afterwards. */
    public ChangeBlock finish() {
        if (count > 0) {
            endStretch();
        }
        if (budget != null && (spill != null || checksums == null)) {
            spill(budget);
        } else if (checksums != null) {
            checksums.add(bytes.buffer(), 0, bytes.length());
        }
        Spill open = spill;
        int length = spilled + bytes.length();
        if (open != null) {
            bytes.free();
        }
        ChangeBlock.Body body = new ChangeBlock.Body(
                open == null ? bytes.buffer() : open.map(),
                length,
                starts,
                count,
                List.copyOf(stretches),
                new ChangeCounts(
                        operations[0], operations[1], operations[2], operations[3], operations[4], operations[5]),
                checksums == null ? 0 : checksums.crc(),
                checksums == null ? new byte[0] : checksums.hash());
        return new ChangeBlock(body, bytes.isTyped(), open);
    }
}
