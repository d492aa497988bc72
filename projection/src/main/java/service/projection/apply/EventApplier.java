package service.projection.apply;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.Event;
import service.core.event.IdempotencyKey;
import service.core.event.ResolvedIds;
import service.core.event.SchemaChange;
import service.core.port.CommitPosition;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Lane;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.projection.resident.DirtyMarks;
import service.projection.table.AppliedTable;
import service.projection.table.ArrivalTable;
import service.projection.table.BranchTable;
import service.projection.table.CatalogSource;
import service.projection.table.CountTable;
import service.projection.table.HistoryTable;
import service.projection.table.IdReferences;
import service.projection.table.IdTable;
import service.projection.table.IdempotencyTable;
import service.projection.table.Incarnation;
import service.projection.table.ProjectionTable;
import service.projection.table.SchemaTable;
import service.projection.table.TableAccess;
import service.projection.table.TagTable;

/**
 * Turns events into entries of the tables. The writer and the replay share it, so both make the same entries; they
 * differ in {@link Puts} and in the number of changes in the window at {@link #drain}.
 *
 * <p>Ordinals are assigned in the order of events and, within an event, of its changes. One thread.
 */
final class EventApplier implements AutoCloseable {
    /**
     * The data that the changes of an event in the window need.
     *
     * @param lineage the incarnation of the event and those that it descends from
     */
    private record Place(int[] lineage, long offset, Catalog catalog) {
        int incarnation() {
            return lineage[0];
        }
    }

    private static final int NO_COUNT = Integer.MIN_VALUE;

    private final GraphState state;
    private final DirtyMarks marks;
    private final ChangeWindow window = new ChangeWindow();
    private final EntryWriter writer;
    private final List<Place> places = new ArrayList<>();
    private final Int2IntHashMap counts = new Int2IntHashMap(NO_COUNT);
    private final KeyBuffer key = new KeyBuffer();
    private final UnsafeBuffer fixed = new UnsafeBuffer(ByteBuffer.allocateDirect(24));
    private final UnsafeBuffer slice = new UnsafeBuffer(0, 0);
    private final ExpandableDirectByteBuffer scratch = new ExpandableDirectByteBuffer(1_024);
    private final long windowBytesMax;
    private TableAccess access;
    private Puts puts;

    /** Number of commits applied, including those in the window. */
    private long commits;

    /** @param ordinalsMax of one type: {@link service.projection.table.IdTable#ORDINALS_MAX} but in tests */
    EventApplier(
            CatalogSource catalogs,
            TableAccess access,
            Puts puts,
            long windowBytesMax,
            int ordinalsMax,
            DirtyMarks marks) {
        this.marks = marks;
        this.writer = new EntryWriter(marks);
        this.state = new GraphState(catalogs, ordinalsMax);
        this.access = access;
        this.puts = puts;
        this.windowBytesMax = windowBytesMax;
        this.commits = access.entries(ProjectionTable.COMMITS);
    }

    /** Continues in another transaction. */
    void into(TableAccess nextAccess, Puts nextPuts) {
        if (nextAccess != access) {
            this.commits = nextAccess.entries(ProjectionTable.COMMITS);
        }
        this.access = nextAccess;
        this.puts = nextPuts;
    }

    /** Applies an event. Its entries are in the transaction only after {@link #drain}. */
    void apply(Event event) {
        switch (event) {
            case Event.Commit commit -> {
                beginCommit(commit.header());
                changes(commit.changes(), commit.offset());
                endCommit(commit.header());
            }
            case Event.BranchCreated created -> create(created);
            case Event.BranchDeleted deleted -> delete(deleted);
            case Event.BranchFastForwarded moved -> {
                beginChanges(moved.targetIncarnation(), moved.offset());
                changes(moved.changes(), moved.offset());
                endFastForward(moved);
            }
            case Event.WriteRemembered remembered ->
                remember(remembered.actor(), remembered.idempotency(), remembered.offset());
            case Event.TagCreated created -> tag(created);
            case Event.TagDeleted deleted -> untag(deleted);
            case Event.HistoryReclaimed ignored -> {}
        }
    }

