package service.cli.command;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Shows the progress of a load on stderr: on a terminal one line that is redrawn, else at most one line per second. */
final class LoadProgress {
    private static final int WIDTH = 30;
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final OutputOptions output;
    private final long bytesTotal;
    private final boolean terminal = TerminalCheck.isTerminal(TerminalCheck.STANDARD_ERROR);
    private final long startNanos = System.nanoTime();
    private long shownNanos = startNanos;
    private boolean drawn;

    /** @param bytesTotal of the input; 0 when unknown */
    LoadProgress(OutputOptions output, long bytesTotal) {
        this.output = output;
        this.bytesTotal = bytesTotal;
    }

    void show(long records, long bytes) {
        long now = System.nanoTime();
        if (terminal) {
            if (!output.quiet()) {
                PrintWriter err = output.err();
                err.print("\r" + line(records, bytes, now));
                err.flush();
                drawn = true;
            }
        } else if (now - shownNanos >= STEP_NANOS) {
            shownNanos = now;
            output.note(line(records, bytes, now));
        }
    }

    /** Ends the line that was drawn. */
    void end() {
        if (drawn) {
            output.note("");
        }
    }

    private String line(long records, long bytes, long now) {
        long rate = (long) (records / Math.max(1e-3, (now - startNanos) / 1e9));
        String count = String.format(Locale.ROOT, "%,d records loaded, %,d a second", records, rate);
        if (bytesTotal <= 0) {
            return count;
        }
        int done = (int) Math.min(WIDTH, WIDTH * bytes / bytesTotal);
        return "["
                + "#".repeat(done)
                + "-".repeat(WIDTH - done)
                + "] "
                + Math.min(100, 100 * bytes / bytesTotal)
                + "% "
                + count;
    }
}
