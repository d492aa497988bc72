package service.log.commit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.PutFlags;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Image;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Ulid;
import service.core.value.Value;
import service.log.format.EventLog;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.Table;
import service.log.lmdb.WriteTransaction;

/**
 * The writer with projections that do nothing, against the bare loop "append 300 B, sync", in the same run: {@code java
 * … WriterBenchmark [commits]}. Target: at least 0.7 of the loop with one command in flight.
 */
public final class WriterBenchmark {
    private static final int EVENT_BYTES = 300;
    private static final int ROUNDS = 5;

    private WriterBenchmark() {}

    public static void main(String[] arguments) throws IOException {
        int commits = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3_000;
        Path directory = Files.createTempDirectory("writer-benchmark");
        double[] floor = new double[ROUNDS];
        double[] alone = new double[ROUNDS];
        double[] many = new double[ROUNDS];
        try (LmdbEnvironment raw = LmdbEnvironment.open(
                        directory.resolve("raw"), LmdbOptions.synced(), List.of(Table.of("events")), CommitHook.NONE);
                EventLog log = EventLog.create(
                        directory.resolve("g"),
                        LmdbOptions.synced(),
                        CommitHook.NONE,
                        Commands.SCHEMA,
                        null,
                        System.currentTimeMillis() * 1_000);
                Writer writer = Writer.start(
                        log,
                        new NothingProjector(log),
                        WriterSettings.DEFAULT,
                        () -> System.currentTimeMillis() * 1_000,
                        offset -> {})) {
            long[] key = new long[1];
            for (int round = -1; round < ROUNDS; round++) {
                double perSecondRaw = perSecond(commits, () -> rawLoop(raw, commits, key));
                double perSecondAlone = perSecond(commits, () -> inFlight(writer, commits, 1));
                double perSecondMany = perSecond(commits * 8, () -> inFlight(writer, commits * 8, 64));
                if (round >= 0) {
                    floor[round] = perSecondRaw;
                    alone[round] = perSecondAlone;
                    many[round] = perSecondMany;
                }
            }
        }
        replay();
        print("raw loop", floor, floor);
        print("writer, 1 in flight", alone, floor);
        print("writer, 64 in flight", many, floor);
    }

    /** One event of many changes, walked in place: what replay has to spend before it touches a table. */
    private static void replay() {
        int count = 200_000;
        List<EntityChange> changes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            PropertyRow row = PropertyRow.of(Map.of(1, new Value.Text("name " + i), 2, new Value.Int(i)));
            changes.add(new EntityChange(EntityKind.NODE, 1, "node-" + i, null, Image.ofNode(row)));
        }
        EventCodec codec = new EventCodec();
        Event event = new Event.BranchFastForwarded(1, 0, null, 1, 2, new Ulid(0, 0), 0, null, ChangeBlock.of(changes));
        double[] encoded = new double[ROUNDS];
        double[] walked = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            encoded[round] = perSecond(count, () -> codec.encode(event, EventCodec.hashBeforeFirst()));
            int length = codec.encode(event, EventCodec.hashBeforeFirst());
            UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
            codec.copyTo(bytes);
            walked[round] = perSecond(count, () -> {
                ChangeReader reader = codec.changes(bytes, 1);
                long sum = 0;
                while (reader.next()) {
                    sum += reader.idLength() + reader.afterLength();
                }
                if (sum == 0) {
                    throw new AssertionError("nothing was read");
                }
            });
        }
        print("changes encoded", encoded, encoded);
        print("changes walked", walked, walked);
    }

    private static void print(String name, double[] figures, double[] floor) {
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        double[] base = floor.clone();
        Arrays.sort(base);
        System.out.printf(
                "%-22s %8.0f/s (%.0f to %.0f)  ratio %.2f%n",
                name, sorted[ROUNDS / 2], sorted[0], sorted[ROUNDS - 1], sorted[ROUNDS / 2] / base[ROUNDS / 2]);
    }

    private static double perSecond(int n, Runnable run) {
        long start = System.nanoTime();
        run.run();
        return n * 1e9 / (System.nanoTime() - start);
    }

    private static void rawLoop(LmdbEnvironment raw, int commits, long[] next) {
        KeyBuffer key = new KeyBuffer();
        UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(EVENT_BYTES));
        for (int i = 0; i < commits; i++) {
            try (WriteTransaction write = raw.write()) {
                raw.table("events")
                        .put(write.txn(), key.clear().putLong(next[0]++).key(), value, PutFlags.MDB_APPEND);
                write.commit();
            }
        }
    }

    private static void inFlight(Writer writer, int commits, int width) {
        Semaphore free = new Semaphore(width);
        List<CompletableFuture<Event>> last = new ArrayList<>();
        WriteCommand<Event> command = session -> Commands.append(Commands.commit(session.branch("main"), "n", 20));
        for (int i = 0; i < commits; i++) {
            if (width == 1) {
                writer.submit(command).join();
            } else {
                free.acquireUninterruptibly();
                last.add(writer.submit(command).whenComplete((event, failure) -> free.release()));
            }
        }
        last.forEach(CompletableFuture::join);
    }

    /** Takes events and forgets them. */
    private static final class NothingProjector implements Projector {
        private final MemoryProjector first;
        private long applied;

        NothingProjector(EventLog log) {
            first = new MemoryProjector(log);
            first.catchUp(0);
        }

        @Override
        public WriteSession begin(WriterClock ids) {
            return first.begin(ids);
        }

        @Override
        public void apply(Event event) {
            applied = event.offset();
        }

        @Override
        public void commit() {
            first.abort();
            first.steps.clear();
        }

        @Override
        public void abort() {
            commit();
        }

        @Override
        public long appliedOffset() {
            return applied;
        }

        @Override
        public void grow() {}

        @Override
        public void catchUp(long lastOffset) {
            applied = lastOffset;
        }
    }
}