    private void changes(ChangeBlock changes, long offset) {
        ResolvedIds resolved = changes.resolved();
        ChangeReader reader = changes.reader();
        if (resolved != null && resolved.offset() == offset - 1) {
            resolvedChanges(reader, resolved);
            return;
        }
        while (reader.next()) {
            change(reader);
        }
    }

    /** Applies changes whose ids were looked up in the state before this event. */
    private void resolvedChanges(ChangeReader change, ResolvedIds resolved) {
        int[] ordinals = resolved.entities();
        Place place = places.getLast();
        for (int i = 0; change.next(); i++) {
            if (ordinals[i] < 0) {
                ordinals[i] = insert(change, place.catalog());
            }
            boolean edge = change.isEdge();
            int source = edge ? end(resolved.source(i), ordinals) : -1;
            int destination = edge ? end(resolved.destination(i), ordinals) : -1;
            window.add(places.size() - 1, place.catalog(), change, ordinals[i], source, destination);
            added(change, place);
        }
    }

    private static int end(int resolved, int[] ordinals) {
        int ordinal = ResolvedIds.isChange(resolved) ? ordinals[ResolvedIds.changeOf(resolved)] : resolved;
        if (ordinal < 0) {
            throw new IllegalStateException("an edge ends in an entity that was never inserted");
        }
        return ordinal;
    }

    /** Assigns an ordinal to the entity of a change. */
    private int insert(ChangeReader change, Catalog catalog) {
        int type = change.type();
        int ordinal = state.nextOrdinal(access, catalog.requireType(type));
        scratch.putBytes(0, change.buffer(), change.idPosition(), change.idLength());
        slice.wrap(scratch, 0, change.idLength());
        IdTable.idKey(key, type, slice, 0, slice.capacity());
        writer.identify(puts, key, type, ordinal, slice);
        return ordinal;
    }

    /** Applies the header of a commit, before its changes. */
    void beginCommit(CommitHeader header) {
        if (header.parent() == null) {
            state.change(Incarnation.genesis(header));
            putName(header.branch(), header.incarnation());
        }
        if (header.schema() != null) {
            changeSchema(header, header.schema());
            SchemaTable.member(key);
            key.putInt(~header.incarnation()).putLong(~header.offset());
            slice.wrap(scratch, 0, SchemaTable.encode(scratch, header.schema()));
            puts.put(ProjectionTable.SCHEMAS, key.key(), slice);
        }
        beginChanges(header.incarnation(), header.offset());
    }

    /** A migration sees the entities of all earlier events, so those are put into the transaction before. */
    private void changeSchema(CommitHeader header, SchemaChange change) {
        int incarnation = header.incarnation();
        if (header.parent() == null) {
            state.schema(incarnation, change);
            return;
        }
        drain();
        Catalog before = state.catalog(access, incarnation);
        state.schema(incarnation, change);
        Catalog after = state.catalog(access, incarnation);
        new IndexBuild(access, puts, state.chain(access, incarnation), after, incarnation, header.offset()).run(before);
        if (Searched.searchesMore(before, after)) {
            writer.gap(puts, incarnation, header.offset());
        }
    }

    /** Updates branch and history, after the changes of a commit. */
    void endCommit(CommitHeader header) {
        endChanges();
        Incarnation before = state.incarnation(access, header.incarnation());
        long sequence = before.historyLength();
        long lastMerge = header.mergedParent() == null ? before.head().lastMerge() : sequence;
        state.change(before.withHead(new Incarnation.Head(header.id(), header.offset(), sequence + 1, lastMerge)));
        fixed.putLong(0, header.offset(), ByteOrder.LITTLE_ENDIAN);
        fixed.putInt(8, header.incarnation(), ByteOrder.LITTLE_ENDIAN);
        HistoryTable.commitKey(key, header.id());
        slice.wrap(fixed, 0, 12);
        puts.put(ProjectionTable.COMMITS, key.key(), slice);
        commits++;
        putHistory(header.incarnation(), sequence, header.offset(), header.offset(), lastMerge);
        if (header.idempotency() != null) {
            remember(header.actor(), header.idempotency(), header.offset());
        }
    }

