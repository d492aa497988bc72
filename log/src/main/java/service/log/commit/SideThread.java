package service.log.commit;

import org.jspecify.annotations.Nullable;

/**
 * A piece of the writer's work that runs beside it, on a thread of its own that ends with it. The writer starts it,
 * does what touches neither the same transaction nor the same memory, and {@link #await}s it before it does anything
 * that does, also when it fails itself: so each transaction is used by one thread at a time, and no memory is given
 * back under the other's hands.
 */
public final class SideThread {
    private final Thread thread;
    private @Nullable RuntimeException refusal;
    private @Nullable Error fault;

    private SideThread(Runnable work) {
        thread = Thread.ofPlatform()
                .name(Thread.currentThread().getName() + "-side")
                .daemon(true)
                .unstarted(() -> run(work));
    }

    /** Starts the work; costs about a tenth of a millisecond. */
    public static SideThread start(Runnable work) {
        SideThread side = new SideThread(work);
        side.thread.start();
        return side;
    }

    private void run(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            refusal = e;
        } catch (Error e) {
            fault = e;
        }
    }

    /** Returns when the work is over, however it went; an interrupt waits, too. */
    public void await() {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Throws what the work threw; after {@link #await}. */
    public void rethrow() {
        if (refusal != null) {
            throw refusal;
        }
        if (fault != null) {
            throw fault;
        }
    }
}
