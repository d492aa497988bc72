package service.core.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeBlock;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.CommitReader;
import service.core.event.EncodedEvent;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Fork;
import service.core.event.IdempotencyKey;
import service.core.event.Image;
import service.core.port.Branch;
import service.core.port.BranchMove;
import service.core.port.BranchStep;
import service.core.port.CommitPosition;
import service.core.port.DeletedBranch;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RememberedWrite;
import service.core.port.Tag;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.PropertyRow;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;
import service.core.value.ValueOrder;

/**
 * The state that a log folds to, on the heap: branches, histories, and every state of every branch as a whole map.
 * {@link #apply} takes the next event; {@link #copy} keeps the state before it. Slow and simple on purpose.
 *
 * <p>Thread rule: one thread, until no more events are applied; sessions of such tables may be on any thread.
 */
public final class MemoryTables {
    /** Live entities by type and id. Immutable. */
    private record State(Map<Integer, NavigableMap<String, Image>> entities) {
        State with(List<EntityChange> changes) {
            Map<Integer, NavigableMap<String, Image>> copy = new HashMap<>(entities);
            Map<Integer, NavigableMap<String, Image>> changed = new HashMap<>();
            for (EntityChange change : changes) {
                NavigableMap<String, Image> type = changed.computeIfAbsent(
                        change.typeIdentity(),
                        identity -> new TreeMap<>(entities.getOrDefault(identity, new TreeMap<>())));
                Image after = change.after();
                Image before = after == null ? type.remove(change.id()) : type.put(change.id(), after);
                if (!Objects.equals(before, change.before())) {
                    throw new IllegalStateException("wrong image before: " + change);
                }
            }
            copy.putAll(changed);
            return new State(copy);
        }
    }

    /** One incarnation of a branch, live or deleted. */
    private static final class Line {
        Branch branch;
        final long createdOffset;
        final int forkSequence;
        long deletedMicros;
        long deletedOffset;

        /** Offsets of the commits of the first-parent history, and of the events that put them into it. */
        final List<Long> history = new ArrayList<>();

        final List<Long> moved = new ArrayList<>();
        final NavigableMap<Long, State> states = new TreeMap<>();

        Line(Branch branch, long createdOffset, int forkSequence) {
            this.branch = branch;
            this.createdOffset = createdOffset;
            this.forkSequence = forkSequence;
        }

        Line copy() {
            Line copy = new Line(branch, createdOffset, forkSequence);
            copy.deletedMicros = deletedMicros;
            copy.deletedOffset = deletedOffset;
            copy.history.addAll(history);
            copy.moved.addAll(moved);
            copy.states.putAll(states);
            return copy;
        }

        void moveTo(Ulid head, Event event) {
            branch = new Branch(
                    branch.name(),
                    branch.incarnation(),
                    head,
                    event.offset(),
                    history.size(),
                    branch.fork(),
                    branch.createdMicros(),
                    branch.createdBy());
        }
    }

    /** Ordinals of one type: assigned as ids come up, common to all branches. */
    private record Ordinals(List<String> ids, Map<String, Integer> byId) {
        Ordinals() {
            this(new ArrayList<>(), new HashMap<>());
        }

        void assign(String id) {
            if (byId.putIfAbsent(id, ids.size()) == null) {
                ids.add(id);
            }
        }

        Ordinals copy() {
            return new Ordinals(new ArrayList<>(ids), new HashMap<>(byId));
        }
    }

    private final Catalog catalog;
    private final List<Event> events;
    private final List<Line> lines = new ArrayList<>();
    private final NavigableMap<String, Line> live = new TreeMap<>(ValueOrder::compareText);
    private final NavigableMap<String, Tag> tags = new TreeMap<>(ValueOrder::compareText);
    private final Map<Integer, Ordinals> ordinals = new HashMap<>();

    /** @param catalog the schema of every state, whatever the events say */
    public MemoryTables(Catalog catalog) {
        this.catalog = catalog;
        this.events = new ArrayList<>();
    }

