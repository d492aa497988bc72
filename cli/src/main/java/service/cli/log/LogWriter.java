package service.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Writes the log on a thread of its own, many lines with one system call: a request costs a place in a queue, where
 * waking a thread and writing a line would cost as much as reading a node.
 *
 * <p>An event that finds the writer asleep wakes it and is written at once. After each write the writer lingers for
 * {@value #LINGER_MILLIS} ms, so that under load lines gather; a warning or an error ends that at once. So a process
 * that is killed loses the lines of its last milliseconds, and one that is stopped ({@link #stop}) loses none.
 *
 * <p>The queue is bounded. When it is full, callers wait for the stream: a line is never dropped.
 */
final class LogWriter extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private static final int QUEUE_EVENTS = 8_192;
    private static final int BATCH_BYTES = 64 << 10;
    private static final long LINGER_MILLIS = 5;
    private static final long FULL_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long STOP_WAIT_MILLIS = 5_000;

    private final Encoder<ILoggingEvent> encoder;
    private final OutputStream stream;
    private final ManyToOneConcurrentArrayQueue<ILoggingEvent> queue =
            new ManyToOneConcurrentArrayQueue<>(QUEUE_EVENTS);
    private final Thread thread = Thread.ofPlatform().name("log").daemon().unstarted(this::run);

    /** The writer while it sleeps until somebody wakes it. */
    private volatile @Nullable Thread sleeper;

    private volatile boolean stopping;

    /**
     * @param encoder started
     * @param stream unbuffered: each write is one system call
     */
    LogWriter(Encoder<ILoggingEvent> encoder, OutputStream stream) {
        this.encoder = encoder;
        this.stream = stream;
    }

    @Override
    public void start() {
        super.start();
        thread.start();
    }

    /** Returns when every line is written, or the stream takes none for too long. */
    @Override
    public void stop() {
        super.stop();
        stopping = true;
        LockSupport.unpark(thread);
        try {
            thread.join(STOP_WAIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        while (!queue.offer(event)) {
            LockSupport.unpark(thread);
            LockSupport.parkNanos(this, FULL_WAIT_NANOS);
        }
        // The event must be seen by a writer that has announced its sleep before we looked whether
        // it sleeps.
        VarHandle.fullFence();
        if (sleeper != null || event.getLevel().isGreaterOrEqual(Level.WARN) || queue.size() > QUEUE_EVENTS / 2) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        ByteArrayOutputStream batch = new ByteArrayOutputStream(2 * BATCH_BYTES);
        while (true) {
            boolean last = stopping;
            if (write(batch)) {
                if (!stopping) {
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS));
                }
            } else if (last) {
                return;
            } else {
                sleep();
            }
        }
    }

    /** Writes what is there; false when there was nothing. */
    private boolean write(ByteArrayOutputStream batch) {
        boolean any = false;
        for (ILoggingEvent event = queue.poll(); event != null; event = queue.poll()) {
            any = true;
            batch.writeBytes(encoder.encode(event));
            if (batch.size() >= BATCH_BYTES) {
                flush(batch);
            }
        }
        flush(batch);
        return any;
    }

    private void flush(ByteArrayOutputStream batch) {
        if (batch.size() > 0) {
            try {
                batch.writeTo(stream);
            } catch (IOException e) {
                // Nobody reads the log any more; the server serves on.
                addError("the log cannot be written", e);
            }
            batch.reset();
        }
    }

    private void sleep() {
        sleeper = Thread.currentThread();
        if (queue.isEmpty() && !stopping) {
            LockSupport.park(this);
        }
        sleeper = null;
    }
}
