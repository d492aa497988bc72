package service.projection.storage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.log.format.EventLog;
import service.log.format.GraphImages;
import service.log.retain.Retention;
import service.projection.table.ProjectionEnvironment;

/**
 * Makes checkpoints and images of an open graph: after so many events, when an image is due, or when it is told to. At
 * most one thread makes one in the background. {@link #committed} on the writer's thread, the others on any other.
 */
final class Checkpointing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpointing.class);

    /** What is copied, and where images of it are kept. */
    record Copied(EventLog log, ProjectionEnvironment environment, GraphImages images) {}

    private final Checkpoints checkpoints;
    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final GraphImages images;
    private final long every;
    private final Function<Runnable, CompletableFuture<Void>> onWriter;
    private final BooleanSupplier isDetached;
    private final AtomicBoolean copying = new AtomicBoolean();
    private volatile long checkpointed;
    private volatile @Nullable Thread copier;

    /**
     * Makes none yet.
     *
     * @param every number of events between two checkpoints; 0 for none
     * @param onWriter runs a step on the writer's thread
     * @param isDetached whether the files are not those of the graph any more
     */
    Checkpointing(
            Checkpoints checkpoints,
            Copied copied,
            long every,
            Function<Runnable, CompletableFuture<Void>> onWriter,
            BooleanSupplier isDetached) {
        this.checkpoints = checkpoints;
        this.log = copied.log();
        this.environment = copied.environment();
        this.images = copied.images();
        this.every = every;
        this.onWriter = onWriter;
        this.isDetached = isDetached;
        this.checkpointed = Math.max(0, checkpoints.newestOffset());
    }

    /** Begins to make a checkpoint or an image when one is due; returns at once. */
    void committed(long offset) {
        boolean imageIsDue = images.isDue();
        if ((imageIsDue || (every > 0 && offset - checkpointed >= every)) && copying.compareAndSet(false, true)) {
            copier = Thread.ofPlatform()
                    .name("checkpoint-" + log.directory().getFileName())
                    .daemon(true)
                    .start(() -> run(offset, imageIsDue));
        }
    }

    private void run(long offset, boolean image) {
        if (isDetached.getAsBoolean()) {
            copying.set(false);
            return;
        }
        try {
            write(offset, image && images.isOurTurn());
            checkpointed = offset;
        } catch (Throwable e) {
            checkpointed = offset;
            LOG.warn("{}: the checkpoint at event {} failed", log.directory(), offset, e);
        } finally {
            copying.set(false);
        }
    }

    /** Whether a checkpoint is being made in the background. */
    boolean isCopying() {
        return copying.get();
    }

    /** Makes a checkpoint on the calling thread. */
    void now(boolean image) {
        close();
        write(log.tail().offset(), image);
        checkpointed = log.tail().offset();
    }

    /** {@link LmdbGraphStorage#keepImage}. */
    void keepImage() {
        try {
            if (images.isOurTurn() && images.isOutdated()) {
                now(true);
            }
        } catch (RuntimeException e) {
            LOG.warn("{}: no checkpoint was made of its last events: {}", log.directory(), e.getMessage());
            LOG.debug("the failure", e);
        }
    }

    /**
     * If the graph has a base image, the new checkpoint replaces it. An image is put after its files are free again.
     */
    private void write(long offset, boolean image) {
        Runnable[] put = {() -> {}};
        checkpoints.write(environment, log.retention(), offset, base -> {
            if (log.retention().base() != null) {
                WriterSlices.await(onWriter, () -> rebase(base));
            }
            // Between the marks of a cleanup and its base image no checkpoint is made: it would belong to neither.
            if (image && !images.isBaseOutdated()) {
                put[0] = images.spool(GraphImages.Kind.CHECKPOINT, checkpoints.file(base), base);
            }
        });
        put[0].run();
    }

    private void rebase(Retention.Base base) {
        Retention now = log.retention();
        log.retain(now.based(base, now.phase()));
    }

    /** Waits for the checkpoint that is being made. */
    @Override
    public void close() {
        Thread running = copier;
        if (running != null) {
            try {
                running.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
