package service.http.stream;

import java.util.concurrent.TimeUnit;
import org.xnio.XnioExecutor;
import org.xnio.XnioIoThread;

/**
 * Timers of an I/O thread. XNIO computes how long the thread may wait, and then begins to wait; a timer that another
 * thread sets between the two is not seen until the next I/O event or task. So a timer that is set from another thread
 * is followed by an empty task, which the thread always sees. Any thread.
 */
public final class IoTimer {
    private IoTimer() {}

    /**
     * Runs work once on an I/O thread, after a time.
     *
     * @return removes the timer
     * @throws java.util.concurrent.RejectedExecutionException when the thread is stopping
     */
    public static XnioExecutor.Key after(XnioIoThread thread, Runnable work, long time, TimeUnit unit) {
        XnioExecutor.Key timer = thread.executeAfter(work, time, unit);
        show(thread);
        return timer;
    }

    /** Runs work on an I/O thread again and again, for the first time after one interval; else as {@link #after}. */
    public static XnioExecutor.Key every(XnioIoThread thread, Runnable work, long interval, TimeUnit unit) {
        XnioExecutor.Key timer = thread.executeAtInterval(work, interval, unit);
        show(thread);
        return timer;
    }

    private static void show(XnioIoThread thread) {
        if (!thread.equals(Thread.currentThread())) {
            thread.execute(() -> {});
        }
    }
}
