package service.core.graph;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.CommitReader;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.IdempotencyKey;
import service.core.event.Image;
import service.core.event.SchemaChange;
import service.core.port.BlobStore;
import service.core.port.Branch;
import service.core.port.BranchMove;
import service.core.port.CommitLog;
import service.core.port.CommitPosition;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RememberedWrite;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.Ulid;
import service.core.value.Value;

/**
 * A graph on the heap: commands run one after another on one thread, a refused one leaves nothing, and every state ever
 * committed is kept whole. Slow and plain on purpose.
 */
public final class MemoryStorage implements GraphStorage, CommitLog {
    /** Entities by type and id. */
    record State(Map<Integer, TreeMap<String, Image>> entities) {
        State with(List<EntityChange> changes) {
            Map<Integer, TreeMap<String, Image>> copy = new HashMap<>(entities);
            for (EntityChange change : changes) {
                TreeMap<String, Image> type = copy.get(change.typeIdentity());
                type = type == null ? new TreeMap<>() : new TreeMap<>(type);
                Image before =
                        change.after() == null ? type.remove(change.id()) : type.put(change.id(), change.after());
                if (!java.util.Objects.equals(before, change.before())) {
                    throw new IllegalStateException("wrong image before: " + change);
                }
                copy.put(change.typeIdentity(), type);
            }
            return new State(copy);
        }
    }

    private final Catalog catalog;

    /** What remembered writes are told of their age. */
    public volatile long commitsSince;

    private final List<Event> events = new ArrayList<>();
    private final Map<ReadPoint, State> states = new HashMap<>();
    private final Map<String, Branch> branches = new TreeMap<>();
    private final Map<Integer, List<Long>> histories = new HashMap<>();
    private final Map<Integer, List<String>> ordinals = new HashMap<>();
    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private Ulid lastId = Ulid.of(1_700_000_000_000L, 0, 0);
    private long micros = 1_700_000_000_000_000L;
    private int incarnations;
    private final List<LongConsumer> listeners = new ArrayList<>();
    private final Map<Value.ManagedBlob, byte[]> blobs = new ConcurrentHashMap<>();
    private final Path staging = Path.of(System.getProperty("java.io.tmpdir"));

    MemoryStorage(Catalog catalog) {
        this.catalog = catalog;
        CommitHeader genesis = new CommitHeader(
                0,
                nextId(),
                CommitKind.GENESIS,
                "main",
                0,
                null,
                null,
                micros,
                null,
                null,
                ChangeCounts.NONE,
                new SchemaChange(catalog.source(), catalog.digest(), new byte[0], List.of()));
        events.add(new Event.Commit(genesis, ChangeBlock.EMPTY));
        branches.put("main", new Branch("main", 0, genesis.id(), 0, 1, -1, null, null, -1, micros, null));
        histories.put(0, new ArrayList<>(List.of(0L)));
        states.put(new ReadPoint(0, 0), new State(Map.of()));
    }

    private Ulid nextId() {
        lastId = lastId.next();
        return lastId;
    }

    synchronized State head(String branch) {
        return states.get(branches.get(branch).headPoint());
    }

    synchronized int eventCount() {
        return events.size();
    }

    @Override
    public <R> CompletableFuture<R> submit(WriteCommand<R> command, StagedBlobs blobs) {
        return CompletableFuture.supplyAsync(() -> execute(command, blobs), writer);
    }

    private synchronized <R> R execute(WriteCommand<R> command, StagedBlobs blobs) {
        Ulid before = lastId;
        try {
            return switch (command.decide(new Session())) {
                case WriteCommand.Decision.Nothing<R> nothing -> nothing.result();
                case WriteCommand.Decision.Append<R> append -> append.outcome().of(append(append.draft(), blobs));
                case WriteCommand.Decision.AppendPair<R> pair -> {
                    append(pair.first(), blobs);
                    yield pair.outcome().of(append(pair.second().apply(new Session()), blobs));
                }
            };
        } catch (RuntimeException e) {
            lastId = before;
            throw e;
        }
    }

