package service.core.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;
import service.core.error.DamagedDataException;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Image;
import service.core.event.SchemaChange;
import service.core.event.Stamp;
import service.core.port.BlobStore;
import service.core.port.CommitFollower;
import service.core.port.CommitLog;
import service.core.port.DraftStamp;
import service.core.port.GraphSession;
import service.core.port.RememberedWrite;
import service.core.port.WritableGraphStorage;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.Ulid;
import service.core.value.Value;

/**
 * A graph on the heap. Commands run one after another on one thread, each in a separate group. Events become visible
 * when they are flushed; {@link #crash} discards those that were not.
 */
public final class MemoryStorage implements WritableGraphStorage, CommitLog {
    /** The content of the fake's stable storage. Never changed, only replaced. */
    private record Flushed(MemoryTables tables, Map<Value.ManagedBlob, byte[]> blobs) {}

    /** Maximum bytes of one {@link BlobStore#read} of the fake: few, so that callers must call more than once. */
    private static final int READ_BYTES_MAX = 1 << 10;

    private final Catalog catalog;
    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private final List<CommitFollower> followers = new CopyOnWriteArrayList<>();
    private volatile Flushed flushed;
    private Ulid lastId = Ulid.of(1_700_000_000_000L, 0, 0);
    private long micros = 1_700_000_000_000_000L;

    /** Runs on the writer thread between a command's events and their flush. If it throws, the flush fails. */
    public volatile Runnable beforeFlush = () -> {};

    /** The age in commits that remembered writes report instead of their real one; null for the real one. */
    public volatile @Nullable Long commitsSince;

    /** A graph with its genesis commit. */
    public MemoryStorage(Catalog catalog) {
        this.catalog = catalog;
        MemoryTables tables = new MemoryTables(catalog);
        CommitHeader genesis = new CommitHeader(
                new Stamp(0, micros, null),
                nextId(),
                CommitKind.GENESIS,
                new CommitHeader.Lineage("main", 0, null, null),
                null,
                ChangeCounts.NONE,
                new SchemaChange(catalog.source(), catalog.digest(), new byte[0], List.of()));
        tables.apply(new Event.Commit(genesis, ChangeBlock.EMPTY));
        flushed = new Flushed(tables, Map.of());
    }

    private MemoryStorage(MemoryStorage crashed) {
        catalog = crashed.catalog;
        flushed = crashed.flushed;
        long ahead = flushed.tables.appliedOffset() + 1;
        micros += ahead;
        lastId = Ulid.of(1_700_000_000_000L + ahead, 0, 0);
    }

    /**
     * Ends like a killed process. Returns the storage that the next process opens, with everything that was flushed.
     * Running commands may or may not be answered; their events are never visible.
     */
    public MemoryStorage crash() {
        return new MemoryStorage(this);
    }

    private Ulid nextId() {
        lastId = lastId.next();
        return lastId;
    }

    /** Live entities at the head of a branch, by type and id. */
    public Map<Integer, java.util.NavigableMap<String, Image>> head(String branch) {
        return flushed.tables.head(branch);
    }

    public int eventCount() {
        return (int) flushed.tables.appliedOffset() + 1;
    }

    @Override
    public <R> CompletableFuture<R> submit(WriteCommand<R> command, StagedBlobs blobs, Duration patience) {
        try {
            return CompletableFuture.supplyAsync(() -> execute(command, blobs), writer);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new ServiceException(ErrorCode.SHUTTING_DOWN, "the graph is closed", null, e));
        }
    }

    private <R> R execute(WriteCommand<R> command, StagedBlobs staged) {
        Ulid before = lastId;
        try {
            Flushed old = flushed;
            MemoryTables tables = old.tables.copy();
            Map<Value.ManagedBlob, byte[]> blobs = new ConcurrentHashMap<>(old.blobs);
            WriteSession session = session(tables, this::nextId);
            Supplier<R> answer = switch (command.decide(session)) {
                case WriteCommand.Decision.Nothing<R> nothing -> nothing::result;
                case WriteCommand.Decision.Append<R>(var draft, var outcome) -> {
                    Event event = append(tables, draft, staged, blobs);
                    yield () -> outcome.of(event);
                }
                case WriteCommand.Decision.AppendPair<R>(var first, var second, var outcome) -> {
                    append(tables, first, staged, blobs);
                    Event event = append(tables, second.apply(session), staged, blobs);
                    yield () -> outcome.of(event);
                }
            };
            if (tables.appliedOffset() > old.tables.appliedOffset()) {
                flush(new Flushed(tables, blobs));
                long from = old.tables.appliedOffset() + 1;
                followers.stream()
                        .filter(follower -> follower.isInterested(tables.appliedOffset()))
                        .forEach(follower -> follower.committed(from, tables.appliedOffset()));
            }
            return answer.get();
        } catch (RuntimeException e) {
            lastId = before;
            throw e;
        }
    }

    private void flush(Flushed next) {
        try {
            beforeFlush.run();
        } catch (RuntimeException e) {
            throw new ServiceException(ErrorCode.RECOVERY_REQUIRED, "the flush failed", null, e);
        }
        flushed = next;
    }

    private Event append(
            MemoryTables tables, WriteCommand.Draft draft, StagedBlobs staged, Map<Value.ManagedBlob, byte[]> blobs) {
        micros++;
        Event event = DraftStamp.stamp(draft, tables.appliedOffset() + 1, micros, this::nextId, tables.incarnations());
        tables.apply(event);
        if (event instanceof Event.Commit commit) {
            for (EntityChange change : commit.changes().changes()) {
                if (change.after() != null) {
                    change.after().properties().blobs(blob -> keep(blob, staged, blobs));
                }
            }
        }
        return event;
    }

    private static void keep(Value.ManagedBlob blob, StagedBlobs staged, Map<Value.ManagedBlob, byte[]> blobs) {
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
                return StagedBlobs.in(() -> new MemoryStageFile(new AtomicInteger()));
            }

            @Override
            public int read(Value.ManagedBlob blob, long offset, byte[] into) {
                byte[] bytes = flushed.blobs.get(blob);
                if (bytes == null) {
                    throw DamagedDataException.blob(blob.hex(), "its bytes are missing");
                }
                int count = (int) Math.min(Math.min(into.length, READ_BYTES_MAX), bytes.length - offset);
                System.arraycopy(bytes, (int) offset, into, 0, count);
                return count;
            }
        };
    }

    @Override
    public GraphSession session() {
        return session(flushed.tables, () -> {
            throw new IllegalStateException("a reading session gives no ids");
        });
    }

    private WriteSession session(MemoryTables tables, Supplier<Ulid> ids) {
        return tables.session(ids, () -> micros, this::aged);
    }

    private RememberedWrite aged(RememberedWrite write) {
        Long since = commitsSince;
        return since == null ? write : new RememberedWrite(write.requestDigest(), write.offset(), since);
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
    public void follow(CommitFollower follower) {
        followers.add(follower);
    }

    @Override
    public byte[] secret() {
        return new byte[32];
    }

    @Override
    public void close() {
        writer.close();
    }
}