    private MemoryTables(MemoryTables other) {
        catalog = other.catalog;
        events = new ArrayList<>(other.events);
        for (Line line : other.lines) {
            Line copy = line.copy();
            lines.add(copy);
            if (other.live.get(line.branch.name()) == line) {
                live.put(line.branch.name(), copy);
            }
        }
        tags.putAll(other.tags);
        other.ordinals.forEach((type, known) -> ordinals.put(type, known.copy()));
    }

    public MemoryTables copy() {
        return new MemoryTables(this);
    }

    /** Offset of the last event applied; −1 when there is none. */
    public long appliedOffset() {
        return events.size() - 1L;
    }

    /** The number of incarnations ever made, which is the number of the next one. */
    public int incarnations() {
        return lines.size();
    }

    /** Live entities at the head of a branch, by type and id. */
    public Map<Integer, NavigableMap<String, Image>> head(String branch) {
        Line line = Objects.requireNonNull(live.get(branch), branch);
        return Collections.unmodifiableMap(line.states.lastEntry().getValue().entities());
    }

    /** Takes the next event. Keeps no block of changes that its maker may close. */
    public void apply(Event event) {
        if (event.offset() != events.size()) {
            throw new IllegalStateException("event " + event.offset() + " after " + appliedOffset());
        }
        switch (event) {
            case Event.Commit commit -> commit(commit);
            case Event.BranchCreated created -> create(created);
            case Event.BranchDeleted deleted -> {
                Line line = Objects.requireNonNull(live.remove(deleted.name()));
                line.deletedMicros = deleted.timeMicros();
                line.deletedOffset = deleted.offset();
            }
            case Event.BranchFastForwarded forward -> fastForward(forward);
            case Event.WriteRemembered ignored -> {}
            case Event.TagCreated tag ->
                tags.put(
                        tag.name(),
                        new Tag(
                                tag.name(),
                                tag.commit(),
                                Objects.requireNonNull(position(tag.commit())),
                                lines.get(tag.incarnation()).branch.name(),
                                tag.message(),
                                tag.timeMicros(),
                                tag.actor()));
            case Event.TagDeleted tag -> tags.remove(tag.name());
            case Event.HistoryReclaimed ignored -> {}
        }
        events.add(withChanges(event, MemoryTables::copy));
    }

    /** The event with its changes replaced; an event without changes as it is. */
    private static Event withChanges(Event event, UnaryOperator<ChangeBlock> replace) {
        return switch (event) {
            case Event.Commit commit -> new Event.Commit(commit.header(), replace.apply(commit.changes()));
            case Event.BranchFastForwarded f ->
                new Event.BranchFastForwarded(
                        f.stamp(),
                        f.targetIncarnation(),
                        f.sourceIncarnation(),
                        f.newHead(),
                        f.newHeadOffset(),
                        f.idempotency(),
                        replace.apply(f.changes()));
            case Event.BranchCreated created -> created;
            case Event.BranchDeleted deleted -> deleted;
            case Event.WriteRemembered remembered -> remembered;
            case Event.TagCreated tag -> tag;
            case Event.TagDeleted tag -> tag;
            case Event.HistoryReclaimed reclaimed -> reclaimed;
        };
    }

    private static ChangeBlock changesIn(Event event) {
        return switch (event) {
            case Event.Commit commit -> commit.changes();
            case Event.BranchFastForwarded moved -> moved.changes();
            case Event.BranchCreated ignored -> ChangeBlock.EMPTY;
            case Event.BranchDeleted ignored -> ChangeBlock.EMPTY;
            case Event.WriteRemembered ignored -> ChangeBlock.EMPTY;
            case Event.TagCreated ignored -> ChangeBlock.EMPTY;
            case Event.TagDeleted ignored -> ChangeBlock.EMPTY;
            case Event.HistoryReclaimed ignored -> ChangeBlock.EMPTY;
        };
    }

    private static ChangeBlock copy(ChangeBlock block) {
        return ChangeBlock.of(block.changes());
    }

    private void commit(Event.Commit commit) {
        CommitHeader header = commit.header();
        if (header.kind() == CommitKind.GENESIS) {
            Branch main = Branch.at(header, 1);
            Line line = new Line(main, 0, 0);
            line.states.put(-1L, new State(Map.of()));
            lines.add(line);
            live.put(Branch.MAIN, line);
        }
        Line line = Objects.requireNonNull(live.get(header.branch()));
        if (line.branch.incarnation() != header.incarnation()
                || (header.parent() != null && !line.branch.head().equals(header.parent()))) {
            throw new IllegalStateException("not on the head of " + header.branch() + ": " + header);
        }
        line.history.add(commit.offset());
        line.moved.add(commit.offset());
        change(line, commit.offset(), commit.changes());
        line.moveTo(header.id(), commit);
    }

