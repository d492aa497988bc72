package service.cli.command;

import java.util.concurrent.TimeUnit;

/** Tells on stderr how far work has come that lasts more than a second. */
final class Progress {
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final OutputOptions output;
    private final String verb;
    private long toldAt = System.nanoTime();

    Progress(OutputOptions output, String verb) {
        this.output = output;
        this.verb = verb;
    }

    /** Hears how many events are done. */
    void events(long done) {
        long now = System.nanoTime();
        if (now - toldAt >= STEP_NANOS) {
            toldAt = now;
            output.note(verb + " " + done + " events …");
        }
    }
}
