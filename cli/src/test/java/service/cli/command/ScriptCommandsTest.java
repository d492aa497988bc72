package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The history of the quickstart is what a shell makes of its script. */
final class ScriptCommandsTest {
    private static final String SCRIPT = "languages/history.sh";
    private static final List<String> OPTIONS = List.of("--cluster", ".", "--graph", "again");

    @TempDir
    private Path folder;

    @Test
    void theCommandsAreThoseThatAShellRuns() throws IOException, InterruptedException {
        Path script = folder.resolve("history.sh");
        try (InputStream content =
                Objects.requireNonNull(getClass().getResourceAsStream("/service/cli/quickstart/" + SCRIPT))) {
            Files.copy(content, script);
        }
        Process shell = new ProcessBuilder(
                        "sh",
                        "-c",
                        "service() { printf '%s\\000' \"$@\"; printf '\\001'; }; script=$1; shift; . \"$script\"",
                        "sh",
                        script.toString(),
                        OPTIONS.get(0),
                        OPTIONS.get(1),
                        OPTIONS.get(2),
                        OPTIONS.get(3))
                .redirectErrorStream(true)
                .start();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as(said).isZero();
        List<List<String>> expected = Stream.of(said.split("\u0001", -1))
                .filter(line -> !line.isEmpty())
                .map(line -> List.of(line.substring(0, line.length() - 1).split("\u0000", -1)))
                .toList();
        assertThat(expected).hasSizeGreaterThan(20);
        // Below no directory, the files of --data stay as they are.
        assertThat(ScriptCommands.of(Files.readString(script), Path.of(""), OPTIONS))
                .isEqualTo(expected);
    }

    @Test
    void everyFileOfTheExampleIsThere() {
        assertThat(QuickstartCommand.FILES)
                .allSatisfy(name -> assertThat(getClass().getResource("/service/cli/quickstart/" + name))
                        .as(name)
                        .isNotNull());
    }
}