    private void change(Line line, long offset, ChangeBlock block) {
        List<EntityChange> changes = block.changes();
        changes.forEach(change -> ordinals.computeIfAbsent(change.typeIdentity(), type -> new Ordinals())
                .assign(change.id()));
        line.states.put(offset, line.states.lastEntry().getValue().with(changes));
    }

    private void create(Event.BranchCreated created) {
        Fork fork = created.fork();
        Line parent = lines.get(fork.parentIncarnation());
        int length = created.past() ? parent.history.indexOf(fork.offset()) + 1 : parent.history.size();
        Branch branch = new Branch(
                created.name(),
                created.incarnation(),
                fork.commit(),
                created.offset(),
                length,
                fork,
                created.timeMicros(),
                created.actor());
        Line line = new Line(branch, created.offset(), length);
        line.history.addAll(parent.history.subList(0, length));
        line.moved.addAll(parent.moved.subList(0, length));
        line.states.put(created.offset(), state(fork.parentIncarnation(), fork.offset()));
        lines.add(line);
        live.put(created.name(), line);
    }

    private void fastForward(Event.BranchFastForwarded forward) {
        Line target = lines.get(forward.targetIncarnation());
        List<Long> source = lines.get(forward.sourceIncarnation()).history;
        while (target.history.isEmpty() || target.history.getLast() != commitOffset(forward.newHead())) {
            target.history.add(source.get(target.history.size()));
            target.moved.add(forward.offset());
        }
        change(target, forward.offset(), forward.changes());
        target.moveTo(forward.newHead(), forward);
    }

    private long commitOffset(Ulid id) {
        return Objects.requireNonNull(position(id)).offset();
    }

    private @Nullable CommitPosition position(Ulid id) {
        for (Event event : events) {
            if (event instanceof Event.Commit commit && commit.header().id().equals(id)) {
                return new CommitPosition(commit.offset(), commit.incarnation());
            }
        }
        return null;
    }

    private State state(int incarnation, long offset) {
        Line line = lines.get(incarnation);
        Map.Entry<Long, State> at = line.states.floorEntry(offset);
        if (at != null) {
            return at.getValue();
        }
        Fork fork = Objects.requireNonNull(line.branch.fork());
        return state(fork.parentIncarnation(), Math.min(offset, fork.offset()));
    }

    /** A state as a schema shows it, which may be a later one than that of its records. */
    private HeapGraph graph(State state, Catalog schema) {
        HeapGraph graph = new HeapGraph(schema);
        ordinals.forEach((type, known) -> known.ids().forEach(id -> graph.add(type, id).live = false));
        state.entities().forEach((type, images) -> {
            if (schema.type(type) != null) {
                images.forEach((id, image) -> {
                    PropertyRow row = schema.shape(type).shown(image.properties());
                    graph.set(Objects.requireNonNull(graph.find(type, id)), image.with(row));
                });
            }
        });
        return graph;
    }

    /**
     * A session on the events applied so far and while it is open.
     *
     * @param ids returns the ids that the session hands out
     */
    public WriteSession session(Supplier<Ulid> ids, LongSupplier nowMicros) {
        return session(ids, nowMicros, write -> write);
    }

    /** The same with another age for remembered writes. */
    WriteSession session(Supplier<Ulid> ids, LongSupplier nowMicros, UnaryOperator<RememberedWrite> aged) {
        return new Session(ids, nowMicros, aged);
    }

    private final class Session implements WriteSession {
        private final Supplier<Ulid> ids;
        private final LongSupplier nowMicros;
        private final UnaryOperator<RememberedWrite> aged;

        Session(Supplier<Ulid> ids, LongSupplier nowMicros, UnaryOperator<RememberedWrite> aged) {
            this.aged = aged;
            this.ids = ids;
            this.nowMicros = nowMicros;
        }

