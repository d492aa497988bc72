package service.core.graph.feed;

import org.jspecify.annotations.Nullable;

/**
 * The end of a page of a feed: a token for the next page, or a cursor at the poll's cut.
 *
 * @param caughtUp whether the cut is still the branch's head
 * @param incarnation of the branch
 * @param headOffset the state of the branch that was read: {@code Graph.awaitNews} waits for a later one
 */
public record FeedOutcome(
        @Nullable String nextPageToken, @Nullable String cursor, boolean caughtUp, int incarnation, long headOffset) {}
