package service.projection.resident;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
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
 * transaction after it does not see. Then the state at the head of the incarnation is read in pieces. Each piece has a
 * separate read transaction, because a map cannot grow under a long one; all pieces read the same point, at which the
 * tables never change unless a cleanup reclaims it. After each piece the thread rests for as long as the piece took.
 */
final class BlockBuilder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlockBuilder.class);

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
     * @param rows that the tables have answered
     * @param schemaOffset of the commit that set the schema
     */
    record Wanted(Part part, long rows, int bound, long schemaOffset, Catalogs.Compiled schema) {}

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
            } catch (RuntimeException | OutOfMemoryError e) {
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
            DirtySet dirty = new DirtySet(block.bound());
            int[] generation = new int[1];
            between.apply(() -> {
                        blocks.marks().add(block.part(), dirty);
                        generation[0] = blocks.generation();
                    })
                    .join();
            if (!build(block, dirty, generation[0])) {
                forget(block.part(), dirty);
            }
        } catch (CompletionException e) {
            LOG.debug("{}: the writer is closed or recovering", name, e);
        } finally {
            memory.building.release();
        }
    }

    private boolean build(Wanted block, DirtySet dirty, int generation) {
        Pace pace = blocks.memory().pace();
        BlockReader reader = null;
        Source source = null;
        long reserved = 0;
        boolean kept = false;
        try {
            boolean more = true;
            while (more) {
                long began = System.nanoTime();
                reading.lock();
                try {
                    if (blocks.isClosed() || blocks.generation() != generation) {
                        return false;
                    }
                    try (ReadTransaction read = environment.environment().read()) {
                        TableAccess access = environment.access(read);
                        try {
                            source = source == null ? source(access, block) : source;
                            if (source == null || !isReadable(source.point())) {
                                return false;
                            }
                            try (ResidentView view =
                                    blocks.view(access, source.chain(), source.point(), block.schema(), false)) {
                                if (reader == null) {
                                    long bytes = BlockReader.bytesMax(block.part(), block.bound(), view);
                                    if (bytes < 0) {
                                        blocks.unfit(block.part());
                                        return false;
                                    }
                                    if (!blocks.memory().reserve(bytes, block.rows())) {
                                        return false;
                                    }
                                    reserved = bytes;
                                    reader = BlockReader.of(block.part(), block.bound(), view);
                                }
                                more = reader.read(view, pace.ordinalsMax());
                            }
                        } finally {
                            access.end();
                        }
                    }
                } finally {
                    reading.unlock();
                }
                if (more) {
                    pace.rest().accept(System.nanoTime() - began);
                }
            }
            Block made = reader == null ? null : reader.made();
            if (made == null || source == null) {
                blocks.unfit(block.part());
                return false;
            }
            Kept result = new Kept(block.part(), source.point().offset(), source.next(), dirty, made, new LongAdder());
            kept = blocks.publish(result, generation, reserved);
            return kept;
        } finally {
            if (!kept && reserved > 0) {
                blocks.memory().release(reserved);
            }
        }
    }

    /**
     * The head of the incarnation; null when it is deleted or has another schema than the view that wants the block.
     */
    private static @Nullable Source source(TableAccess access, Wanted block) {
        Incarnation state = BranchTable.incarnation(access, block.part().incarnation());
        if (state == null || !state.live()) {
            return null;
        }
        ReadPoint point = new ReadPoint(state.incarnation(), state.head().offset());
        Chain chain = BranchTable.chain(access, point);
        return SchemaTable.offset(access, chain) == block.schemaOffset()
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