        @Override
        public Ulid nextId() {
            return ids.get();
        }

        @Override
        public long nowMicros() {
            return nowMicros.getAsLong();
        }

        @Override
        public @Nullable Branch branch(String name) {
            Line line = live.get(name);
            return line == null ? null : line.branch;
        }

        @Override
        public List<Branch> branches() {
            return live.values().stream().map(line -> line.branch).toList();
        }

        @Override
        public int branchCount() {
            return live.size();
        }

        @Override
        public List<String> branchNamesAround(String name, int max) {
            List<String> names = new ArrayList<>(live.headMap(name, false).keySet());
            List<String> before = names.subList(Math.max(0, names.size() - max / 2), names.size());
            List<String> around = new ArrayList<>(before);
            around.addAll(live.tailMap(name, true).keySet());
            return List.copyOf(around.subList(0, Math.min(max, around.size())));
        }

        @Override
        public @Nullable Branch branchOf(int incarnation) {
            Line line = incarnation < lines.size() ? lines.get(incarnation) : null;
            return line != null && live.get(line.branch.name()) == line ? line.branch : null;
        }

        @Override
        public @Nullable Tag tag(String name) {
            return tags.get(name);
        }

        @Override
        public List<Tag> tags(@Nullable String after, int max) {
            return (after == null ? tags : tags.tailMap(after, false))
                    .values().stream().limit(max).toList();
        }

        @Override
        public int tagCount() {
            return tags.size();
        }

        @Override
        public @Nullable BranchMove moveAsOf(String name, long timeMicros) {
            for (Line line : lines.reversed()) {
                if (line.branch.name().equals(name) && line.branch.createdMicros() <= timeMicros) {
                    return live.containsValue(line) || line.deletedMicros > timeMicros
                            ? lastMove(line, timeMicros)
                            : null;
                }
            }
            return null;
        }

        private BranchMove lastMove(Line line, long timeMicros) {
            for (int i = line.history.size() - 1; i >= line.forkSequence; i--) {
                if (event(line.moved.get(i)).timeMicros() <= timeMicros) {
                    return move(line, i);
                }
            }
            return creation(line);
        }

        private BranchMove creation(Line line) {
            Fork fork = line.branch.fork();
            return fork == null
                    ? move(line, 0)
                    : new BranchMove(
                            new ReadPoint(line.branch.incarnation(), line.createdOffset),
                            fork.commit(),
                            line.branch.createdMicros());
        }

        private BranchMove move(Line line, int sequence) {
            long moved = line.moved.get(sequence);
            return new BranchMove(
                    new ReadPoint(line.branch.incarnation(), moved),
                    header(line.history.get(sequence)).id(),
                    event(moved).timeMicros());
        }

        @Override
        public @Nullable BranchMove firstMove(String name) {
            for (Line line : lines) {
                if (line.branch.name().equals(name)) {
                    return creation(line);
                }
            }
            return null;
        }

        @Override
        public List<BranchStep> steps(int incarnation, long before, int max) {
            Line line = lines.get(incarnation);
            List<BranchStep> steps = new ArrayList<>();
            if (line.branch.fork() != null) {
                steps.add(new BranchStep(line.createdOffset, line.forkSequence, line.forkSequence - 1));
            }
            for (int i = line.forkSequence; i < line.moved.size(); i++) {
                BranchStep last = steps.isEmpty() ? null : steps.getLast();
                if (last != null && last.event() == line.moved.get(i)) {
                    steps.set(steps.size() - 1, new BranchStep(last.event(), last.first(), i));
                } else {
                    steps.add(new BranchStep(line.moved.get(i), i, i));
                }
            }
            return steps.reversed().stream()
                    .filter(step -> step.event() < before)
                    .limit(max)
                    .toList();
        }

        @Override
        public List<DeletedBranch> deletedBranches(int before, int max) {
            return lines.reversed().stream()
                    .filter(line -> line.branch.incarnation() < before && !live.containsValue(line))
                    .map(line -> new DeletedBranch(line.branch, line.deletedOffset))
                    .limit(max)
                    .toList();
        }

        @Override
        public @Nullable CommitPosition position(Ulid commit) {
            return MemoryTables.this.position(commit);
        }

