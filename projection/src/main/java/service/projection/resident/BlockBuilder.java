package service.projection.resident;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.ReadPoint;
import service.log.lmdb.ReadTransaction;
import service.log.retain.Retention;
import service.projection.table.BranchTable;
import service.projection.table.Incarnation;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.SchemaTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.view.Catalogs;

/**
 * Makes the wanted blocks of a graph, one after the other, on a thread that ends when nothing is wanted.
 *
 * <p>First the writer adds a dirty set, between two groups, so that the set gets every event that the first read
 * transaction after it does not see. Then the state is read in pieces. Each piece has a separate read transaction,
 * because a map cannot grow under a long one; all pieces read the same point, at which the tables never change unless a
 * cleanup reclaims it. After each piece the thread rests for as long as the piece took.
 *
 * <p>For a shared block, what events after its point have touched before the set began is then read in the same way,
 * and the writer adds it to the set.
 */
final class BlockBuilder implements AutoCloseable {
    /** Stands for the offset of the head. */
    static final long HEAD = -1;

    private static final Logger LOG = LoggerFactory.getLogger(BlockBuilder.class);

    /** A shared block with more than one in so many dirty ordinals is not made. */
    private static final int TOUCHED_PART_MAX = 8;

    private final ResidentBlocks blocks;
    private final ProjectionEnvironment environment;
    private final Supplier<Retention> retention;
    private final Function<Runnable, CompletableFuture<Void>> between;
    private final String name;
    private final Map<Part, Wanted> wanted = new ConcurrentHashMap<>();
    private final ReentrantLock reading = new ReentrantLock();
    private boolean running;

    /**
     * A block to make.
     *
     * @param offset of the state to read, or {@link #HEAD}
     * @param perSecond rows that the tables have answered
     * @param withEdges whether a block of neighbours has the edges to them
     */
    record Wanted(Part part, long offset, double perSecond, int bound, boolean withEdges, Catalogs.Compiled schema) {}

    /** The state that a block is made of. */
    private record Source(Chain chain, ReadPoint point, int next) {}

    BlockBuilder(
            ResidentBlocks blocks,
            ProjectionEnvironment environment,
            Supplier<Retention> retention,
            Function<Runnable, CompletableFuture<Void>> between,
            String name) {
        this.blocks = blocks;
        this.environment = environment;
        this.retention = retention;
        this.between = between;
        this.name = name;
    }

    void want(Wanted block) {
        if (wanted.putIfAbsent(block.part(), block) == null) {
            start();
        }
    }

    private synchronized void start() {
        if (!running && !blocks.isClosed()) {
            running = true;
            Thread.ofPlatform().name(name).daemon(true).start(this::run);
        }
    }

    private synchronized @Nullable Wanted next() {
        for (Wanted any : wanted.values()) {
            return any;
        }
        running = false;
        return null;
    }

    private void run() {
        for (Wanted each = next(); each != null; each = next()) {
            try {
                if (!blocks.isClosed()) {
                    build(each);
                }
            } catch (Throwable e) {
                // The next block is another one, and readers have the tables.
                LOG.debug("{}: a block was not made", name, e);
            } finally {
                wanted.remove(each.part());
            }
        }
    }

    private void build(Wanted block) {
        ResidentMemory memory = blocks.memory();
        memory.building.acquireUninterruptibly();
        try {
            Making making = new Making(block);
            between.apply(making::begin).join();
            try {
                making.make();
            } finally {
                making.end();
            }
        } catch (CompletionException e) {
            LOG.debug("{}: the writer is closed or recovering", name, e);
        } finally {
            memory.building.release();
        }
    }

    /** What follows a piece. */
    private enum Then {
        MORE,
        DONE,
        GIVE_UP
    }

    /** One block that is being made. */
    private final class Making {
        private final Wanted wanted;
        private final Part part;
        private DirtySet dirty;
        private int generation;
        private @Nullable Source source;
        private @Nullable BlockReader reader;
        private long reserved;
        private boolean published;

        Making(Wanted wanted) {
            this.wanted = wanted;
            this.part = wanted.part();
            this.dirty = new DirtySet(wanted.bound());
        }

        /** Begins to mark. Writer thread. */
        void begin() {
            blocks.marks().add(part, dirty);
            generation = blocks.generation();
        }

        void make() {
            if (!inPieces(this::read) || reader == null || source == null) {
                return;
            }
            Block made = reader.made();
            if (made == null) {
                blocks.unfit(part);
                return;
            }
            ReadPoint point = source.point();
            if (part.shared() && !addTouched(point)) {
                return;
            }
            Usage usage = new Usage(wanted.perSecond(), blocks.memory().now());
            Kept kept = Kept.of(part, point.offset(), part.shared() ? 0 : source.next(), dirty, made, usage);
            published = blocks.publish(kept, generation, reserved);
            if (published) {
                dropIfDeleted(kept);
            }
        }

