package service.log.testkit;

import java.util.List;
import service.core.blob.StagedBlobs;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.value.Ulid;
import service.log.format.EventLog;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.group.LogTail;

/** Groups of events without commands. */
public final class Groups {
    private Groups() {}

    /** The events as a group that continues a log. */
    public static EncodedGroup of(Ulid graph, LogTail before, List<? extends Event> events) {
        EncodedGroup group = new EncodedGroup(new EventCodec(), graph, before);
        events.forEach(event -> group.add(event, StagedBlobs.NONE));
        return group;
    }

    /** Appends the events as one group and makes them durable. */
    public static void append(EventLog log, List<? extends Event> events) {
        GroupSink.Outcome outcome = write(log.sink(), of(log.graph(), log.tail(), events));
        if (outcome instanceof GroupSink.Outcome.Failure failure) {
            throw failure.cause();
        }
    }

    /** Writes a group to a sink. */
    public static GroupSink.Outcome write(GroupSink sink, EncodedGroup group) {
        try (GroupSink.OpenGroup open = sink.begin(group)) {
            return open.write();
        }
    }
}
