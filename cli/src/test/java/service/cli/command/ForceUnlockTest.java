package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code cluster force-unlock}, and what apply says of a server that holds the graphs. */
class ForceUnlockTest {
    private static final String LOCK = "01J00000000000000000000000";

    @TempDir
    private Path directory = Path.of("");

    private record Ran(int code, String out, String err) {}

    private static Ran service(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = CommandLines.service();
        line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return new Ran(line.execute(arguments), out.toString(), err.toString());
    }

    @BeforeEach
    void apply() throws IOException {
        Files.writeString(directory.resolve("n.pg"), "node N { k: String @key }\n");
        Files.writeString(
                directory.resolve("cluster.yaml"),
                "version: 1\nmetadata: { name: c }\ngraphs:\n  g: { schema: n.pg }\n");
        assertThat(service("cluster", "apply", "--config", directory.toString()).code())
                .isZero();
    }

    private void lock(String host, long pid) throws IOException {
        Files.writeString(directory.resolve("__cluster/lock.json"), """
                {"lock_id":"%s","operation":"apply","host":"%s","pid":%d,"created_at":"2026-01-01T00:00:00.000000Z","actor":null}
                """.formatted(LOCK, host, pid));
    }

    private Ran unlock(String id) {
        return service("cluster", "force-unlock", id, "--config", directory.toString());
    }

    @Test
    void removesTheLockOfAnotherMachineByItsId() throws IOException {
        lock("elsewhere", 7);
        Ran refused = service("cluster", "apply", "--config", directory.toString());
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("force-unlock " + LOCK);

        Ran another = unlock("01J00000000000000000000001");
        assertThat(another.code()).isEqualTo(4);
        assertThat(another.err()).contains(LOCK);

        Ran removed = unlock(LOCK);
        assertThat(removed.code()).isZero();
        assertThat(removed.out()).contains("process 7 on elsewhere");
        assertThat(service("cluster", "apply", "--config", directory.toString()).code())
                .isZero();

        Ran nothing = unlock(LOCK);
        assertThat(nothing.code()).isEqualTo(1);
        assertThat(nothing.err()).contains("not locked");
    }

    @Test
    void keepsTheLockOfAProcessThatRunsHere() throws IOException {
        String created = java.time.Instant.now().plusSeconds(3600).toString();
        lock(InetAddress.getLocalHost().getHostName(), ProcessHandle.current().pid());
        Path file = directory.resolve("__cluster/lock.json");
        Files.writeString(file, Files.readString(file).replace("2026-01-01T00:00:00.000000Z", created));
        Ran refused = unlock(LOCK);
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("still running");
        assertThat(file).exists();
    }
}
