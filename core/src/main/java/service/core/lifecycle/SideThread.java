package service.core.lifecycle;

import org.jspecify.annotations.Nullable;

/**
 * Runs a piece of a thread's work on a second platform thread, which ends with the work. Until the first thread has
 * called {@link #await}, it must not use what the work uses; it calls {@code await} also when it fails. So one thread
 * at a time uses a transaction, and no memory is freed while the other thread uses it.
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

    /** Returns when the work has ended, also after a failure. An interrupt does not end the wait. */
    public void await() {
        Uninterrupted.get(() -> {
            thread.join();
            return true;
        });
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
