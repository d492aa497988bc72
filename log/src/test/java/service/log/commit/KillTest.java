package service.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.Seed;
import service.log.ChildJvm;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.LogVerification;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;

/** Kills a writer in a separate process at a random moment; every acknowledged commit is there afterwards. */
final class KillTest {
    private static final int ROUNDS = 4;

    @TempDir
    Path directory;

    @Test
    void everyAcknowledgedCommitSurvives(@Seed long seed) throws Exception {
        Random random = new Random(seed);
        Path graph = directory.resolve("g");
        EventLog.create(graph, LmdbOptions.synced(), CommitHook.NONE, Commands.SCHEMA, null, 1_700_000_000_000_000L)
                .close();
        long acknowledged = 0;
        for (int round = 0; round < ROUNDS; round++) {
            try (ChildJvm child = ChildJvm.start(KillTest.class, graph.toString())) {
                int lines = 1 + random.nextInt(400);
                for (int i = 0; i < lines; i++) {
                    acknowledged = Long.parseLong(child.await("acknowledged "));
                }
                child.kill();
            }
            try (EventLog log = EventLog.open(graph, LmdbOptions.synced(), CommitHook.NONE)) {
                LogVerification.Report report = LogVerification.run(log);
                assertThat(report.damaged()).isEmpty();
                assertThat(log.tail().offset()).isGreaterThanOrEqualTo(acknowledged);
                assertThat(report.events()).isEqualTo(log.tail().offset() + 1);
                try (EventReader reader = log.read()) {
                    assertThat(reader.event(acknowledged).offset()).isEqualTo(acknowledged);
                }
            }
        }
        assertThat(acknowledged).isPositive();
    }

    /** The child process: writes until it is killed and prints the offset of each acknowledged commit. */
    public static void main(String[] arguments) {
        EventLog log = EventLog.open(Path.of(arguments[0]), LmdbOptions.synced(), CommitHook.NONE);
        Writer writer = Writer.start(
                log,
                log.sink(),
                new MemoryProjector(log),
                WriterSettings.DEFAULT,
                () -> System.currentTimeMillis() * 1_000,
                offset -> {});
        for (int i = 0; ; i++) {
            long offset = writer.submit(Commands.insert(ProcessHandle.current().pid() + "-" + i))
                    .join()
                    .offset();
            System.out.println("acknowledged " + offset);
        }
    }
}
