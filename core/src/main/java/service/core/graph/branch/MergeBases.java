package service.core.graph.branch;

import service.core.graph.request.TimeBudget;
import service.core.port.GraphSession;

/** Finds the bases of merges between branches. One thread, with its session. */
public final class MergeBases {
    private final GraphSession session;
    private final CommitGraph graph;

    /**
     * Over the commit graph that a session shows.
     *
     * @param session open as long as this is used
     */
    public MergeBases(GraphSession session) {
        this.session = session;
        this.graph = new CommitGraph(session, TimeBudget.none("the search for merge bases"));
    }

    /**
     * The offset of the merge base of two branches. Costs in proportion to the merges since then.
     *
     * @param incarnation of one branch, and the length of its history
     * @param other of the other branch, and the length of its history
     */
    public long offset(int incarnation, long length, int other, long otherLength) {
        return graph.mergeBase(head(incarnation, length), head(other, otherLength))
                .offset();
    }

    private CommitGraph.Place head(int incarnation, long length) {
        long sequence = length - 1;
        return new CommitGraph.Place(incarnation, sequence, session.history(incarnation, sequence));
    }
}
