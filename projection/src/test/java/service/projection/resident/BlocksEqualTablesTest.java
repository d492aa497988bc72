package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import service.core.error.ServiceException;
import service.core.port.BlockGauges;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.CatalogCodec;
import service.core.testkit.Seed;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/**
 * Random histories with branches, merges, deletes, changes of schema, cleanups and restarts. After each step random
 * points are read twice, once with blocks and once from the tables alone, and both give the same rows.
 * {@code -Dservice.steps=n} makes longer histories.
 */
class BlocksEqualTablesTest {
    private static final int STEPS = Integer.getInteger("service.steps", 50);
    private static final int POINTS = 3;

    /** How blocks are there while the reads run. */
    enum Blocks {
        /** Blocks of a head are made before some of the reads. */
        MADE,
        /** A block is made in pieces of few ordinals, and the history continues between two of them. */
        HALF_MADE,
        /** There is little memory, and blocks are dropped between two batches of a read, too. */
        EVICTED
    }

    @TempDir
    Path temporary;

    /** Pieces of blocks that may be read. */
    private final Semaphore pieces = new Semaphore(0);

    @ParameterizedTest
    @EnumSource
    void everyViewShowsTheSameWithBlocksAsWithout(Blocks blocks, @Seed long seed) {
        Random random = new Random(seed ^ blocks.name().hashCode());
        Pace pace = blocks == Blocks.HALF_MADE ? new Pace(8, worked -> pieces.acquireUninterruptibly()) : Pace.STANDARD;
        int bytes = blocks == Blocks.EVICTED ? 3_000 + random.nextInt(2) * 5_000_000 : 1 << 26;
        ResidentMemory memory = new ResidentMemory(bytes, 0, pace);
        StorageOptions options = StorageOptions.defaults()
                .withMapBytes(1L << 30, 4L << 30)
                .withCheckpointEvents(0)
                .withResident(memory);
        BranchedHistory history = new BranchedHistory(random, temporary.resolve("graph"), options);
        try {
            for (int step = 0; step < STEPS; step++) {
                LmdbGraphStorage before = history.storage();
                history.step();
                if (history.storage() != before) {
                    // The thread of the closed graph still waits to read its next piece, and gives it up.
                    pieces.release(1_000);
                    Awaitility.await().until(() -> memory.gauges().bytes() == 0);
                    pieces.drainPermits();
                }
                pieces.release(random.nextInt(60));
                if (blocks == Blocks.MADE && random.nextInt(7) == 0) {
                    settle(history, memory, random);
                }
                for (int i = 0; i < POINTS; i++) {
                    compare(history.storage(), history.point(), random, () -> {
                        if (blocks == Blocks.EVICTED && random.nextInt(6) == 0) {
                            dropAll(memory);
                        }
                    });
                }
            }
            BlockGauges gauges = memory.gauges();
            System.out.println("BlocksEqualTablesTest: " + gauges + " " + history.outcomes);
            assertThat(gauges.bytes()).isBetween(0L, gauges.bytesMax());
            assertThat(gauges.built()).isPositive();
            assertThat(gauges.fromBlocks()).isPositive();
        } finally {
            pieces.release(1_000_000);
            history.storage().close();
        }
        // A thread that was making a block gives its memory back after the graph is closed.
        Awaitility.await().until(() -> memory.gauges().bytes() == 0);
    }

    private static void dropAll(ResidentMemory memory) {
        long free = memory.gauges().bytesMax();
        if (memory.reserve(free, Long.MAX_VALUE)) {
            memory.release(free);
        }
    }

    /** Reads the head of main several times, each time after the blocks that the last one wanted were made. */
    private static void settle(BranchedHistory history, ResidentMemory memory, Random random) {
        for (int round = 0; round < 2; round++) {
            compare(history.storage(), history.head("main"), random, () -> {});
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> memory.building.availablePermits() == 1);
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // the views are closed here, or are refused
    private static void compare(LmdbGraphStorage storage, ReadPoint point, Random random, Runnable between) {
        Sessions sessions =
                new Sessions(storage.environment(), storage.events(), CatalogCodec::decode, ViewSource.TABLES);
        try (GraphSession with = storage.session();
                GraphSession without = sessions.reading()) {
            GraphView tables;
            try {
                tables = without.view(point);
            } catch (ServiceException e) {
                assertThatThrownBy(() -> with.view(point).close()).isInstanceOf(ServiceException.class);
                return;
            }
            try (tables;
                    GraphView blocks = with.view(point)) {
                ViewRows rows = new ViewRows(blocks, tables, random, between);
                rows.compare();
                rows.compare();
            }
        }
    }
}