    void beginChanges(int incarnation, long offset) {
        places.add(new Place(state.lineage(access, incarnation), offset, state.catalog(access, incarnation)));
    }

    /** Adds the current change of a reader to the window. */
    void change(ChangeReader change) {
        Place place = places.getLast();
        window.add(places.size() - 1, place.catalog(), change);
        added(change, place);
    }

    private void added(ChangeReader change, Place place) {
        count(change.type(), change.hasBefore(), change.hasAfter());
        if (change.isEdge() && place.catalog().requireType(change.type()) instanceof EntityType.EdgeType edge) {
            countLanes(edge, change);
        }
        if (window.bytes() > windowBytesMax) {
            drain();
            places.add(place);
        }
    }

    /** Counts the edges of lanes other than that of the first types; those are the rest. */
    private void countLanes(EntityType.EdgeType edge, ChangeReader change) {
        if (edge.hasOneLane()) {
            return;
        }
        int before = change.hasBefore() ? ChangeLanes.before(edge, change).identity() : 0;
        int after = change.hasAfter() ? ChangeLanes.after(edge, change).identity() : 0;
        if (before != after) {
            if (Lane.isOther(before)) {
                count(before, true, false);
            }
            if (Lane.isOther(after)) {
                count(after, false, true);
            }
        }
    }

    private void count(int type, boolean existed, boolean exists) {
        if (existed != exists) {
            int before = counts.get(type);
            counts.put(type, (before == NO_COUNT ? 0 : before) + (exists ? 1 : -1));
        }
    }

    private void endChanges() {
        Place place = places.getLast();
        if (counts.isEmpty()) {
            return;
        }
        Int2IntHashMap.EntryIterator entries = counts.entrySet().iterator();
        while (entries.hasNext()) {
            entries.next();
            if (entries.getIntValue() == 0) {
                continue;
            }
            int type = entries.getIntKey();
            long count = state.count(access, place.incarnation(), type, entries.getIntValue());
            CountTable.member(key, type);
            key.putInt(~place.incarnation()).putLong(~place.offset());
            fixed.putLong(0, count, ByteOrder.LITTLE_ENDIAN);
            slice.wrap(fixed, 0, Long.BYTES);
            puts.put(ProjectionTable.COUNTS, key.key(), slice);
        }
        counts.clear();
    }

    private void create(Event.BranchCreated event) {
        int parent = event.fork().parentIncarnation();
        if (event.past()) {
            // The history of the parent may still wait in the window.
            drain();
            long sequence = HistoryTable.sequence(access, position(event.fork().commit()));
            long lastMerge = HistoryTable.lastMerge(access, parent, sequence);
            state.change(Incarnation.forked(event, sequence + 1, lastMerge));
        } else {
            Incarnation.Head head = state.incarnation(access, parent).head();
            state.fork(
                    Incarnation.forked(event, head.historyLength(), head.lastMerge()), state.catalog(access, parent));
        }
        putName(event.name(), event.incarnation());
    }

    private CommitPosition position(Ulid commit) {
        return Objects.requireNonNull(HistoryTable.position(access, commit), "the commit of an event");
    }

    private void delete(Event.BranchDeleted event) {
        state.change(state.incarnation(access, event.incarnation()).deletedAt(event.offset()));
        BranchTable.nameKey(key, event.name());
        access.delete(ProjectionTable.BRANCHES, key);
        marks.deleted(event.incarnation());
    }

    private void tag(Event.TagCreated event) {
        // The commit may still wait in the window.
        drain();
        slice.wrap(scratch, 0, TagTable.encode(scratch, event, position(event.commit())));
        TagTable.key(key, event.name());
        access.put(ProjectionTable.APPLIED, key.key(), slice);
        if (event.idempotency() != null) {
            remember(event.actor(), event.idempotency(), event.offset());
        }
    }

    private void untag(Event.TagDeleted event) {
        TagTable.key(key, event.name());
        access.delete(ProjectionTable.APPLIED, key);
        if (event.idempotency() != null) {
            remember(event.actor(), event.idempotency(), event.offset());
        }
    }

