package service.log.testkit;

import static service.core.testkit.SmallGraph.person;

import java.util.List;
import service.core.blob.StagedBlobs;
import service.core.event.ChangeBlock;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Stamp;
import service.core.value.Ulid;
import service.log.format.EventLog;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.group.LogTail;

/** Groups of events without commands. */
public final class Groups {
    private static final long MICROS = 1_700_000_000_000_000L;

    private Groups() {}

    /** The events as a group that continues a log. */
    public static EncodedGroup of(Ulid graph, LogTail before, List<? extends Event> events) {
        EncodedGroup group = new EncodedGroup(new EventCodec(), graph, before);
        events.forEach(event -> group.add(event, StagedBlobs.NONE));
        return group;
    }

    /**
     * One commit to main that continues a log and inserts a person.
     *
     * @param name the person's name without its suffix, the offset of the commit
     */
    public static EncodedGroup insert(EventLog log, String name) {
        EncodedGroup group = new EncodedGroup(new EventCodec(), log.graph(), log.tail());
        long offset = group.nextOffset();
        ChangeBlock changes = ChangeBlock.of(List.of(person(name + offset, offset)));
        CommitHeader header = new CommitHeader(
                new Stamp(offset, MICROS + offset, "tester"),
                group.tail().lastCommit().next(),
                CommitKind.MUTATION,
                new CommitHeader.Lineage("main", 0, group.tail().lastCommit(), null),
                null,
                changes.counts(),
                null);
        group.add(new Event.Commit(header, changes), StagedBlobs.NONE);
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
            return open.write(GroupSink.Progress.NONE);
        }
    }
}