        /**
         * Drops the block when its branch was deleted, and its other blocks were dropped, before this one was
         * published. The group that may have done so has ended when a step between two groups has run.
         */
        private void dropIfDeleted(Kept kept) {
            between.apply(() -> {}).join();
            if (!inPieces(
                    access -> BranchTable.branch(access, part.incarnation()) == null ? Then.GIVE_UP : Then.DONE)) {
                blocks.drop(kept);
            }
        }

        /** Gives back what was taken for a block that is not published. */
        void end() {
            if (!published) {
                blocks.memory().release(reserved);
                forget(part, dirty);
            }
        }

        /**
         * Reads all pieces, each in its own transaction. Returns false when the block is given up, also because the
         * state to read was reclaimed or the blocks of the graph were dropped.
         */
        private boolean inPieces(Function<TableAccess, Then> piece) {
            Then then = Then.MORE;
            while (then == Then.MORE) {
                long began = System.nanoTime();
                reading.lock();
                try {
                    if (blocks.isClosed() || blocks.generation() != generation) {
                        return false;
                    }
                    try (ReadTransaction read = environment.environment().read()) {
                        TableAccess access = environment.access(read);
                        try {
                            source = source == null ? source(access, wanted) : source;
                            if (source == null || !isReadable(source.point())) {
                                notShared();
                                return false;
                            }
                            then = piece.apply(access);
                        } finally {
                            access.end();
                        }
                    }
                } finally {
                    reading.unlock();
                }
                if (then == Then.MORE) {
                    blocks.memory().pace().rest().accept(System.nanoTime() - began);
                }
            }
            return then == Then.DONE;
        }

        /** Reads a piece of the block. */
        private Then read(TableAccess access) {
            Source from = Objects.requireNonNull(source);
            try (ResidentView view = blocks.view(access, from.chain(), from.point(), wanted.schema(), false)) {
                if (reader == null) {
                    long bytes = BlockReader.bytesMax(part, wanted.bound(), wanted.withEdges(), view);
                    if (bytes < 0) {
                        blocks.unfit(part);
                        return Then.GIVE_UP;
                    }
                    if (!blocks.reserve(bytes, wanted)) {
                        return Then.GIVE_UP;
                    }
                    reserved = bytes;
                    reader = BlockReader.of(part, wanted.bound(), wanted.withEdges(), view);
                }
                return reader.read(view, blocks.memory().pace().ordinalsMax()) ? Then.MORE : Then.DONE;
            }
        }

        /** Marks what was touched after the point; false when this is too much for a block that branches share. */
        private boolean addTouched(ReadPoint point) {
            TouchedOrdinals touched = new TouchedOrdinals(part, point.offset(), wanted.bound());
            if (!inPieces(access -> touched.read(access) ? Then.MORE : Then.DONE)) {
                return false;
            }
            between.apply(() -> {
                        blocks.marks().remove(part, dirty);
                        dirty = dirty.with(touched.bits());
                        blocks.marks().add(part, dirty);
                    })
                    .join();
            if (dirty.marked() >= dirty.bound() / TOUCHED_PART_MAX) {
                notShared();
                return false;
            }
            return true;
        }

        private void notShared() {
            if (part.shared()) {
                blocks.unshared(part, wanted.offset());
            }
        }
    }

    /**
     * The state to read; null when its branch is deleted, or when the state has another schema than the view that wants
     * the block.
     */
    private static @Nullable Source source(TableAccess access, Wanted wanted) {
        Incarnation state = BranchTable.incarnation(access, wanted.part().incarnation());
        if (state == null || !state.live()) {
            return null;
        }
        long offset = wanted.offset() == HEAD ? state.head().offset() : wanted.offset();
        ReadPoint point = new ReadPoint(state.incarnation(), offset);
        Chain chain = BranchTable.chain(access, point);
        return SchemaTable.offset(access, chain) == wanted.schema().offset()
                ? new Source(chain, point, BranchTable.next(access))
                : null;
    }

    private boolean isReadable(ReadPoint point) {
        return retention.get().isReadable(point.incarnation(), point.offset());
    }

    /** Stops the marking of a set that no block needs. */
    void forget(Part part, DirtySet dirty) {
        CompletableFuture<Void> unused = between.apply(() -> blocks.marks().remove(part, dirty));
    }

    /** Waits for the piece that is being read; no further piece begins. */
    @Override
    public void close() {
        reading.lock();
        try {
            wanted.clear();
        } finally {
            reading.unlock();
        }
    }
}
