package service.projection.resident;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.log.retain.Retention;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.view.Catalogs;
import service.projection.view.ViewSource;

/**
 * The blocks of one graph. Its views answer from a block where {@link Kept#answers} holds and the ordinal is not dirty,
 * and from the tables otherwise. They count the rows that the tables answer for each part; when these are as many as
 * the part has entities, {@link BlockBuilder} makes a block: for a branch first one of the point from which the branch
 * was created, which all branches from there on share, else one of its head. A block that exists is replaced in the
 * same way, so what its dirty ordinals have cost pays for the new one.
 *
 * <p>Any thread. A change that marks do not describe drops all blocks ({@link DirtyMarks#forgetAll}).
 */
public final class ResidentBlocks implements ViewSource, AutoCloseable {
    private static final int PARTS_MAX = 4_096;

    private final ViewSource tables;
    private final ResidentMemory memory;
    private final BlockBuilder builder;
    private final DirtyMarks marks = new DirtyMarks(this::forgotten, this::deleted);
    private final Map<Part, Kept> published = new ConcurrentHashMap<>();
    private final Map<Part, Misses> missed = new ConcurrentHashMap<>();

    /** Parts that cannot be kept in blocks. */
    private final Set<Part> unfit = ConcurrentHashMap.newKeySet();

    /**
     * For a shared part the largest offset at which no block can be made that branches share, because too much was
     * changed since, or that state is gone. The same is true of all offsets below it.
     */
    private final Map<Part, Long> unshared = new ConcurrentHashMap<>();

    /** The rows of a part that the tables have answered since a time. Any thread. */
    private static final class Misses {
        final AtomicLong rows = new AtomicLong();

        /** Those of them for which the edges to neighbours were wanted. */
        final AtomicLong rowsWithEdges = new AtomicLong();

        final long since;

        /** Rows at which the number of entities is read: it costs a read of a table and only grows. */
        volatile long due;

        Misses(long due, long since) {
            this.due = due;
            this.since = since;
        }
    }

    /** The number of times that all blocks were dropped. Changes under the lock of this object. */
    private volatile int generation;

    private volatile boolean closed;

    /**
     * @param tables views without blocks
     * @param between runs a piece of work on the writer thread while no group is open
     * @param name of the threads that make blocks
     */
    public ResidentBlocks(
            ProjectionEnvironment environment,
            Supplier<Retention> retention,
            ViewSource tables,
            ResidentMemory memory,
            Function<Runnable, CompletableFuture<Void>> between,
            String name) {
        this.tables = tables;
        this.memory = memory;
        this.builder = new BlockBuilder(this, environment, retention, between, name);
    }

    /** The marks that the writer makes for the blocks of this graph. */
    public DirtyMarks marks() {
        return marks;
    }

    public ResidentMemory memory() {
        return memory;
    }

    @MustBeClosed
    @Override
    public GraphView view(TableAccess access, Chain chain, ReadPoint point, Catalogs.Compiled schema) {
        return memory.isOff() ? tables.view(access, chain, point, schema) : view(access, chain, point, schema, true);
    }

    /** @param counted whether rows that the tables answer lead to new blocks */
    @SuppressWarnings("MustBeClosedChecker") // closed by the view that wraps it
    @MustBeClosed
    ResidentView view(TableAccess access, Chain chain, ReadPoint point, Catalogs.Compiled schema, boolean counted) {
        GraphView plain = tables.view(access, chain, point, schema);
        return new ResidentView(plain, new ChainBlocks(this, plain, access, chain, schema, counted));
    }

    /**
     * The block that a view along a chain may use; null when there is none.
     *
     * @param withEdges whether the view wants the edges to neighbours
     * @param schemaOffset of the commit that set the schema of the view
     */
    @Nullable
    Kept find(Part.Kind kind, int type, int property, boolean withEdges, Chain chain, long schemaOffset) {
        if (published.isEmpty()) {
            return null;
        }
        for (int link = 0; link < chain.length(); link++) {
            Part part = new Part(kind, type, property, chain.incarnation(link));
            Kept kept = published.get(part);
            if (kept == null || !kept.answers(withEdges, chain, link, schemaOffset)) {
                kept = published.get(part.sharedBy(chain.incarnation(link)));
            }
            if (kept != null && kept.answers(withEdges, chain, link, schemaOffset)) {
                return kept;
            }
        }
        return null;
    }

    /**
     * Counts rows that the tables have answered for a part of a view. While branches could share a block of their
     * parent, the rows of all of them are counted together.
     *
     * @param withEdges whether the edges to neighbours were wanted
     * @return the part of which a block may be worth making, to be passed to {@link #want}; null when there is none
     */
    @Nullable
    Part missed(Part own, int rows, boolean withEdges, Chain chain, long schemaOffset) {
        if (closed || unfit.contains(own)) {
            return null;
        }
        Kept kept = published.get(own);
        if (kept != null && chain.offset(0) < kept.offset()) {
            // A view of the past: no newer block will help it.
            return null;
        }
        Part part = mayShare(own, withEdges, chain, schemaOffset) ? own.sharedBy(chain.incarnation(1)) : own;
        if (unfit.contains(part)) {
            return null;
        }
        Misses misses = missed.get(part);
        if (misses == null) {
            makeRoomForMisses();
            misses = missed.computeIfAbsent(part, any -> new Misses(memory.rowsBefore(0), memory.now()));
        }
        if (withEdges) {
            misses.rowsWithEdges.addAndGet(rows);
        }
        return misses.rows.addAndGet(rows) >= misses.due ? part : null;
    }