        @Override
        public List<Ulid> commits(UlidSuffix suffix, int limit, Runnable step) {
            return events.stream()
                    .filter(Event.Commit.class::isInstance)
                    .map(event -> ((Event.Commit) event).header().id())
                    .filter(id -> suffix.fits(id.high(), id.low()))
                    .sorted()
                    .limit(limit)
                    .toList();
        }

        @Override
        public long appliedOffset() {
            return MemoryTables.this.appliedOffset();
        }

        @Override
        public GraphView view(ReadPoint point) {
            return viewAs(point, catalog);
        }

        @Override
        public GraphView viewAs(ReadPoint point, Catalog schema) {
            return new HeapView(graph(state(point.incarnation(), point.offset()), schema), point, VIEW_STEP);
        }

        @Override
        public boolean isReclaimed(int incarnation, long offset) {
            return false;
        }

        @Override
        public long reclaimedRevision() {
            return 0;
        }

        @Override
        public long history(int incarnation, long sequence) {
            return lines.get(incarnation).history.get((int) sequence);
        }

        @Override
        public void history(int incarnation, long sequence, long[] into) {
            for (int i = 0; i < into.length; i++) {
                into[i] = history(incarnation, sequence + i);
            }
        }

        @Override
        public long sequence(CommitPosition position) {
            return lines.get(position.incarnation()).history.indexOf(position.offset());
        }

        @Override
        public long lastMerge(int incarnation, long sequence) {
            long at = sequence;
            while (at >= 0 && header(history(incarnation, at)).kind() != CommitKind.MERGE) {
                at--;
            }
            return at;
        }

        @Override
        public List<CommitPosition> changesOf(int type, String id, long before, int max) {
            List<CommitPosition> found = new ArrayList<>();
            for (Event event : events.reversed()) {
                ChangeBlock changes = changesIn(event);
                if (event.offset() < before && found.size() < max && changes.find(type, id) != null) {
                    found.add(new CommitPosition(event.offset(), event.incarnation()));
                }
            }
            return found;
        }

        @Override
        public long lastReclaimed(int incarnation, long sequence) {
            return -1;
        }

        @Override
        public List<Long> reclaimed() {
            return List.of();
        }

        @Override
        public CommitHeader header(long offset) {
            return ((Event.Commit) event(offset)).header();
        }

        @Override
        public Event event(long offset) {
            return events.get((int) offset);
        }

        @Override
        public Event outline(long offset) {
            return withChanges(event(offset), changes -> ChangeBlock.EMPTY);
        }

        @Override
        public CommitReader commit(long offset, long mark) {
            EventCodec codec = new EventCodec();
            EncodedEvent encoded = codec.encode(event(offset), EventCodec.hashBeforeFirst());
            CommitReader reader = new CommitReader(codec);
            UnsafeBuffer bytes = new UnsafeBuffer(new byte[encoded.length()]);
            encoded.copyTo(bytes);
            codec.commit(bytes, offset, mark, reader);
            return reader;
        }

        @Override
        public Catalog catalog(ReadPoint point) {
            return catalog;
        }

        @Override
        public @Nullable RememberedWrite remembered(@Nullable String actor, String key) {
            long commitsSince = 0;
            for (Event event : events.reversed()) {
                IdempotencyKey named = switch (event) {
                    case Event.Commit commit -> commit.header().idempotency();
                    case Event.WriteRemembered write -> write.idempotency();
                    case Event.BranchFastForwarded forward -> forward.idempotency();
                    case Event.TagCreated tag -> tag.idempotency();
                    case Event.TagDeleted tag -> tag.idempotency();
                    case Event.BranchCreated ignored -> null;
                    case Event.BranchDeleted ignored -> null;
                    case Event.HistoryReclaimed ignored -> null;
                };
                if (named != null && named.key().equals(key) && Objects.equals(event.actor(), actor)) {
                    return aged.apply(new RememberedWrite(named.requestDigest(), event.offset(), commitsSince));
                }
                commitsSince += event instanceof Event.Commit ? 1 : 0;
            }
            return null;
        }

        @Override
        public void close() {}
    }

    /** Rows of one batch of a cursor: few, so that callers must call more than once. */
    private static final int VIEW_STEP = 3;
}
