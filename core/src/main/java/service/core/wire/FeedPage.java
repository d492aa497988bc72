package service.core.wire;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
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
 * Builds one page as JSON: of {@code GET /changes}, or of the changes of one commit. It is full after a number of
 * changes or {@link #PAGE_BYTES_MAX}; a page is longer only if its single change is. A change that does not fit is
 * removed again. One thread.
 */
public final class FeedPage implements FeedSink {
    public static final int LIMIT_DEFAULT = 1_000;
    public static final int LIMIT_MAX = 10_000;
    public static final int PAGE_BYTES_MAX = 4 << 20;

    /** Space for the end of the page; the number of types that a token names is bounded. */
    private static final int END_BYTES = 8 << 10;

    private static final int FIRST_BYTES = 2 << 10;

    private final JsonBuffer buffer;
    private final JsonWriter json;
    private final ChangeWriter writer;
    private final Int64Form int64;
    private final int limit;
    private final boolean ofCommit;
    private int changes;
    private int blocks;
    private final Map<String, Boolean> shown = new HashMap<>();
    private boolean open;
    private int blockStart;
    private int changesBefore;

    private FeedPage(
            int limit, boolean ofCommit, Predicate<String> showsBranch, RequestBudget budget, Int64Form int64) {
        this.buffer = new JsonBuffer(FIRST_BYTES, budget, int64);
        this.json = buffer.writer();
        this.writer = new ChangeWriter(json, branch -> shown.computeIfAbsent(branch, showsBranch::test));
        this.int64 = int64;
        this.limit = limit;
        this.ofCommit = ofCommit;
        if (!ofCommit) {
            json.beginObject().field("blocks").beginArray();
        }
    }

    /** A page of a feed for a caller; the budget is charged for its bytes. */
    public static FeedPage ofFeed(int limit, Caller caller, RequestBudget budget, Int64Form int64) {
        return new FeedPage(limit, false, branch -> caller.may(Action.READ, branch), budget, int64);
    }

    /** A page of one commit's changes; the budget is charged for its bytes. */
    public static FeedPage ofCommit(int limit, RequestBudget budget, Int64Form int64) {
        return new FeedPage(limit, true, branch -> true, budget, int64);
    }

    /**
     * Checks the maximum number of changes of a page.
     *
     * @param limit the greatest number for one that is not less
     * @throws ServiceException BAD_REQUEST below 1, RESOURCE_LIMIT above {@link #LIMIT_MAX}
     */
    public static int requireLimit(long limit) {
        if (limit < 1) {
            throw ServiceException.badRequest(
                    "`limit` must be an integer from 1 to " + LIMIT_MAX + ", not `" + limit + "`");
        }
        if (limit > LIMIT_MAX) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "`limit` is at most " + LIMIT_MAX + " changes; ask for more pages instead",
                    new ErrorDetail.ResourceLimit("limit", LIMIT_MAX, limit == Long.MAX_VALUE ? null : limit));
        }
        return (int) limit;
    }

    @Override
    public boolean begin(CommitReader cause, @Nullable Catalog brought, Supplier<String> cursorAfter) {
        blockStart = buffer.size();
        if (blocks > 0 && isFull(blockStart)) {
            return false;
        }
        writer.begin(cause, brought);
        open = true;
        changesBefore = changes;
        return true;
    }

    @Override
    public boolean change(Catalog at, ChangeReader change) {
        int before = buffer.size();
        if (changes < limit) {
            writer.change(at, change);
            if ((changes == 0 && blocks == 0) || !isFull(buffer.size())) {
                changes++;
                return true;
            }
            buffer.truncate(before);
        }
        if (changes == changesBefore && blocks > 0) {
            buffer.truncate(blockStart);
        } else {
            json.endArray();
            endBlock();
        }
        open = false;
        return false;
    }

    @Override
    public void end() {
        json.endArray();
        endBlock();
        open = false;
    }

    private void endBlock() {
        if (!ofCommit) {
            json.endObject();
        }
        blocks++;
    }

    private boolean isFull(int size) {
        return changes >= limit || size > PAGE_BYTES_MAX - END_BYTES;
    }

    /** The number of blocks on the page, whole or not. */
    public int blocks() {
        return blocks;
    }

    @Override
    public int changesMax() {
        return limit;
    }

    @Override
    public Int64Form int64() {
        return int64;
    }

    @Override
    public Part part() {
        return Part.NONE;
    }

    /** Drops the page; a sink of pages is used for one only. */
    @Override
    public void continueAfter(Part part) {
        close();
    }

    /** Ends a page of a feed. */
    @Override
    public Content take(FeedOutcome end, boolean shared) {
        closeOpen();
        json.endArray();
        if (end.nextPageToken() != null) {
            json.field("next_page_token").string(end.nextPageToken());
        } else {
            json.field("cursor").string(end.cursor());
            json.field("caught_up").value(end.caughtUp());
        }
        json.endObject();
        if (!shared) {
            return new Content(buffer.pieces(), shown, this::close);
        }
        byte[] body = buffer.toByteArray();
        close();
        return new Content(List.of(ByteBuffer.wrap(body)), shown, null);
    }

    /** Ends a page of a commit's changes, and returns its bytes. */
    public List<ByteBuffer> finish(@Nullable String nextPageToken) {
        closeOpen();
        if (nextPageToken != null) {
            json.field("next_page_token").string(nextPageToken);
        }
        json.endObject();
        return buffer.pieces();
    }

    /** Ends a block that the reader left because its time was over. */
    private void closeOpen() {
        if (open) {
            end();
        }
    }

    private void close() {
        buffer.truncate(0);
    }
}
