package service.log.commit;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import service.core.lifecycle.BackgroundLoop;

/**
 * Lets a writer take in at an interval what other processes have stored, so that sessions of an idle server follow too.
 * A poll that fails is repeated. Any thread.
 */
public final class WriterPoll implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WriterPoll.class);

    /** For how long the store answers neither a poll nor a write before it counts as silent. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private final Writer writer;
    private final String name;
    private final Duration every;
    private final BackgroundLoop loop;

    /** When the store last answered a poll; of {@link System#nanoTime}. */
    private volatile long answeredNanos = System.nanoTime();

    private WriterPoll(Writer writer, String name, Duration every) {
        this.writer = writer;
        this.name = name;
        this.every = every;
        this.loop = BackgroundLoop.start(
                // Before Java 24 the HTTP client binds a virtual thread to its carrier.
                Thread.ofPlatform().daemon().name("watch-" + name),
                () -> {
                    writer.poll(every);
                    answeredNanos = System.nanoTime();
                    return every;
                },
                this::failed);
    }

    /**
     * Polls from now on.
     *
     * @param name of the graph, for the thread and the log
     */
    public static WriterPoll start(Writer writer, String name, Duration every) {
        return new WriterPoll(writer, name, every);
    }

    /** Whether the store has not answered for some seconds. A write may find that it does before the next poll. */
    public boolean isStoreSilent() {
        long since = System.nanoTime() - every.plus(SILENCE).toNanos();
        return answeredNanos - since < 0 && !writer.isTailKnownSince(since);
    }

    private void failed(Throwable failure, int inARow) {
        LOG.atLevel(inARow == 1 ? Level.WARN : Level.DEBUG)
                .log("{}: the poll for commits of other servers failed and is repeated: {}", name, failure.toString());
        LOG.debug("{}: the failure", name, failure);
    }

    /** Ends the polls; one that runs is interrupted. */
    @Override
    public void close() {
        loop.close();
        loop.interrupt();
    }
}
