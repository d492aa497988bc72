package service.connect;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Holds one record back until it is known whether it is the last one of its commit. One thread. */
final class Pending {
    private final Map<String, String> partition;
    private @Nullable Draft held;
    private Position finished;

    /** @param begin where the records begin */
    Pending(Map<String, String> partition, Position begin) {
        this.partition = partition;
        this.finished = begin;
    }

    /** Holds a draft back and gives the one before it. */
    void add(Draft draft, Position done, List<GraphRecord> into) {
        if (held != null) {
            boolean isLast = !held.from().id().equals(draft.from().id());
            give(done, held, isLast, into);
        }
        held = draft;
    }

    /** Gives the draft that is held back, as the last one of its commit. */
    void finish(Position done, List<GraphRecord> into) {
        if (held != null) {
            give(done, held, true, into);
            held = null;
        }
    }

    private void give(Position done, Draft draft, boolean isLast, List<GraphRecord> into) {
        into.add(new GraphRecord(partition, done, draft, isLast));
        if (isLast) {
            finished = done;
        }
    }

    /** The position after the last commit whose records were all given. */
    Position finished() {
        return finished;
    }

    @Nullable
    Draft held() {
        return held;
    }
}
