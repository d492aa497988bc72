package service.cli.command;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import service.cli.render.VisibleWriter;

/**
 * Shows on stderr the progress of work that takes more than a second: on a terminal one line that is redrawn, else one
 * line every ten seconds. Shows nothing with {@code --quiet}.
 */
final class Progress implements AutoCloseable {
    private static final long STEP_MILLIS = 1000;
    private static final int STEPS_BETWEEN_LINES = 10;

    private final OutputOptions output;
    private final String verb;
    private final String unit;
    private final long total;
    private final String afterwards;
    private final boolean terminal = TerminalCheck.isTerminal(TerminalCheck.STANDARD_ERROR);
    private final long startNanos = System.nanoTime();
    private final AtomicLong count = new AtomicLong();
    private boolean ended;
    private boolean drawn;

    /**
     * Starts the thread that draws.
     *
     * @param verb such as {@code exporting}
     * @param unit what is counted, such as {@code bytes}
     */
    Progress(OutputOptions output, String verb, String unit) {
        this(output, verb, unit, 0, verb);
    }

    /**
     * Shows a percentage, too.
     *
     * @param total the count at the end; 0 when unknown
     * @param afterwards what happens once the total is reached, such as {@code committing}
     */
    Progress(OutputOptions output, String verb, String unit, long total, String afterwards) {
        this.output = output;
        this.verb = verb;
        this.unit = unit;
        this.total = total;
        this.afterwards = afterwards;
        if (!output.quiet()) {
            Thread.ofPlatform().daemon().name("progress").start(this::run);
        }
    }

    /** Runs work that has no count. */
    static <T> T during(OutputOptions output, String verb, Supplier<T> work) {
        Progress progress = new Progress(output, verb, "");
        try {
            return work.get();
        } finally {
            progress.close();
        }
    }

    /** Sets the count; any thread. */
    void reached(long done) {
        count.set(done);
    }

    /** Adds to the count; any thread. */
    void add(long more) {
        count.addAndGet(more);
    }

    /** Wraps a stream to count its bytes. */
    OutputStream count(OutputStream below) {
        return new FilterOutputStream(below) {
            @Override
            public void write(int value) throws IOException {
                out.write(value);
                count.incrementAndGet();
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                out.write(bytes, from, length);
                count.addAndGet(length);
            }
        };
    }

    /** Wraps a stream to count its bytes. */
    InputStream count(InputStream below) {
        return new FilterInputStream(below) {
            @Override
            public int read() throws IOException {
                int value = in.read();
                count.addAndGet(value < 0 ? 0 : 1);
                return value;
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                int read = in.read(bytes, from, length);
                count.addAndGet(Math.max(0, read));
                return read;
            }
        };
    }

    private synchronized void run() {
        for (int step = 0; !ended; step++) {
            try {
                TimeUnit.MILLISECONDS.timedWait(this, STEP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            if (!ended && elapsedMillis() >= STEP_MILLIS) {
                show(step);
            }
        }
    }

    private void show(int step) {
        long done = count.get();
        String line = phase(done) + " … " + elapsedMillis() / 1000 + " s";
        if (terminal) {
            PrintWriter err = VisibleWriter.cursor(output.err());
            err.print("\r" + line + "\u001b[K");
            err.flush();
            drawn = true;
        } else if (step % STEPS_BETWEEN_LINES == 0) {
            output.note(line);
        }
    }

    /** The phase that this count means, such as {@code reading 1,024 bytes (50%)}. */
    String phase(long done) {
        if (total > 0 && done >= total) {
            return String.format(Locale.ROOT, "%s, after %,d %s", afterwards, done, unit);
        }
        return verb
                + (done > 0 ? String.format(Locale.ROOT, " %,d %s", done, unit) : "")
                + (total > 0 ? " (" + 100 * done / total + "%)" : "");
    }

    private long elapsedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }

    /** Stops drawing and clears the line. */
    @Override
    public synchronized void close() {
        ended = true;
        notifyAll();
        if (drawn) {
            PrintWriter err = VisibleWriter.cursor(output.err());
            err.print("\r\u001b[K");
            err.flush();
            drawn = false;
        }
    }
}
