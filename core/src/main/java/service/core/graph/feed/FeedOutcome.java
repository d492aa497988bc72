package service.core.graph.feed;

import org.jspecify.annotations.Nullable;

/**
 * How a page of a feed ended: with a token for the next page, or at the poll's cut with a cursor.
 *
 * @param caughtUp whether the cut is still the branch's head
 * @param incarnation the branch's, and with it
 * @param headOffset its state that was looked at: what {@code Graph.awaitNews} waits to pass
 */
public record FeedOutcome(
        @Nullable String nextPageToken, @Nullable String cursor, boolean caughtUp, int incarnation, long headOffset) {}