    private Event append(WriteCommand.Draft draft, StagedBlobs staged) {
        long offset = events.size();
        micros++;
        Event event = switch (draft) {
            case WriteCommand.Draft.Commit commit -> commit(commit, offset);
            case WriteCommand.Draft.CreateBranch create -> create(create, offset);
            case WriteCommand.Draft.DeleteBranch delete -> {
                branches.remove(delete.branch().name());
                yield new Event.BranchDeleted(
                        offset,
                        micros,
                        delete.actor(),
                        delete.branch().name(),
                        delete.branch().incarnation());
            }
            case WriteCommand.Draft.Remember remember ->
                new Event.WriteRemembered(
                        offset, micros, remember.actor(), remember.branch().incarnation(), remember.idempotency());
            default -> throw new UnsupportedOperationException(draft.toString());
        };
        events.add(event);
        if (event instanceof Event.Commit commit) {
            commit.changes().changes().stream()
                    .filter(change -> change.after() != null)
                    .forEach(change -> change.after().properties().blobs(blob -> keep(blob, staged)));
        }
        listeners.forEach(listener -> listener.accept(offset));
        return event;
    }

    private void keep(Value.ManagedBlob blob, StagedBlobs staged) {
        blobs.computeIfAbsent(blob, missing -> {
            byte[] bytes = new byte[(int) blob.size()];
            staged.read(blob, 0, bytes, bytes.length);
            return bytes;
        });
    }

    @Override
    public BlobStore blobs() {
        return new BlobStore() {
            @Override
            public StagedBlobs stage() {
                return StagedBlobs.in(staging);
            }

            @Override
            public int read(Value.ManagedBlob blob, long offset, byte[] into) {
                byte[] bytes = blobs.get(blob);
                int count = (int) Math.min(into.length, bytes.length - offset);
                System.arraycopy(bytes, (int) offset, into, 0, count);
                return count;
            }
        };
    }

    private Event commit(WriteCommand.Draft.Commit draft, long offset) {
        Branch branch = branches.get(draft.branch().name());
        if (!branch.equals(draft.branch())) {
            throw new IllegalStateException("a stale branch");
        }
        List<EntityChange> changes = draft.changes().changes();
        CommitHeader header = new CommitHeader(
                offset,
                nextId(),
                draft.kind(),
                branch.name(),
                branch.incarnation(),
                branch.head(),
                null,
                micros,
                draft.actor(),
                draft.idempotency(),
                draft.changes().counts(),
                null);
        states.put(
                new ReadPoint(branch.incarnation(), offset),
                states.get(branch.headPoint()).with(changes));
        changes.forEach(change -> ordinal(change.typeIdentity(), change.id()));
        histories.get(branch.incarnation()).add(offset);
        branches.put(
                branch.name(),
                new Branch(
                        branch.name(),
                        branch.incarnation(),
                        header.id(),
                        offset,
                        branch.historyLength() + 1,
                        branch.parentIncarnation(),
                        branch.parentName(),
                        branch.forkCommit(),
                        branch.forkOffset(),
                        branch.createdMicros(),
                        branch.createdBy()));
        return new Event.Commit(header, draft.changes());
    }

    private Event create(WriteCommand.Draft.CreateBranch draft, long offset) {
        Branch from = draft.from();
        int incarnation = ++incarnations;
        histories.put(incarnation, new ArrayList<>(histories.get(from.incarnation())));
        states.put(new ReadPoint(incarnation, offset), states.get(from.headPoint()));
        branches.put(
                draft.name(),
                new Branch(
                        draft.name(),
                        incarnation,
                        from.head(),
                        offset,
                        from.historyLength(),
                        from.incarnation(),
                        from.name(),
                        from.head(),
                        from.headOffset(),
                        micros,
                        draft.actor()));
        return new Event.BranchCreated(
                offset,
                micros,
                draft.actor(),
                draft.name(),
                incarnation,
                from.incarnation(),
                from.name(),
                from.headOffset(),
                from.head());
    }

    @Override
    public WriteSession session() {
        return new Session();
    }

