package service.core.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Supplier;
import service.core.event.ChangeReader;
import service.core.event.CommitReader;
import service.core.graph.feed.BlockSink;
import service.core.json.JsonBuffer;
import service.core.json.JsonWriter;
import service.core.schema.Catalog;

/**
 * A feed as server-sent events, in pieces of about {@link #PIECE_BYTES}: a long block's data goes on in the next piece.
 * JSON has no line ends, so a block is one {@code data:} line. One thread.
 */
public final class EventStreamWriter implements BlockSink {
    public static final int PIECE_BYTES = 64 << 10;

    private final JsonBuffer buffer = new JsonBuffer(4 << 10);
    private final JsonWriter json = buffer.writer();
    private final ChangeWriter writer = new ChangeWriter(json);
    private boolean inside;

    @Override
    public boolean begin(CommitReader cause, boolean continued, Supplier<String> cursorBehind) {
        if (inside) {
            return true;
        }
        if (buffer.size() >= PIECE_BYTES) {
            return false;
        }
        json.text("id: ").text(cursorBehind.get()).text("\nevent: block\ndata: ");
        writer.begin(cause, cause.schema());
        inside = true;
        return true;
    }

    @Override
    public boolean change(Catalog at, ChangeReader change) {
        if (buffer.size() >= PIECE_BYTES) {
            return false;
        }
        writer.change(at, change);
        return true;
    }

    @Override
    public void end() {
        json.endArray().endObject();
        json.text("\n\n");
        inside = false;
    }

    /** The head is reached. */
    public void caughtUp(String cursor) {
        json.text("id: ").text(cursor).text("\nevent: caught_up\ndata: ");
        json.beginObject().field("cursor").string(cursor).endObject();
        json.text("\n\n");
    }

    /** What keeps an idle connection from looking dead. */
    public void comment() {
        json.text(":\n\n");
    }

    /** The last event: why the stream ends. */
    public void error(byte[] body) {
        json.text("event: error\ndata: ").json(body);
        json.text("\n\n");
    }

    /** Whether a block is cut: nothing but its rest may follow. */
    public boolean isInside() {
        return inside;
    }

    /** Hands over what was written since the last time. */
    public void drainTo(OutputStream into) throws IOException {
        buffer.drainTo(into);
    }
}