    /** Whether the parent of a branch has no block that answers for the branch, and could have one. */
    private boolean mayShare(Part own, boolean withEdges, Chain chain, long schemaOffset) {
        return chain.length() > 1
                && chain.offset(1) > unshared.getOrDefault(own.sharedBy(chain.incarnation(1)), -1L)
                && find(own.kind(), own.type(), own.property(), withEdges, chain, schemaOffset) == null;
    }

    /** Removes half of the counts, those of the fewest rows: if all were removed, no part might ever be read enough. */
    private void makeRoomForMisses() {
        if (missed.size() < PARTS_MAX) {
            return;
        }
        long[] rows = missed.values().stream()
                .mapToLong(each -> each.rows.get())
                .sorted()
                .toArray();
        long median = rows.length == 0 ? 0 : rows[rows.length / 2];
        List<Part> fewest = missed.entrySet().stream()
                .filter(each -> each.getValue().rows.get() <= median)
                .limit(rows.length / 2)
                .map(Map.Entry::getKey)
                .toList();
        fewest.forEach(missed::remove);
    }

    private static void makeRoom(Set<Part> parts) {
        if (parts.size() >= PARTS_MAX) {
            parts.clear();
        }
    }

    /**
     * Has a block made when the rows that were missed are as many as the entities of the part.
     *
     * @param part what {@link #missed} has returned for a view along the chain
     * @param bound ordinals of these entities
     */
    void want(Part part, int bound, Chain chain, Catalogs.Compiled schema) {
        Misses misses = missed.get(part);
        if (misses == null || bound == 0) {
            return;
        }
        long rows = misses.rows.get();
        misses.due = memory.rowsBefore(bound);
        if (rows < misses.due || !missed.remove(part, misses)) {
            return;
        }
        boolean mostWithEdges = 2 * misses.rowsWithEdges.get() > rows;
        Kept used = find(part.kind(), part.type(), part.property(), mostWithEdges, chain, schema.offset());
        if (used != null && used.usage().began() - misses.since > 0) {
            // The rows were missed before there was this block.
            return;
        }
        double perSecond = rows * 1e9 / Math.max(1, memory.now() - misses.since);
        // When the schema of the branch differs from that of its parent, the block is made of the head of the branch.
        boolean shares = part.shared() && schema.offset() <= chain.offset(1);
        Part wanted = shares ? part : part.ofBranch(chain.incarnation(0));
        Kept before = published.get(wanted);
        builder.want(new BlockBuilder.Wanted(
                wanted,
                shares ? chain.offset(1) : BlockBuilder.HEAD,
                perSecond,
                bound,
                mostWithEdges || (before != null && before.block().hasEdges()),
                schema));
    }

    /** No block can be shared by the branches that were created from an incarnation up to an offset. */
    void unshared(Part shared, long offset) {
        makeRoom(unshared.keySet());
        unshared.merge(shared, offset, Math::max);
    }

    void unfit(Part part) {
        makeRoom(unfit);
        unfit.add(part);
    }

    int generation() {
        return generation;
    }

    boolean isClosed() {
        return closed;
    }

    /** Makes room for a block, if need be instead of one without edges. */
    boolean reserve(long bytes, BlockBuilder.Wanted wanted) {
        Kept before = published.get(wanted.part());
        if (before != null && wanted.withEdges() && !before.block().hasEdges()) {
            return memory.reserve(bytes, wanted.perSecond(), before);
        }
        return memory.reserve(bytes, wanted.perSecond());
    }

    /** Publishes a block unless all blocks were dropped since its dirty set had begun. */
    synchronized boolean publish(Kept kept, int since, long reserved) {
        if (closed || generation != since) {
            return false;
        }
        // In this order: a block that is counted may be dropped at any time, and must not be published afterwards.
        Kept before = published.put(kept.part(), kept);
        memory.keep(reserved, kept, this);
        if (before != null) {
            retire(before);
        }
        return true;
    }

    /** Drops one block. A reader that has begun with it reads it to the end. */
    void drop(Kept kept) {
        published.remove(kept.part(), kept);
        retire(kept);
    }

    private void retire(Kept kept) {
        memory.forget(kept);
        builder.forget(kept.part(), kept.dirty());
    }

    private void deleted(int incarnation) {
        published.values().stream()
                .filter(kept -> kept.part().incarnation() == incarnation)
                .forEach(this::drop);
    }

    private synchronized void forgotten() {
        generation++;
        published.values().forEach(memory::forget);
        published.clear();
        unfit.clear();
        unshared.clear();
    }

    /** Waits until no block of this graph is being made. Call it before the tables are closed. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            forgotten();
        }
        builder.close();
    }
}
