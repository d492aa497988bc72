package service.core.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.EntityChange;
import service.core.graph.branch.DiffSink;
import service.core.json.Int64Form;
import service.core.json.JsonBuffer;
import service.core.json.JsonWriter;
import service.core.schema.Catalog;

/**
 * Builds one page of {@code GET /diff} as JSON. It is full after a number of changes or
 * {@link FeedPage#PAGE_BYTES_MAX}. One thread.
 */
public final class DiffPage implements DiffSink {
    private static final int FIRST_BYTES = 2 << 10;
    private static final int END_BYTES = 8 << 10;

    private final JsonBuffer buffer;
    private final JsonWriter json;
    private final int limit;
    private int changes;

    /**
     * An empty page.
     *
     * @param limit maximum number of changes, as {@link FeedPage#requireLimit} allows it
     * @param budget charged for its bytes
     * @param int64 how values of 64 bits are written
     */
    public DiffPage(int limit, RequestBudget budget, Int64Form int64) {
        this.buffer = new JsonBuffer(FIRST_BYTES, budget, int64);
        this.json = buffer.writer();
        this.limit = limit;
    }

    @Override
    public void begin(@Nullable String digest, List<String> steps) {
        json.beginObject().field("schema_change");
        if (digest == null) {
            json.nullValue();
        } else {
            json.beginObject().field("schema_digest").string(digest);
            json.field("steps").beginArray();
            steps.forEach(step -> json.json(step.getBytes(StandardCharsets.UTF_8)));
            json.endArray().endObject();
        }
        json.field("changes").beginArray();
    }

    @Override
    public boolean change(Catalog before, Catalog after, EntityChange change) {
        if (changes >= limit) {
            return false;
        }
        int start = buffer.size();
        ChangeJson.change(json, change, before, after);
        if (changes > 0 && buffer.size() > FeedPage.PAGE_BYTES_MAX - END_BYTES) {
            buffer.truncate(start);
            return false;
        }
        changes++;
        return true;
    }

    /** Ends the page, and returns its bytes, which are not copied. */
    public List<ByteBuffer> finish(@Nullable String nextPageToken) {
        json.endArray();
        if (nextPageToken != null) {
            json.field("next_page_token").string(nextPageToken);
        }
        json.endObject();
        return buffer.pieces();
    }
}
