package service.connect;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A body that is closed when a read has waited too long for a byte. A connection whose other end has lost its power
 * would block a reader forever: the client of the JDK bounds the time up to the headers only. One thread reads; any
 * thread may close.
 */
final class PatientStream extends FilterInputStream {
    private static final ScheduledThreadPoolExecutor CLOCK = clock();
    private static final int END = -1;

    private final long patienceNanos;
    private final ScheduledFuture<?> watch;

    /** When the read that waits began; 0 while none does. */
    private volatile long waitingSince;

    PatientStream(InputStream in, Duration patience) {
        super(in);
        this.patienceNanos = patience.toNanos();
        long every = Math.max(1, patience.toMillis() / 4);
        this.watch = CLOCK.scheduleWithFixedDelay(this::look, every, every, TimeUnit.MILLISECONDS);
    }

    private static ScheduledThreadPoolExecutor clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "service-graph-clock");
            thread.setDaemon(true);
            return thread;
        });
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    private void look() {
        long since = waitingSince;
        if (since != 0 && System.nanoTime() - since > patienceNanos) {
            try {
                in.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) == END ? END : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        waitingSince = System.nanoTime() | 1;
        try {
            return super.read(into, offset, length);
        } finally {
            waitingSince = 0;
        }
    }

    @Override
    public void close() throws IOException {
        watch.cancel(false);
        super.close();
    }
}
