package service.connect;

import java.util.Map;
import org.apache.kafka.connect.source.SourceRecord;

/** A record that knows whether its commit ends with it. */
final class GraphRecord extends SourceRecord {
    private final boolean last;
    private final boolean ofBaseline;
    private final CommitInfo from;

    GraphRecord(Map<String, ?> partition, Position after, Draft draft, boolean last) {
        super(
                partition,
                after.toOffset(),
                draft.topic(),
                null,
                draft.keySchema(),
                draft.key(),
                draft.valueSchema(),
                draft.value());
        this.last = last;
        this.ofBaseline = after.place() == null;
        this.from = draft.from();
    }

    /** Whether it is the last one of its commit, or of a baseline. */
    boolean isLast() {
        return last;
    }

    /** Whether it comes from a baseline and is not the last record of it. */
    boolean isOfBaseline() {
        return ofBaseline;
    }

    CommitInfo from() {
        return from;
    }
}