    @Override
    public CommitLog log() {
        return this;
    }

    @Override
    public boolean isFull() {
        return false;
    }

    @Override
    public int queueDepth() {
        return 0;
    }

    @Override
    public void onCommitted(LongConsumer listener) {
        listeners.add(listener);
    }

    @Override
    public byte[] secret() {
        return new byte[32];
    }

    @Override
    public void close() {
        writer.shutdown();
    }

    /** Ordinals as the ids came up, common to all states. */
    synchronized int ordinal(int type, String id) {
        List<String> ids = ordinals.computeIfAbsent(type, ignored -> new ArrayList<>());
        int known = ids.indexOf(id);
        if (known < 0) {
            ids.add(id);
            return ids.size() - 1;
        }
        return known;
    }

    synchronized String idOf(int type, int ordinal) {
        return ordinals.get(type).get(ordinal);
    }

    Catalog catalog() {
        return catalog;
    }

    private final class Session implements WriteSession {
        @Override
        public Ulid nextId() {
            return MemoryStorage.this.nextId();
        }

        @Override
        public long nowMicros() {
            return micros;
        }

        @Override
        public @Nullable Branch branch(String name) {
            synchronized (MemoryStorage.this) {
                return branches.get(name);
            }
        }

        @Override
        public List<Branch> branches() {
            synchronized (MemoryStorage.this) {
                return branches.values().stream()
                        .sorted(Comparator.comparing(Branch::name))
                        .toList();
            }
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
            return branches().stream()
                    .filter(b -> b.incarnation() == incarnation)
                    .findFirst()
                    .orElse(null);
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
            synchronized (MemoryStorage.this) {
                for (Event event : events) {
                    if (event instanceof Event.Commit found
                            && found.header().id().equals(commit)) {
                        return new CommitPosition(found.offset(), found.header().incarnation());
                    }
                }
                return null;
            }
        }

        @Override
        public long appliedOffset() {
            return eventCount() - 1L;
        }

        @Override
        public GraphView view(ReadPoint point) {
            synchronized (MemoryStorage.this) {
                return new MemoryView(MemoryStorage.this, point, states.get(point));
            }
        }

        @Override
        public long history(int incarnation, long sequence) {
            synchronized (MemoryStorage.this) {
                return histories.get(incarnation).get((int) sequence);
            }
        }

        @Override
        public void history(int incarnation, long sequence, long[] into) {
            for (int i = 0; i < into.length; i++) {
                into[i] = history(incarnation, sequence + i);
            }
        }

        @Override
        public CommitHeader header(long offset) {
            return ((Event.Commit) event(offset)).header();
        }

        @Override
        public Event event(long offset) {
            synchronized (MemoryStorage.this) {
                return events.get((int) offset);
            }
        }

        @Override
        public Event outline(long offset) {
            return event(offset);
        }

        @Override
        public CommitReader commit(long offset, long mark) {
            EventCodec codec = new EventCodec();
            int length = codec.encode(event(offset), EventCodec.hashBeforeFirst());
            CommitReader reader = new CommitReader(codec);
            UnsafeBuffer bytes = new UnsafeBuffer(new byte[length]);
            codec.copyTo(bytes);
            codec.commit(bytes, offset, mark, reader);
            return reader;
        }

        @Override
        public Catalog catalog(ReadPoint point) {
            return catalog;
        }

        @Override
        public @Nullable RememberedWrite remembered(@Nullable String actor, String key) {
            synchronized (MemoryStorage.this) {
                for (Event event : events.reversed()) {
                    IdempotencyKey named = switch (event) {
                        case Event.Commit commit -> commit.header().idempotency();
                        case Event.WriteRemembered write -> write.idempotency();
                        default -> null;
                    };
                    if (named != null && named.key().equals(key) && java.util.Objects.equals(event.actor(), actor)) {
                        return new RememberedWrite(named.requestDigest(), event.offset(), commitsSince);
                    }
                }
                return null;
            }
        }

        @Override
        public void close() {}
    }
}
