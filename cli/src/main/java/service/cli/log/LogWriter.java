package service.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Writes the log on a separate thread, many lines with one system call. A request encodes its line, while the values
 * are in the cache of its processor, and adds it to a ring of bytes; waking a thread and writing a line would take as
 * long as reading a node.
 *
 * <p>A line that is added while the writer sleeps wakes it and is written at once. After each write the writer waits
 * for {@value #LINGER_MILLIS} ms, so that under load one write takes many lines; a warning or an error ends the wait.
 * So a killed process loses the lines of its last milliseconds, and a process that calls {@link #stop} loses none.
 *
 * <p>The ring has {@value #RING_BYTES} bytes, and callers never wait for it, because one of them is the I/O thread and
 * a stalled reader of stderr must not stop the server. Lines up to INFO are dropped when three quarters of the ring are
 * taken, warnings and errors when it is full, and lines of more than an eighth of it always. Lines whose write failed
 * are dropped as well. The writer logs the number of dropped lines as soon as stderr accepts lines again.
 */
final class LogWriter extends UnsynchronizedAppenderBase<ILoggingEvent> {
    static final int RING_BYTES = 2 << 20;

    private static final int INFO_BYTES_MAX = RING_BYTES / 4 * 3;
    private static final int BATCH_BYTES = 64 << 10;
    private static final long LINGER_MILLIS = 5;

    /** The time between two attempts at a non-blocking descriptor that accepts nothing. */
    private static final long RETRY_MILLIS = 1;

    private static final String DROPPED = "log lines dropped: stderr did not take them in time, or failed";
    private static final long STOP_WAIT_MILLIS = 5_000;
    private static final byte NEWLINE = '\n';

    /** The ring asks for a number that tells kinds of messages apart; there is one kind. */
    private static final int LINE = 1;

    private final Encoder<ILoggingEvent> encoder;
    private final WritableByteChannel stderr;
    private final Logger log;
    private final ManyToOneRingBuffer ring = new ManyToOneRingBuffer(
            new UnsafeBuffer(ByteBuffer.allocateDirect(RING_BYTES + RingBufferDescriptor.TRAILER_LENGTH)));
    private final Thread thread = Thread.ofPlatform().name("log").daemon().unstarted(this::run);

    /** The lines of one write. The last line may begin just before {@link #BATCH_BYTES}. */
    private final ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES + RING_BYTES / 8);

    /** Whether a write failed within a line. */
    private boolean torn;

    /** The writer's thread while it sleeps; null otherwise. */
    private volatile @Nullable Thread sleeper;

    private volatile boolean stopping;

    /** Lines dropped since the last line that reported the number. */
    private final AtomicLong dropped = new AtomicLong();

    /**
     * @param encoder started; any thread may use it
     * @param stderr may be in non-blocking mode, which another process that has the same pipe can set
     * @param log the logger whose name the writer's lines have
     */
    LogWriter(Encoder<ILoggingEvent> encoder, WritableByteChannel stderr, Logger log) {
        this.encoder = encoder;
        this.stderr = stderr;
        this.log = log;
    }

    @Override
    public void start() {
        super.start();
        thread.start();
    }

    /** Returns when every line is written, or when stderr accepts none for too long. */
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
        if ((!urgent && ring.size() >= INFO_BYTES_MAX) || !add(encoder.encode(event))) {
            dropped.incrementAndGet();
            return;
        }
        // The writer announces its sleep and then checks the ring. This thread adds its line before it checks for a
        // sleeping writer. So one of the two sees the other.
        VarHandle.fullFence();
        if (sleeper != null || urgent || ring.size() > RING_BYTES / 2) {
            LockSupport.unpark(thread);
        }
    }

    /** Adds a line to the ring; false when there is no room for it. */
    private boolean add(byte[] line) {
        if (line.length > ring.maxMsgLength()) {
            return false;
        }
        int at = ring.tryClaim(LINE, line.length);
        if (at < 0) {
            return false;
        }
        ring.buffer().putBytes(at, line);
        ring.commit(at);
        return true;
    }

    private void run() {
        while (true) {
            boolean last = stopping;
            if (write()) {
                if (!stopping) {
                    pause(LINGER_MILLIS);
                }
            } else if (last) {
                return;
            } else {
                sleep();
            }
        }
    }

    /**
     * Writes the lines in the ring; false when it was empty. Lines may be left: one read ends before the unused bytes
     * at the end of the ring, and at a line that another thread is adding.
     */
    private boolean write() {
        boolean any = ring.size() > 0;
        while (ring.controlledRead(this::take) > 0) {
            dropped.addAndGet(writeBatch());
            reportDropped();
        }
        reportDropped();
        return any;
    }

    private ControlledMessageHandler.Action take(int kind, MutableDirectBuffer from, int start, int length) {
        from.getBytes(start, batch, length);
        return batch.position() < BATCH_BYTES
                ? ControlledMessageHandler.Action.CONTINUE
                : ControlledMessageHandler.Action.BREAK;
    }

    /**
     * Writes a line with the number of dropped lines. Lines are dropped while others are in the ring, which lead here
     * soon; one that is dropped for its length is reported after the next line.
     */
    private void reportDropped() {
        long count = dropped.get();
        if (count > 0) {
            LoggingEvent event = new LoggingEvent(LogWriter.class.getName(), log, Level.WARN, DROPPED, null, null);
            event.addKeyValuePair(new KeyValuePair("dropped", count));
            batch.put(encoder.encode(event));
            if (writeBatch() == 0) {
                dropped.addAndGet(-count);
            }
        }
    }

    /** Writes the batch and empties it. Returns the number of lines that could not be written. */
    private long writeBatch() {
        batch.flip();
        try {
            if (torn) {
                writeAll(ByteBuffer.wrap(new byte[] {NEWLINE}));
                torn = false;
            }
            writeAll(batch);
            return 0;
        } catch (IOException e) {
            // The reader of the log is gone, or a disk is full; the server continues without a log.
            addError("the log cannot be written", e);
            int start = batch.position();
            torn = start == 0 ? torn : batch.get(start - 1) != NEWLINE;
            long lost = 0;
            while (batch.hasRemaining()) {
                if (batch.get() == NEWLINE) {
                    lost++;
                }
            }
            return lost;
        } finally {
            batch.clear();
        }
    }

    private void writeAll(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (stderr.write(bytes) == 0) {
                pause(RETRY_MILLIS);
            }
        }
    }

    private void pause(long millis) {
        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void sleep() {
        sleeper = Thread.currentThread();
        if (ring.size() == 0 && !stopping) {
            LockSupport.park(this);
        }
        sleeper = null;
    }
}
