package service.log.commit;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import service.core.error.ServiceException;

/** Pieces of maintenance that wait for the writer of a graph, which runs one after each group. */
final class Steps {
    private record Step(Runnable work, CompletableFuture<Void> done) {}

    private final DurableEnd durable;
    private final Queue<Step> waiting = new ConcurrentLinkedQueue<>();

    Steps(DurableEnd durable) {
        this.durable = durable;
    }

    /** Adds a piece, after those that wait. Any thread; the future completes on the writer thread. */
    CompletableFuture<Void> add(Runnable work) {
        Step step = new Step(work, new CompletableFuture<>());
        waiting.add(step);
        return step.done;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Writer thread: runs the next piece; false when none waits. */
    boolean runNext() {
        Step step = waiting.poll();
        if (step == null) {
            return false;
        }
        if (!durable.isRecovered()) {
            step.done.completeExceptionally(durable.obstacleAnswer());
            return true;
        }
        try {
            step.work.run();
        } catch (Throwable e) {
            durable.suspect();
            step.done.completeExceptionally(e);
            return true;
        }
        step.done.complete(null);
        return true;
    }

    /** Refuses all that wait. Any thread. */
    void refuse(ServiceException answer) {
        for (Step step = waiting.poll(); step != null; step = waiting.poll()) {
            step.done.completeExceptionally(answer);
        }
    }
}
