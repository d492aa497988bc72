package service.core.graph.feed;

import org.jspecify.annotations.Nullable;
import service.core.graph.request.Settings;

/**
 * A poll of a branch's change feed; at most one of {@code cursor}, {@code start} and {@code pageToken}.
 *
 * @param branch null for {@code main}, or for the branch of the page token
 * @param cursor the end of an earlier poll
 * @param start {@code now} (default), {@code beginning}, {@code after:<commit id>}
 * @param pageToken the next page of a poll
 * @param settings the limits of time and work of one page, which ends when it reaches them
 */
public record FeedRequest(
        @Nullable String branch,
        @Nullable String cursor,
        @Nullable String start,
        @Nullable String pageToken,
        ChangeSelection selection,
        Settings settings) {
    /** The same poll from a cursor. */
    public FeedRequest from(@Nullable String resumed) {
        return new FeedRequest(branch, resumed, null, null, selection, settings);
    }
}
