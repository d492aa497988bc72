package service.log.commit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.event.CommitHeader;
import service.core.event.CommitReader;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.port.Branch;
import service.core.port.BranchMove;
import service.core.port.CommitPosition;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RememberedWrite;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.Ulid;
import service.log.format.EventLog;
import service.log.format.EventReader;

/** Projections on the heap: branches and the set of live ids of main. What was not committed is forgotten. */
public final class MemoryProjector implements Projector {
    /** What is known after some event. */
    private record State(long applied, Map<String, Branch> branches, Set<String> ids) {
        State copy() {
            return new State(applied, new HashMap<>(branches), new HashSet<>(ids));
        }
    }

    private final EventLog log;
    private State committed = new State(-1, Map.of(), Set.of());
    private @Nullable State open;
    final List<String> steps = new ArrayList<>();
    Consumer<Event> onApply = event -> {};
    Runnable onCommit = () -> {};
    Runnable onCatchUp = () -> {};
    int growths;

    public MemoryProjector(EventLog log) {
        this.log = log;
    }

    @Override
    public WriteSession begin(WriterClock ids) {
        if (open != null) {
            throw new AssertionError("a group is open");
        }
        open = committed.copy();
        return new Session(ids);
    }

    @Override
    public void apply(Event event) {
        onApply.accept(event);
        open = applied(open, event);
    }

    @Override
    public void commit() {
        State next = open;
        open = null;
        onCommit.run();
        committed = next;
        steps.add("commit " + next.applied());
    }

    @Override
    public void abort() {
        open = null;
        steps.add("abort");
    }

    @Override
    public long appliedOffset() {
        return committed.applied();
    }

    @Override
    public void grow() {
        if (open != null) {
            throw new AssertionError("a group is open");
        }
        growths++;
    }

    @Override
    public void catchUp(long lastOffset) {
        onCatchUp.run();
        State[] state = {committed.copy()};
        try (EventReader reader = log.read()) {
            reader.scan(committed.applied() + 1, (offset, bytes) -> {
                state[0] = applied(state[0], reader.codec().decode(bytes, offset));
                return true;
            });
        }
        committed = state[0];
        steps.add("catch up " + committed.applied());
    }

    Set<String> ids() {
        return committed.ids();
    }

    private static State applied(State state, Event event) {
        if (event.offset() != state.applied() + 1) {
            throw new AssertionError("event " + event.offset() + " after " + state.applied());
        }
        switch (event) {
            case Event.Commit commit -> {
                CommitHeader header = commit.header();
                Branch old = state.branches().get(header.branch());
                state.branches()
                        .put(
                                header.branch(),
                                branch(
                                        header.branch(),
                                        header.incarnation(),
                                        header.id(),
                                        event,
                                        old == null ? 0 : old.historyLength()));
                for (EntityChange change : commit.changes().changes()) {
                    if (change.after() == null) {
                        state.ids().remove(change.id());
                    } else {
                        state.ids().add(change.id());
                    }
                }
            }
            case Event.BranchCreated created ->
                state.branches()
                        .put(
                                created.name(),
                                branch(created.name(), created.incarnation(), created.forkCommit(), event, 0));
            case Event.BranchDeleted deleted -> state.branches().remove(deleted.name());
            case Event.BranchFastForwarded ignored -> {}
            case Event.WriteRemembered ignored -> {}
        }
        return new State(event.offset(), state.branches(), state.ids());
    }

    private static Branch branch(String name, int incarnation, Ulid head, Event event, long history) {
        return new Branch(
                name,
                incarnation,
                head,
                event.offset(),
                history + 1,
                0,
                null,
                null,
                0,
                event.timeMicros(),
                event.actor());
    }

    /** The open group, as commands see it. */
    final class Session implements WriteSession {
        private final WriterClock ids;

        Session(WriterClock ids) {
            this.ids = ids;
        }

        boolean has(String id) {
            return open.ids().contains(id);
        }

        @Override
        public Ulid nextId() {
            return ids.nextId();
        }

        @Override
        public long nowMicros() {
            return ids.nowMicros();
        }

        @Override
        public @Nullable Branch branch(String name) {
            return open.branches().get(name);
        }

        @Override
        public List<Branch> branches() {
            return List.copyOf(open.branches().values());
        }

        @Override
        public int branchCount() {
            return branches().size();
        }

        @Override
        public List<String> branchNamesAround(String name, int max) {
            return branches().stream().map(Branch::name).limit(max).toList();
        }

        @Override
        public @Nullable Branch branchOf(int incarnation) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isReclaimed(int incarnation, long offset) {
            return false;
        }

        @Override
        public long sequence(CommitPosition position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long lastMerge(int incarnation, long sequence) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable BranchMove moveAsOf(String name, long timeMicros) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable BranchMove firstMove(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable CommitPosition position(Ulid commit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long appliedOffset() {
            return open.applied();
        }

        @Override
        public GraphView view(ReadPoint point) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long history(int incarnation, long sequence) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void history(int incarnation, long sequence, long[] into) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CommitHeader header(long offset) {
            try (EventReader reader = log.readInside()) {
                return reader.commitHeader(offset);
            }
        }

        @Override
        public Event outline(long offset) {
            return event(offset);
        }

        @Override
        public Event event(long offset) {
            try (EventReader reader = log.readInside()) {
                return reader.event(offset);
            }
        }

        @Override
        public CommitReader commit(long offset, long mark) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Catalog catalog(ReadPoint point) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable RememberedWrite remembered(@Nullable String actor, String key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
