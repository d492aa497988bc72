package service.cli.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class LogWriterTest {
    private static final int INFO_BYTES_MAX = LogWriter.RING_BYTES / 4 * 3;
    private static final Instant TIME = Instant.parse("2026-11-25T08:39:33.120Z");
    private static final Pattern DROPPED = Pattern.compile("\"level\":\"WARN\",.*\"dropped\":([0-9]+)}");

    private static final Pattern NUMBERED = Pattern.compile("\"message\":\"([0-9]) ([0-9]+) (y*)\"}$");

    /** A pipe that blocks every write until it is opened. Then it takes few bytes at a time, or fails. */
    private static final class Pipe implements WritableByteChannel {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch opened = new CountDownLatch(1);
        final ByteArrayOutputStream taken = new ByteArrayOutputStream();

        /**
         * Bytes between two writes that take none, as a full pipe in non-blocking mode; the writer waits after them.
         */
        final int capacity;

        private int room;

        /** Bytes until a write fails; then they are taken again. */
        long untilFailure = Long.MAX_VALUE;

        Pipe(int capacity) {
            this.capacity = capacity;
            this.room = capacity;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            reached.countDown();
            while (opened.getCount() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
            if (untilFailure == 0) {
                untilFailure = Long.MAX_VALUE;
                throw new IOException("no space left on device");
            }
            int count = (int) Math.min(Math.min(room, untilFailure), bytes.remaining());
            byte[] part = new byte[count];
            bytes.get(part);
            taken.writeBytes(part);
            untilFailure -= count;
            room = room == 0 ? capacity : room - count;
            return count;
        }

        long lines() {
            return taken.toString(StandardCharsets.US_ASCII).lines().count();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private final Logger log = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger("test");
    private final Pipe pipe = new Pipe(10_000);
    private final LogWriter writer = new LogWriter(new JsonLines(), pipe, log);

    @AfterEach
    void stop() {
        pipe.opened.countDown();
        writer.stop();
    }

    private void append(Level level, int count) {
        for (int i = 0; i < count; i++) {
            writer.doAppend(event(level));
        }
    }

    /** All events have one time, because a line whose time has no milliseconds is shorter. */
    private LoggingEvent event(Level level) {
        LoggingEvent event = new LoggingEvent("test", log, level, "line", null, null);
        event.setInstant(TIME);
        return event;
    }

    private List<String> written() {
        pipe.opened.countDown();
        writer.stop();
        return pipe.taken.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** The bytes that a line takes in the ring: it has a header of eight bytes and begins at a multiple of eight. */
    private long ringBytes(Level level) {
        int bytes = new JsonLines().encode(event(level)).length;
        return (bytes + 8L + 7) / 8 * 8;
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
        append(Level.ERROR, 10_000);
        List<String> lines = written();
        long infos = (INFO_BYTES_MAX - 1) / ringBytes(Level.INFO) + 1;
        assertThat(count(lines, "INFO")).isEqualTo(1 + infos);
        assertThat(count(lines, "WARN")).isEqualTo(10);
        long errors = count(lines, "ERROR");
        long taken = infos * ringBytes(Level.INFO) + 10L * ringBytes(Level.WARN) + errors * ringBytes(Level.ERROR);
        // The end of the ring may be too short for a line.
        assertThat(LogWriter.RING_BYTES - taken).isBetween(0L, 2L * ringBytes(Level.ERROR));
        assertThat(dropped(lines)).isEqualTo(20_000 - infos + 1 + 10_000 - errors);
    }

    @Test
    void aLineOfMoreThanAnEighthOfTheRingIsCountedAsDropped() {
        pipe.opened.countDown();
        writer.start();
        String longest = "x".repeat(LogWriter.RING_BYTES / 8 - 100);
        writer.doAppend(new LoggingEvent("test", log, Level.INFO, longest, null, null));
        writer.doAppend(new LoggingEvent("test", log, Level.INFO, longest + "x".repeat(100), null, null));
        append(Level.INFO, 1);
        List<String> lines = written();
        assertThat(lines).anyMatch(line -> line.contains(longest));
        assertThat(count(lines, "INFO")).isEqualTo(1);
        assertThat(dropped(lines)).isEqualTo(1);
    }

    @Test
    void linesOfManyThreadsAreWholeAndInTheOrderOfTheirThread() throws InterruptedException {
        pipe.opened.countDown();
        writer.start();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int line = 0; line < 1_000; line++) {
                    String message = number + " " + line + " " + "y".repeat(line % 300);
                    writer.doAppend(new LoggingEvent("test", log, Level.WARN, message, null, null));
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        int[] next = new int[4];
        for (String line : written()) {
            Matcher found = NUMBERED.matcher(line);
            assertThat(found.find()).as(line).isTrue();
            int number = Integer.parseInt(found.group(1));
            assertThat(Integer.parseInt(found.group(2))).isEqualTo(next[number]);
            assertThat(found.group(3)).hasSize(next[number]++ % 300);
        }
        assertThat(next).containsOnly(1_000);
    }

    @Test
    void noLineIsDroppedWhileTheStreamAcceptsLines() {
        pipe.opened.countDown();
        writer.start();
        append(Level.INFO, 6_000);
        List<String> lines = written();
        assertThat(count(lines, "INFO")).isEqualTo(6_000);
        assertThat(dropped(lines)).isZero();
    }

    @Test
    void linesAroundTheEndOfTheRingAreWrittenWhenTheWriterStops() {
        pipe.opened.countDown();
        writer.stop();
        for (int run = 0; run < 5; run++) {
            Pipe out = new Pipe(LogWriter.RING_BYTES);
            out.opened.countDown();
            LogWriter stopped = new LogWriter(new JsonLines(), out, log);
            stopped.start();
            long line = ringBytes(Level.INFO);
            long before = LogWriter.RING_BYTES / line;
            for (int i = 0; i < before; i++) {
                stopped.doAppend(event(Level.INFO));
                if (i % 8_000 == 7_999 || i == before - 1) {
                    long written = i + 1L;
                    await().until(() -> out.lines() == written);
                }
            }
            for (int i = 0; i < 5; i++) {
                stopped.doAppend(event(Level.INFO));
            }
            stopped.stop();
            assertThat(out.lines()).isEqualTo(before + 5);
        }
    }

    @Test
    void linesOfAFailedWriteAreCountedAndTheNextLineIsWhole() {
        pipe.untilFailure = 10_100;
        writer.start();
        append(Level.INFO, 1);
        await().until(() -> pipe.reached.getCount() == 0);
        append(Level.INFO, 1_000);
        List<String> lines = written();
        assertThat(dropped(lines)).isPositive();
        assertThat(lines.stream()
                                .filter(line -> line.endsWith("\"message\":\"line\"}"))
                                .count()
                        + dropped(lines))
                .isEqualTo(1_001);
        // The line that the failure has cut.
        assertThat(lines.stream().filter(line -> !line.endsWith("}"))).hasSize(1);
    }
}
