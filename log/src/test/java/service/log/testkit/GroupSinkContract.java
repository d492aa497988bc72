package service.log.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static service.core.testkit.SmallGraph.person;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import service.core.blob.StagedBlobs;
import service.core.event.ChangeBlock;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Fork;
import service.core.event.Stamp;
import service.core.testkit.Seed;
import service.core.value.Ulid;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.group.GroupSink.Outcome;
import service.log.group.LogTail;
import service.log.testkit.MemoryGroupSink.Fault;

/** The contract of {@link GroupSink}: a group is stored as a whole or not at all, and a lost answer can be settled. */
public abstract class GroupSinkContract {
    private static final List<Fault> FAULTS = List.of(Fault.values());
    private static final long MICROS = 1_700_000_000_000_000L;

    private final List<Event> stored = new ArrayList<>();
    private GroupSink sink;
    private LogTail tail;

    /** A sink that continues {@link #start}. */
    protected abstract GroupSink open();

    protected abstract Ulid graph();

    /** The end of the log before the first group. */
    protected abstract LogTail start();

    /** All events after {@link #start}, read from storage. */
    protected abstract List<Event> read();

    /** Makes the next group fail. */
    protected abstract void fail(Fault fault);

    @BeforeEach
    final void begin() {
        sink = open();
        tail = start();
    }

    /** A group of commits, the last event of which makes a branch. */
    private EncodedGroup group(int commits) {
        EncodedGroup group = new EncodedGroup(new EventCodec(), graph(), tail);
        for (int i = 0; i < commits; i++) {
            long offset = group.nextOffset();
            ChangeBlock changes = ChangeBlock.of(List.of(person("p" + offset, offset)));
            group.add(
                    new Event.Commit(
                            new CommitHeader(
                                    new Stamp(offset, MICROS + offset, "tester"),
                                    group.tail().lastCommit().next(),
                                    CommitKind.MUTATION,
                                    new CommitHeader.Lineage(
                                            "main", 0, group.tail().lastCommit(), null),
                                    null,
                                    changes.counts(),
                                    null),
                            changes),
                    StagedBlobs.NONE);
        }
        group.add(
                new Event.BranchCreated(
                        new Stamp(group.nextOffset(), MICROS + group.nextOffset(), null),
                        "b" + group.nextIncarnation(),
                        group.nextIncarnation(),
                        new Fork(0, "main", group.tail().offset(), group.tail().lastCommit())),
                StagedBlobs.NONE);
        return group;
    }

    private void isStored(EncodedGroup group) {
        group.parts().forEach(part -> stored.add(part.event().event()));
        tail = group.tail();
    }

    @Test
    void groupsAreStoredOneAfterTheOther() {
        for (int commits : new int[] {1, 0, 7}) {
            EncodedGroup group = group(commits);
            assertThat(Groups.write(sink, group)).isInstanceOf(Outcome.Durable.class);
            isStored(group);
            assertThat(read()).isEqualTo(stored);
        }
        assertThatThrownBy(sink::settle).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aStagedGroupIsStoredOnlyWhenItIsWritten() {
        EncodedGroup dropped = group(3);
        try (GroupSink.OpenGroup open = sink.begin(dropped)) {
            open.stage();
        }
        assertThat(read()).isEmpty();
        EncodedGroup group = group(2);
        try (GroupSink.OpenGroup open = sink.begin(group)) {
            open.stage();
            open.stage();
            assertThat(open.write(GroupSink.Progress.NONE)).isInstanceOf(Outcome.Durable.class);
        }
        isStored(group);
        assertThat(read()).isEqualTo(stored);
    }

    @Test
    void aLostGroupIsSettledAsRefused() {
        fail(Fault.LOST_BEFORE);
        assertThat(Groups.write(sink, group(2))).isInstanceOf(Outcome.Unknown.class);
        assertThatThrownBy(() -> sink.begin(group(1)).close()).isInstanceOf(IllegalStateException.class);
        assertThat(sink.settle()).isInstanceOf(Outcome.Refused.class);
        assertThat(read()).isEmpty();
        EncodedGroup again = group(2);
        assertThat(Groups.write(sink, again)).isInstanceOf(Outcome.Durable.class);
        isStored(again);
        assertThat(read()).isEqualTo(stored);
    }

    @Test
    void aGroupWhoseAnswerIsLostIsSettledAsDurable() {
        EncodedGroup group = group(2);
        fail(Fault.LOST_AFTER_AND_LOOK);
        assertThat(Groups.write(sink, group)).isInstanceOf(Outcome.Unknown.class);
        assertThat(sink.settle()).isInstanceOf(Outcome.Unknown.class);
        assertThatThrownBy(() -> sink.begin(group).close()).isInstanceOf(IllegalStateException.class);
        assertThat(sink.settle()).isInstanceOf(Outcome.Durable.class);
        isStored(group);
        assertThat(read()).isEqualTo(stored);
    }

    /** Writes a group again exactly when it is settled as refused: each event is stored once. */
    @Test
    void everyGroupIsStoredOnceWhateverIsLost(@Seed long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 30; round++) {
            EncodedGroup group = group(random.nextInt(4));
            while (true) {
                int fault = random.nextInt(FAULTS.size() * 2);
                if (fault < FAULTS.size()) {
                    fail(FAULTS.get(fault));
                }
                Outcome outcome = Groups.write(sink, group);
                while (outcome instanceof Outcome.Unknown) {
                    outcome = sink.settle();
                }
                if (outcome instanceof Outcome.Durable) {
                    break;
                }
            }
            isStored(group);
        }
        assertThat(read()).isEqualTo(stored);
    }
}