    /** Updates branch and history, after the changes of a fast-forward. */
    void endFastForward(Event.BranchFastForwarded event) {
        endChanges();
        drain();
        Incarnation target = state.incarnation(access, event.targetIncarnation());
        Incarnation source = state.incarnation(access, event.sourceIncarnation());
        // The source may have new commits since its head was read.
        long newHead = position(event.newHead()).offset();
        long lastMerge = target.head().lastMerge();
        long sequence = target.historyLength();
        for (; sequence < source.historyLength(); sequence++) {
            long offset = HistoryTable.offset(access, source.incarnation(), sequence);
            if (offset > newHead) {
                break;
            }
            lastMerge = HistoryTable.lastMerge(access, source.incarnation(), sequence);
            putHistory(target.incarnation(), sequence, offset, event.offset(), lastMerge);
        }
        state.change(target.withHead(new Incarnation.Head(event.newHead(), event.offset(), sequence, lastMerge)));
        if (event.idempotency() != null) {
            remember(event.actor(), event.idempotency(), event.offset());
        }
    }

    private void remember(@Nullable String actor, IdempotencyKey idempotency, long offset) {
        IdempotencyTable.key(key, actor, idempotency.key());
        slice.wrap(scratch, 0, IdempotencyTable.encode(scratch, offset, commits, idempotency.requestDigest()));
        puts.put(ProjectionTable.IDEMPOTENCY, key.key(), slice);
    }

    private void putName(String name, int incarnation) {
        BranchTable.nameKey(key, name);
        fixed.putInt(0, incarnation, ByteOrder.LITTLE_ENDIAN);
        slice.wrap(fixed, 0, Integer.BYTES);
        access.put(ProjectionTable.BRANCHES, key.key(), slice);
    }

    private void putHistory(int incarnation, long sequence, long offset, long movedOffset, long lastMerge) {
        HistoryTable.historyKey(key, incarnation, sequence);
        fixed.putLong(0, offset, ByteOrder.LITTLE_ENDIAN);
        fixed.putLong(Long.BYTES, movedOffset, ByteOrder.LITTLE_ENDIAN);
        fixed.putLong(2 * Long.BYTES, lastMerge, ByteOrder.LITTLE_ENDIAN);
        slice.wrap(fixed, 0, 3 * Long.BYTES);
        puts.put(ProjectionTable.HISTORY, key.key(), slice);
    }

    /** Puts the changes in the window and the changed state into the transaction. */
    void drain() {
        IdReferences ids = window.references;
        ids.resolve(access);
        long position = 0;
        for (int i = 0; i < window.size(); i++, position = window.next(position)) {
            long change = window.address(position);
            Place place = places.get(MappedBytes.intAt(change + ChangeWindow.EVENT));
            identify(change, ids, place.catalog());
            writer.write(puts, change, window, place.catalog(), place.lineage(), place.offset());
        }
        window.clear();
        places.clear();
        puts.flush();
        state.write(access);
        state.trim();
    }

    private void identify(long change, IdReferences ids, Catalog catalog) {
        int reference = MappedBytes.intAt(change + ChangeWindow.ID);
        if (ChangeWindow.isReference(reference)
                && ids.ordinal(reference) < 0
                && MappedBytes.intAt(change + ChangeWindow.LENGTH_BEFORE) < 0) {
            int type = MappedBytes.intAt(change + ChangeWindow.TYPE);
            int ordinal = state.nextOrdinal(access, catalog.requireType(type));
            ids.assign(reference, ordinal);
            ids.id(reference, slice);
            writer.identify(puts, ids.key(reference), type, ordinal, slice);
        }
    }

    /** Stores the last offset applied. */
    static void mark(TableAccess access, long offset) {
        ArrivalTable.applied(access, offset);
        UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(AppliedTable.LENGTH));
        AppliedTable.encode(value, offset, TagTable.count(access) > 0);
        KeyBuffer applied = access.key();
        AppliedTable.key(applied);
        access.put(ProjectionTable.APPLIED, applied.key(), value);
    }

    /** Forgets the state of an aborted transaction. */
    void forget() {
        window.clear();
        places.clear();
        counts.clear();
        state.forget();
    }

    @Override
    public void close() {
        window.close();
    }
}
