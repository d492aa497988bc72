package service.projection.storage;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.log.commit.Writer;

/** Runs the slices of a cleanup on the writer's thread. One thread, except {@link #stop}. */
final class WriterSlices {
    private final Writer writer;
    private final SlicePace pace;
    private volatile boolean stopped;

    /** @param pace is told how long each slice has held the writer */
    WriterSlices(Writer writer, SlicePace pace) {
        this.writer = writer;
        this.pace = pace;
    }

    /** Ends a run at its next slice with SHUTTING_DOWN. Any thread. */
    void stop() {
        stopped = true;
    }

    /** Runs a slice, then pauses for at least as long as the slice took, so commits get at least half of the time. */
    void slice(Duration pause, Runnable step) {
        long began = System.nanoTime();
        onWriter(step);
        if (!pause.isZero()) {
            LockSupport.parkNanos(Math.max(pause.toNanos(), System.nanoTime() - began));
        }
    }

    /** Runs a step and waits for it. */
    void onWriter(Runnable step) {
        if (stopped) {
            throw new ServiceException(ErrorCode.SHUTTING_DOWN, "cleanup was stopped; the next run continues it");
        }
        await(writer::between, () -> {
            long began = System.nanoTime();
            try {
                step.run();
            } finally {
                pace.held(System.nanoTime() - began);
            }
        });
    }

    /** Runs a step on the writer's thread and waits for it. */
    static void await(Function<Runnable, CompletableFuture<Void>> onWriter, Runnable step) {
        try {
            onWriter.apply(step).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new ServiceException(ErrorCode.INTERNAL, "cleanup failed with an internal error", null, e);
        }
    }
}
