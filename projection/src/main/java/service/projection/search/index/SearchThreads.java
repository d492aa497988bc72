package service.projection.search.index;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that index, for all graphs of the process: two of low priority, which end when there is nothing to do. So
 * a thousand graphs take no thousand threads, nor as many buffers of Lucene.
 */
final class SearchThreads {
    private static final int THREADS = 2;
    private static final ScheduledThreadPoolExecutor SHARED = make();

    private SearchThreads() {}

    @SuppressWarnings("ThreadPriorityCheck") // only a hint: nothing depends on it
    private static ScheduledThreadPoolExecutor make() {
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(
                THREADS,
                Thread.ofPlatform()
                        .name("search-index-", 1)
                        .daemon(true)
                        .priority(Thread.MIN_PRIORITY)
                        .factory());
        threads.setKeepAliveTime(10, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
        threads.setRemoveOnCancelPolicy(true);
        return threads;
    }

    /** Runs work after a time; the result can cancel it until then. */
    @CanIgnoreReturnValue
    static Future<?> after(long millis, Runnable work) {
        return SHARED.schedule(work, millis, TimeUnit.MILLISECONDS);
    }
}
