package service.core.budget;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.CancellationException;
import service.core.lifecycle.Closing;

/**
 * What a request has opened and must not outlive it. Everything is closed at the end of the request, the newest first,
 * also when some of it fails to close. The end waits for the holders, such as a write in the writer's queue. Any
 * thread.
 */
final class Belongings {
    private final SequencedSet<AutoCloseable> open = new LinkedHashSet<>();

    /** The request itself counts as one until it ends, and each {@link #hold} as one until its {@link #release}. */
    private int holders = 1;

    /** Adds something to close; closes it at once and throws when the request has ended. */
    void add(AutoCloseable belonging) {
        synchronized (this) {
            if (holders > 0) {
                open.add(belonging);
                return;
            }
        }
        Closing.all(belonging);
        throw new CancellationException("the request has ended");
    }

    /** Takes something out, which is closed by the caller from now on. */
    synchronized void remove(AutoCloseable belonging) {
        open.remove(belonging);
    }

    /** Keeps everything open until {@link #release}. */
    synchronized void hold() {
        if (holders == 0) {
            throw new CancellationException("the request has ended");
        }
        holders++;
    }

    /** Ends the request or a hold; the last one closes everything and throws the first failure. */
    void release() {
        List<AutoCloseable> last;
        synchronized (this) {
            holders--;
            if (holders > 0) {
                return;
            }
            last = List.copyOf(open).reversed();
            open.clear();
        }
        Closing.all(last);
    }
}
