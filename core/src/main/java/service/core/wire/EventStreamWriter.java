package service.core.wire;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.MemoryAccount;
import service.core.budget.RequestBudget;
import service.core.event.ChangeReader;
import service.core.event.CommitReader;
import service.core.graph.feed.FeedOutcome;
import service.core.graph.feed.FeedSink;
import service.core.json.Int64Form;
import service.core.json.JsonBuffer;
import service.core.json.JsonWriter;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.schema.Catalog;

/**
 * Writes a feed as server-sent events, in pieces of about {@link #PIECE_BYTES}; the data of a long block continues in
 * the next piece. JSON has no line ends, so a block is one {@code data:} line. One thread.
 */
public final class EventStreamWriter implements FeedSink {
    public static final int PIECE_BYTES = 64 << 10;

    private final Int64Form int64;
    private final MemoryAccount memory;
    private final JsonBuffer buffer;
    private final JsonWriter json;
    private final ChangeWriter writer;
    private final Map<String, Boolean> shown = new HashMap<>();
    private Part part = Part.NONE;

    /** The part of a block that the first byte of the piece follows. */
    private Part first = Part.NONE;

    /** The bytes up to the end of the last event that ends in the piece. */
    private int whole;

    /** A stream for a caller; the budget is charged for the pieces that it alone gets. */
    public EventStreamWriter(Caller caller, RequestBudget budget, Int64Form int64) {
        this.int64 = int64;
        this.memory = budget.memory();
        this.buffer = new JsonBuffer(4 << 10, budget, int64);
        this.json = buffer.writer();
        this.writer =
                new ChangeWriter(json, branch -> shown.computeIfAbsent(branch, name -> caller.may(Action.READ, name)));
    }

    @Override
    public boolean begin(CommitReader cause, @Nullable Catalog brought, Supplier<String> cursorAfter) {
        if (part != Part.NONE) {
            return true;
        }
        if (buffer.size() >= PIECE_BYTES) {
            return false;
        }
        json.text("id: ").text(cursorAfter.get()).text("\nevent: block\ndata: ");
        writer.begin(cause, brought);
        part = Part.CAUSE;
        return true;
    }

    @Override
    public boolean change(Catalog at, ChangeReader change) {
        if (buffer.size() >= PIECE_BYTES) {
            return false;
        }
        writer.change(at, change);
        part = Part.CHANGES;
        return true;
    }

    @Override
    public void end() {
        json.endArray().endObject();
        json.text("\n\n");
        part = Part.NONE;
        whole = buffer.size();
    }

    /** Whether the stream has sent a part of an event, so that nothing but its rest may follow. */
    public boolean isInsideEvent() {
        return first != Part.NONE && told() == 0;
    }

    /** The bytes that a refusal follows: long events stay out, since their copy is not charged. */
    private int told() {
        return whole <= PIECE_BYTES ? whole : 0;
    }

    /**
     * Returns the last event, with the reason for the end of the stream, after the short events that were not taken.
     *
     * @param body a refusal as JSON
     */
    public ByteBuffer error(byte[] body) {
        buffer.truncate(told());
        json.text("event: error\ndata: ").json(body);
        json.text("\n\n");
        return ByteBuffer.wrap(buffer.toByteArray());
    }

    @Override
    public int changesMax() {
        return 0;
    }

    @Override
    public Int64Form int64() {
        return int64;
    }

    /** Another part than {@code NONE} means that a block is incomplete: only its rest may follow. */
    @Override
    public Part part() {
        return part;
    }

    @Override
    public void continueAfter(Part last) {
        clear();
        part = last;
        first = last;
        json.continueAfter(last == Part.CHANGES);
    }

    /** Ends the piece, at the head with the event that says so. */
    @Override
    public Content take(FeedOutcome end, boolean isShared) {
        String cursor = end.cursor();
        if (cursor != null) {
            json.text("id: ").text(cursor).text("\nevent: caught_up\ndata: ");
            json.beginObject().field("cursor").string(cursor).endObject();
            json.text("\n\n");
        }
        int size = isShared ? 0 : buffer.size();
        memory.charge(size, "the piece of the feed", "filter the changes by type");
        Content piece = new Content(
                List.of(ByteBuffer.wrap(buffer.toByteArray())),
                Map.copyOf(shown),
                isShared ? null : () -> memory.release(size));
        clear();
        return piece;
    }

    /** The next piece depends on the names that it has itself, and a stream may have no end. */
    private void clear() {
        buffer.truncate(0);
        whole = 0;
        shown.clear();
        writer.forgetBranch();
    }
}
