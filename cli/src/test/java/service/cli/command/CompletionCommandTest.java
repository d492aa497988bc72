package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class CompletionCommandTest {
    @TempDir
    private Path folder;

    private static String script(String shell) {
        StringWriter out = new StringWriter();
        CommandLine line = CommandLines.service().setOut(new PrintWriter(out, true));
        assertThat(line.execute("completion", shell)).isZero();
        return out.toString();
    }

    @Test
    void bashCompletesACommandAndItsSubcommands() throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("service.bash"), script("bash"));
        assertThat(completed(file, "service", "qui")).contains("quickstart");
        assertThat(completed(file, "service", "branch", "")).contains("create", "list", "delete");
        assertThat(completed(file, "service", "query", "--sn")).contains("--snapshot");
    }

    /** What a real bash offers for the last word. */
    private static String completed(Path script, String... words) throws IOException, InterruptedException {
        String line = String.join(" ", words);
        String program = "source '%s'; COMP_WORDS=(%s \"%s\"); COMP_CWORD=%d; COMP_LINE='%s'; COMP_POINT=%d;"
                .formatted(
                        script,
                        line.substring(0, line.lastIndexOf(' ')),
                        words[words.length - 1],
                        words.length - 1,
                        line,
                        line.length());
        Process bash = new ProcessBuilder(
                        "bash",
                        "-c",
                        program + " _complete_service >/dev/null; printf '%s\\n'" + " \"${COMPREPLY[@]}\"")
                .redirectErrorStream(true)
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(out).isZero();
        return out;
    }

    @Test
    void zshTakesTheSameScript() {
        assertThat(script("zsh")).contains("bashcompinit").isEqualTo(script("bash"));
    }

    @Test
    void fishNamesEveryCommandWhereItMayStand() {
        assertThat(script("fish").lines())
                .anyMatch(line -> line.startsWith("complete -c service -n 'not" + " __fish_seen_subcommand_from")
                        && line.contains("-f -a quickstart -d "))
                .anyMatch(line ->
                        line.contains("'__fish_seen_subcommand_from branch; and not ") && line.contains("-f -a create"))
                .anyMatch(line ->
                        line.contains("'__fish_seen_subcommand_from snapshot'") && line.contains(" -l branch -r "));
    }
}
