package service.http.stream;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The threads of one server that wait for a client to read or to send. A server that stops ends their waits, because
 * closing a connection does not wake the thread that works on it. Thread rule: any thread.
 */
public final class ClientWaits {
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    /**
     * Parks the current thread. Whoever changes the result of {@code ready} must unpark it.
     *
     * @param remainingNanos nanoseconds that are left; the wait ends when it is not positive
     * @return whether it is ready; false after the time, and from {@link #end} on
     */
    boolean await(BooleanSupplier ready, LongSupplier remainingNanos) {
        Thread current = Thread.currentThread();
        waiting.add(current);
        try {
            while (!ready.getAsBoolean()) {
                long remaining = remainingNanos.getAsLong();
                if (remaining <= 0 || ended) {
                    return false;
                }
                LockSupport.parkNanos(this, remaining);
            }
            return true;
        } finally {
            waiting.remove(current);
        }
    }

    /** Ends the present and all later waits. */
    public void end() {
        ended = true;
        waiting.forEach(LockSupport::unpark);
    }
}
