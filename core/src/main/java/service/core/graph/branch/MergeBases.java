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
     * The offsets of the merge bases of two branches: several in a criss-cross history. Costs in proportion to the
     * merges since then.
     *
     * @param incarnation of one branch, and the length of its history
     * @param other of the other branch, and the length of its history
     */
    public long[] offsets(int incarnation, long length, int other, long otherLength) {
        return graph.mergeBases(head(incarnation, length), head(other, otherLength)).stream()
                .mapToLong(CommitGraph.Place::offset)
                .toArray();
    }

    private CommitGraph.Place head(int incarnation, long length) {
        long sequence = length - 1;
        return new CommitGraph.Place(incarnation, sequence, session.history(incarnation, sequence));
    }
}
