package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.GraphImages.Kind;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.group.GroupSink.Outcome;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.retain.Retention;
import service.log.testkit.Groups;

/**
 * A writer is paused before and after each of its requests, for longer than the reclaim delay. Meanwhile another one
 * commits, packs, makes a base image, and deletes all that these replace. Whatever the step, the writer acknowledges
 * only what the one history has, and writes again afterwards; at most it must open the log again for it.
 */
final class PausedWriterTest {
    private static final Duration DELAY = Duration.ofMinutes(10);
    private static final Packing.Limits FOUR = new Packing.Limits(4, 1 << 20, DELAY.toMillis());

    /** What the other writer does in the pause. */
    private enum Meanwhile {
        COMMITS,
        PACKS,
        CLEANS_UP
    }

    @TempDir
    Path directory;

    private long now = 1_700_000_000_000L;
    private int copies;

    /** A bucket with a graph, and both writers of it. */
    private final class Run {
        private final MemoryObjectStore bucket = new MemoryObjectStore();
        private final FaultyObjectStore client = new FaultyObjectStore(bucket, 0);
        private final Meanwhile meanwhile;
        private final Path others = fresh();
        private Path own = fresh();
        private boolean paused;

        Run(Meanwhile meanwhile) {
            this.meanwhile = meanwhile;
            home(segments(), others)
                    .create(SmallGraph.SCHEMA, "tester", 1_700_000_000_000_000L)
                    .close();
            write(6);
        }

        private SegmentStore segments() {
            return new SegmentStore(bucket, "g", DELAY, PausedWriterTest.this::moment);
        }

        private SegmentStore late() {
            return new SegmentStore(client, "g", DELAY, PausedWriterTest.this::moment);
        }

        private void write(int groups) {
            try (EventLog log = home(segments(), others).open();
                    SegmentSink sink = sink(segments(), log)) {
                for (int i = 0; i < groups; i++) {
                    assertThat(Groups.write(sink, Groups.insert(log, "o"))).isInstanceOf(Outcome.Durable.class);
                }
                if (meanwhile == Meanwhile.PACKS && paused) {
                    Packing packing = new Packing(segments(), log, FOUR, () -> now);
                    packing.run();
                    now += DELAY.toMillis();
                    packing.run();
                } else if (meanwhile == Meanwhile.CLEANS_UP && paused) {
                    cleanUp(log);
                }
            }
        }

        private void cleanUp(EventLog log) {
            BucketImages images = new BucketImages(
                    segments(),
                    log,
                    new BucketImages.Limits(Long.MAX_VALUE, Duration.ofDays(1), DELAY),
                    new BucketImages.Clocks(() -> now, () -> now),
                    new WorkLease(segments(), new Ulid(1, 1), Duration.ofMinutes(1), () -> now));
            try {
                Path tables = Files.writeString(directory.resolve("tables"), "any");
                images.spool(Kind.BASE, tables, new Retention.Base(0, "0".repeat(64)))
                        .run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            now += DELAY.toMillis();
            images.sweep();
        }

        /** Returns false when the write has no such step. */
        boolean at(long step, boolean after) {
            EncodedGroup group;
            Outcome outcome;
            try (EventLog log = home(late(), own).open();
                    SegmentSink sink = sink(late(), log)) {
                assertThat(Groups.write(sink, Groups.insert(log, "w"))).isInstanceOf(Outcome.Durable.class);
                long from = client.requests();
                LongConsumer pause = number -> {
                    if (number == from + step && !paused) {
                        paused = true;
                        now += DELAY.toMillis() + 1;
                        write(9);
                    }
                };
                client.around(after ? number -> {} : pause, after ? pause : number -> {});
                group = Groups.insert(log, "w");
                outcome = Groups.write(sink, group);
                if (outcome instanceof Outcome.Unknown) {
                    assertThat(sink.settle()).isInstanceOf(Outcome.Overtaken.class);
                }
                client.around(number -> {}, number -> {});
                if (!paused) {
                    assertThat(outcome).isInstanceOf(Outcome.Durable.class);
                    return false;
                }
                if (!takesAll(sink)) {
                    // What a server does that was away for too long.
                    own = fresh();
                }
            }
            requireHistory(group, outcome);
            return true;
        }

        /** Whether the copy has everything; false when events that it lacks are in a base image only. */
        private boolean takesAll(GroupSink sink) {
            try {
                assertThat(sink.takeNew().isAll()).isTrue();
                return true;
            } catch (EventFormatException leftBehind) {
                assertThat(meanwhile).isEqualTo(Meanwhile.CLEANS_UP);
                return false;
            }
        }

        private void requireHistory(EncodedGroup group, Outcome outcome) {
            try (EventLog log = home(late(), own).open();
                    SegmentSink sink = sink(late(), log)) {
                assertThat(sink.takeNew().isAll()).isTrue();
                assertThat(Groups.write(sink, Groups.insert(log, "w"))).isInstanceOf(Outcome.Durable.class);
                try (EventLog cold = home(segments(), fresh()).open()) {
                    assertThat(cold.tail().hash()).isEqualTo(log.tail().hash());
                    boolean isMade;
                    try (EventReader reader = cold.read()) {
                        isMade = Arrays.equals(
                                EventCodec.hashOf(reader.bytes(group.tail().offset())),
                                group.tail().hash());
                    }
                    switch (outcome) {
                        case Outcome.Durable done -> assertThat(isMade).isTrue();
                        case Outcome.Unknown made -> {}
                        default -> assertThat(isMade).isFalse();
                    }
                    // Six and nine of the other one, and two that were acknowledged before and after.
                    assertThat(cold.tail().offset()).isEqualTo(isMade ? 18 : 17);
                }
            }
        }
    }

    private LastLook.Moment moment() {
        return new LastLook.Moment(now * 1_000_000, now);
    }

    private Path fresh() {
        return directory.resolve("copy-" + copies++);
    }

    private static SegmentedLog home(SegmentStore segments, Path at) {
        return new SegmentedLog(segments, at, LmdbOptions.unsynced(), CommitHook.NONE, "boot");
    }

    private static SegmentSink sink(SegmentStore segments, EventLog log) {
        return new SegmentSink(log, segments, SegmentSink.Waits.NONE, () -> {});
    }

    @Test
    void aWriterThatPausesAtAnyStepAcknowledgesOnlyWhatTheHistoryHas() {
        for (Meanwhile meanwhile : Meanwhile.values()) {
            for (boolean after : new boolean[] {false, true}) {
                long step = 0;
                while (new Run(meanwhile).at(step, after)) {
                    step++;
                }
                assertThat(step).as("steps of a write").isPositive();
            }
        }
    }
}
