package service.core.graph.feed;

import org.jspecify.annotations.Nullable;
import service.core.graph.request.Settings;

/**
 * A poll of a branch's change feed; at most one of {@code cursor}, {@code start} and {@code pageToken}.
 *
 * @param branch null for {@code main}, or for the branch of the page token
 * @param cursor where an earlier poll ended
 * @param start {@code now} (default), {@code beginning}, {@code after:<commit id>}
 * @param pageToken the next page of a poll
 * @param settings how long one page may take, and how much it may look at: it ends there
 */
public record FeedRequest(
        @Nullable String branch,
        @Nullable String cursor,
        @Nullable String start,
        @Nullable String pageToken,
        ChangeSelection selection,
        Settings settings) {
    /** The same poll from a cursor on. */
    public FeedRequest from(@Nullable String resumed) {
        return new FeedRequest(branch, resumed, null, null, selection, settings);
    }
}
