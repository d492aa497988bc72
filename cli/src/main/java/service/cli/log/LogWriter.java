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
 * Writes the log on a separate thread, many lines with one system call. A request only adds an event to a queue; waking
 * a thread and writing a line would take as long as reading a node.
 *
 * <p>An event that is added while the writer sleeps wakes it and is written at once. After each write the writer waits
 * for {@value #LINGER_MILLIS} ms, so that under load one write takes many lines; a warning or an error ends the wait.
 * So a killed process loses the lines of its last milliseconds, and a process that calls {@link #stop} loses none.
 *
 * <p>The queue is bounded, and callers never wait for it, because one of them is the I/O thread and a stalled reader of
 * stderr must not stop the server. Lines up to INFO are dropped when three quarters of the queue are taken, warnings
 * and errors when it is full. The writer logs the number of dropped lines as soon as the stream accepts lines again.
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

    /** The writer's thread while it sleeps; null otherwise. */
    private volatile @Nullable Thread sleeper;

    private volatile boolean stopping;

    /** Lines dropped since the last line that reported the number. */
    private final AtomicLong dropped = new AtomicLong();

    /**
     * @param encoder started
     * @param stream unbuffered: each write is one system call
     * @param log the logger whose name the writer's lines have
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

    /** Returns when every line is written, or when the stream accepts none for too long. */
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
        // The writer announces its sleep and then checks the queue. This thread adds its event before it checks for a
        // sleeping writer. So one of the two sees the other.
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

    /** Writes the lines in the queue; false when it was empty. */
    private boolean write(ByteArrayOutputStream batch) {
        boolean any = false;
        for (ILoggingEvent event = queue.poll(); event != null; event = queue.poll()) {
            any = true;
            reportDropped(batch);
            batch.writeBytes(encoder.encode(event));
            if (batch.size() >= BATCH_BYTES) {
                flush(batch);
            }
        }
        reportDropped(batch);
        flush(batch);
        return any;
    }

    /**
     * Adds a line with the number of dropped lines. Lines are dropped only while the queue is full, so one of the lines
     * in the queue triggers this soon.
     */
    private void reportDropped(ByteArrayOutputStream batch) {
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
                // The reader of the log is gone; the server continues without a log.
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
