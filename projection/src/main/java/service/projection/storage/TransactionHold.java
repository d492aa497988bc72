package service.projection.storage;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.StateHold;

/**
 * Holds a state in a process that does not clean up: it keeps one session open, whose transaction has everything that
 * the state needs, whatever another process deletes. Its pages are not used again meanwhile, so it opens another
 * session after the longest time. The thread that made it.
 */
final class TransactionHold implements StateHold {
    private final ReadPoint point;
    private final Supplier<GraphSession> sessions;
    private final long nanosMax;
    private long sinceNanos;
    private GraphSession session;

    TransactionHold(ReadPoint point, Supplier<GraphSession> sessions, Duration longest) {
        this.point = point;
        this.sessions = sessions;
        this.nanosMax = longest.toNanos();
        this.sinceNanos = System.nanoTime();
        this.session = sessions.get();
    }

    @Override
    public void read(Consumer<GraphView> work) {
        long now = System.nanoTime();
        if (now - sinceNanos >= nanosMax) {
            session.close();
            session = sessions.get();
            sinceNanos = now;
        }
        try (GraphView view = session.view(point)) {
            work.accept(view);
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
