package service.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Writes the log on a thread of its own, many lines with one system call: a request costs a place in a queue, where
 * waking a thread and writing a line would cost as much as reading a node.
 *
 * <p>An event that finds the writer asleep wakes it and is written at once. After each write the writer lingers for
 * {@value #LINGER_MILLIS} ms, so that under load lines gather; a warning or an error ends that at once. So a process
 * that is killed loses the lines of its last milliseconds, and one that is stopped ({@link #stop}) loses none.
 *
 * <p>The queue is bounded, and callers never wait for it: among them is the I/O thread, and a reader of stderr that
 * stalls must not stop the server. Lines up to INFO are dropped once three quarters of the queue are taken, warnings
 * and errors once it is full. The number of dropped lines is a line of its own as soon as the stream takes more.
 */
final class LogWriter extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private static final int QUEUE_EVENTS = 8_192;
    private static final int INFO_EVENTS_MAX = QUEUE_EVENTS / 4 * 3;
    private static final int BATCH_BYTES = 64 << 10;
    private static final long LINGER_MILLIS = 5;
    private static final String DROPPED = "log lines dropped: the reader of stderr did not keep up";
    private static final long STOP_WAIT_MILLIS = 5_000;

    private final Encoder<ILoggingEvent> encoder;
    private final OutputStream stream;
    private final Logger log;
    private final ManyToOneConcurrentArrayQueue<ILoggingEvent> queue =
            new ManyToOneConcurrentArrayQueue<>(QUEUE_EVENTS);
    private final Thread thread = Thread.ofPlatform().name("log").daemon().unstarted(this::run);

    /** The writer while it sleeps until somebody wakes it. */
    private volatile @Nullable Thread sleeper;

    private volatile boolean stopping;

    /** Since the last line that told it. */
    private final AtomicLong dropped = new AtomicLong();

    /**
     * @param encoder started
     * @param stream unbuffered: each write is one system call
     * @param log whose name the lines of the writer itself have
     */
    LogWriter(Encoder<ILoggingEvent> encoder, OutputStream stream, Logger log) {
        this.encoder = encoder;
        this.stream = stream;
        this.log = log;
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
        boolean urgent = event.getLevel().isGreaterOrEqual(Level.WARN);
        if (!urgent && queue.size() >= INFO_EVENTS_MAX) {
            dropped.incrementAndGet();
            return;
        }
        event.prepareForDeferredProcessing();
        if (!queue.offer(event)) {
            dropped.incrementAndGet();
            return;
        }
        // The event must be seen by a writer that has announced its sleep before we looked whether
        // it sleeps.
        VarHandle.fullFence();
        if (sleeper != null || urgent || queue.size() > QUEUE_EVENTS / 2) {
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
            tellDropped(batch);
            batch.writeBytes(encoder.encode(event));
            if (batch.size() >= BATCH_BYTES) {
                flush(batch);
            }
        }
        tellDropped(batch);
        flush(batch);
        return any;
    }

    /** Lines are dropped while the queue is full only, so that one of those that follow tells it soon. */
    private void tellDropped(ByteArrayOutputStream batch) {
        if (dropped.get() > 0) {
            LoggingEvent event = new LoggingEvent(LogWriter.class.getName(), log, Level.WARN, DROPPED, null, null);
            event.addKeyValuePair(new KeyValuePair("dropped", dropped.getAndSet(0)));
            batch.writeBytes(encoder.encode(event));
        }
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
