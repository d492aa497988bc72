package service.core.graph.check;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Work of a request on a virtual thread beside the caller's. Until {@link #await} or {@link #close} returns, the caller
 * does not touch what the work uses.
 */
final class Aside implements AutoCloseable {
    private final FutureTask<Void> task;
    private volatile boolean abandoned;

    private Aside(Consumer<Runnable> work) {
        this.task = new FutureTask<>(() -> work.accept(this::checkpoint), null);
    }

    /**
     * Starts the work.
     *
     * @param work takes a checkpoint, to be called at least every 10 ms: it throws when the caller needs the work no
     *     more
     */
    static Aside start(Consumer<Runnable> work) {
        Aside aside = new Aside(work);
        Thread.startVirtualThread(aside.task);
        return aside;
    }

    private void checkpoint() {
        if (abandoned) {
            throw new CancellationException("the caller has ended");
        }
    }

    /** Returns when the work has ended, and throws what it has thrown. An interrupt does not end the wait. */
    void await() {
        switch (end()) {
            case null -> {}
            case RuntimeException fault -> throw fault;
            case Error fault -> throw fault;
            case Throwable fault -> throw new IllegalStateException(fault);
        }
    }

    /** Ends the work, if it has not ended, and waits for that. */
    @Override
    public void close() {
        abandoned = true;
        end();
    }

    /** Waits for the end; returns what the work has thrown, or null. */
    private @Nullable Throwable end() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return null;
                } catch (ExecutionException e) {
                    return e.getCause();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
