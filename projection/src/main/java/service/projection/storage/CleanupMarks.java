package service.projection.storage;

import service.core.event.Origin;
import service.core.port.CommitLog;
import service.core.port.WriteCommand;
import service.log.commit.Writer;
import service.log.retain.Retention;
import service.projection.apply.LiveProjector;
import service.projection.retain.ReadNeeds;
import service.projection.retain.RetentionPlan;

/**
 * Sets the marks of a cleanup, unless its plan takes a state that was named or is read since the plan was made.
 *
 * <p>Where other processes write the graph too, the marks are an event of the log. Each process takes it in like a
 * commit: it decides all later commands over these marks, and cleans up its own copy. Elsewhere the marks are a value
 * beside the events.
 */
final class CleanupMarks {
    private final CleanedGraph graph;
    private final Writer writer;
    private final LiveProjector projector;
    private final ReadHolds holds;
    private final boolean isShared;

    /** @param isShared whether other processes may write the graph */
    CleanupMarks(CleanedGraph graph, Writer writer, LiveProjector projector, ReadHolds holds, boolean isShared) {
        this.graph = graph;
        this.writer = writer;
        this.projector = projector;
        this.holds = holds;
        this.isShared = isShared;
    }

    /** What reads in progress need. */
    ReadNeeds needs() {
        return holds.needs();
    }

    /**
     * Sets the marks of a plan. Waits for the writer's thread, so that no branch or tag is created between the check
     * and the marks.
     *
     * @param before the marks that the plan was made over
     * @return false when the plan must be made again
     */
    boolean set(Retention before, Retention plan) {
        return isShared ? append(before, plan) : put(before, plan);
    }

    private boolean put(Retention before, Retention plan) {
        boolean[] marked = new boolean[1];
        WriterSlices.await(
                writer::between,
                () -> marked[0] = !new CleanupSearch(graph).takesNamed(before, plan)
                        && unlessRead(
                                before,
                                plan,
                                () -> graph.log().retain(graph.log().retention().markedAs(plan))));
        return marked[0];
    }

    private boolean append(Retention before, Retention plan) {
        return CommitLog.await(writer.submit(session -> {
            if (!graph.log().retention().takesTheSameAs(before)
                    || projector.asks(access -> RetentionPlan.takesNamed(access, before, plan))
                    || !unlessRead(before, plan, () -> {})) {
                return new WriteCommand.Decision.Nothing<>(false);
            }
            return new WriteCommand.Decision.Append<>(
                    new WriteCommand.Draft.ReclaimHistory(plan.encodeMarks(), Origin.of(null)), event -> true);
        }));
    }

    private boolean unlessRead(Retention before, Retention plan, Runnable marking) {
        return holds.mark(
                read -> before.isReadable(read.incarnation(), read.offset())
                        && !plan.isReadable(read.incarnation(), read.offset()),
                marking);
    }
}
