package service.http.server;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioExecutor;
import org.xnio.XnioIoThread;
import org.xnio.channels.SuspendableAcceptChannel;
import service.http.stream.IoTimer;

/**
 * Lets a listener accept connections only while the process has a file descriptor for one more. XNIO tries again by
 * itself after an accept that fails, but it waits four times as long after each failure, up to two minutes, also when
 * there are descriptors again at once. This class checks four times a second instead.
 *
 * <p>Thread rule: one I/O thread, which it does not block; {@link #stop} may be called from any.
 */
final class AcceptGuard implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptGuard.class);
    private static final long LOOK_MILLIS = 250;

    private final Runnable suspend;
    private final Runnable resume;
    private final BooleanSupplier hasDescriptor;
    private boolean accepting = true;
    private boolean stopped;
    private XnioExecutor.@Nullable Key timer;

    /**
     * @param suspend stops accepting
     * @param resume continues with it
     * @param hasDescriptor whether the process can open one more file
     */
    AcceptGuard(Runnable suspend, Runnable resume, BooleanSupplier hasDescriptor) {
        this.suspend = suspend;
        this.resume = resume;
        this.hasDescriptor = hasDescriptor;
    }

    /** Looks from now on until {@link #stop}. */
    static AcceptGuard start(SuspendableAcceptChannel acceptor, XnioIoThread thread) {
        AcceptGuard guard =
                new AcceptGuard(acceptor::suspendAccepts, acceptor::resumeAccepts, AcceptGuard::hasDescriptor);
        synchronized (guard) {
            guard.timer = IoTimer.every(thread, guard, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
        return guard;
    }

    private static boolean hasDescriptor() {
        try (SocketChannel probe = SocketChannel.open()) {
            return probe.isOpen();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public synchronized void run() {
        boolean free = hasDescriptor.getAsBoolean();
        if (stopped || free == accepting) {
            return;
        }
        accepting = free;
        if (free) {
            LOG.info("there are file descriptors again; connections are accepted");
            resume.run();
        } else {
            LOG.warn("this process can open no more files, so no connection is accepted until others are closed; raise"
                    + " the limit of open files (ulimit -n, LimitNOFILE=)");
            suspend.run();
        }
    }

    /** Accepts nothing any more. */
    synchronized void stop() {
        stopped = true;
        suspend.run();
        XnioExecutor.Key running = timer;
        if (running != null) {
            running.remove();
        }
    }
}
