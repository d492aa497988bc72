package service.cli.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class LogWriterTest {
    private static final int QUEUE_EVENTS = 8_192;
    private static final int INFO_EVENTS_MAX = 6_144;
    private static final Pattern DROPPED = Pattern.compile("\"level\":\"WARN\",.*\"dropped\":([0-9]+)}");

    /** A pipe that blocks every write until it is opened. */
    private static final class Pipe extends OutputStream {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch opened = new CountDownLatch(1);
        final ByteArrayOutputStream taken = new ByteArrayOutputStream();

        @Override
        public void write(int value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            reached.countDown();
            while (opened.getCount() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
            taken.write(bytes, offset, length);
        }
    }

    private final Logger log = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger("test");
    private final Pipe pipe = new Pipe();
    private final LogWriter writer = new LogWriter(new JsonLines(), pipe, log);

    @AfterEach
    void stop() {
        pipe.opened.countDown();
        writer.stop();
    }

    private void append(Level level, int count) {
        for (int i = 0; i < count; i++) {
            writer.doAppend(new LoggingEvent("test", log, level, "line", null, null));
        }
    }

    private List<String> written() {
        pipe.opened.countDown();
        writer.stop();
        return pipe.taken.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static long count(List<String> lines, String level) {
        return lines.stream()
                .filter(line -> line.contains("\"level\":\"" + level + "\"") && line.contains("\"message\":\"line\""))
                .count();
    }

    private static long dropped(List<String> lines) {
        return lines.stream()
                .map(DROPPED::matcher)
                .filter(Matcher::find)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    @Test
    void aBlockedStreamStopsNoCallerAndDroppedLinesAreCounted() {
        writer.start();
        append(Level.INFO, 1);
        await().until(() -> pipe.reached.getCount() == 0);
        append(Level.INFO, 20_000);
        append(Level.WARN, 10);
        append(Level.INFO, 1);
        append(Level.ERROR, QUEUE_EVENTS);
        List<String> lines = written();
        assertThat(count(lines, "INFO")).isEqualTo(1 + INFO_EVENTS_MAX);
        assertThat(count(lines, "WARN")).isEqualTo(10);
        assertThat(count(lines, "ERROR")).isEqualTo(QUEUE_EVENTS - INFO_EVENTS_MAX - 10);
        assertThat(dropped(lines)).isEqualTo(20_000 - INFO_EVENTS_MAX + 1 + INFO_EVENTS_MAX + 10);
    }

    @Test
    void noLineIsDroppedWhileTheStreamAcceptsLines() {
        pipe.opened.countDown();
        writer.start();
        append(Level.INFO, INFO_EVENTS_MAX);
        List<String> lines = written();
        assertThat(count(lines, "INFO")).isEqualTo(INFO_EVENTS_MAX);
        assertThat(dropped(lines)).isZero();
    }
}
