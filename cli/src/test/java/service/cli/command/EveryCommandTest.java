package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What holds for every command of {@code service}. */
final class EveryCommandTest {
    /** Reading the annotations of all commands takes a tenth of a second, so it is done once. */
    private static final CommandLine WHOLE = CommandLines.service();

    static Stream<String> commands() {
        List<String> names = new ArrayList<>();
        walk(WHOLE, names);
        return names.stream();
    }

    private static void walk(CommandLine command, List<String> names) {
        for (CommandLine below : command.getSubcommands().values()) {
            if (!(below.getCommand() instanceof HelpCommand)) {
                names.add(below.getCommandSpec().qualifiedName());
                walk(below, names);
            }
        }
    }

    private static CommandLine find(String qualifiedName) {
        CommandLine command = WHOLE;
        for (String name : List.of(qualifiedName.split(" ", -1)).subList(1, qualifiedName.split(" ", -1).length)) {
            command = command.getSubcommands().get(name);
        }
        return command;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpsWithAnExample(String name) {
        CommandLine command = find(name);
        String usage = command.getUsageMessage();
        assertThat(usage).contains("Example").contains("  service ");
        if (command.getSubcommands().isEmpty()) {
            assertThat(command.getCommandSpec().optionsMap()).containsKeys("--json", "--quiet", "--no-color", "--help");
        }
    }

    /** Options that a command shares with others are there only where they have a use. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--format | branch create, branch diff, branch list, branch log, branch merge, branch restore, branch show, branch upgrade, blob stat,"
                        + " cluster status, cluster validate, commit changes, commit list, commit pick, commit revert,"
                        + " commit show, embed, export, graphs discover, history,"
                        + " graphs list, load, mutate, profile list, profile show, alias list, queries list,"
                        + " queries validate, query, search rebuild, search status, search terms, search verify, shell,"
                        + " snapshot, stats, tag create, tag list, tag show, verify",
                "--server | blob get, blob stat, branch create, branch delete, branch diff, branch list, branch log, branch merge,"
                        + " branch restore, branch show, branch upgrade, changes baseline, changes poll, commit changes, commit list,"
                        + " commit pick, commit revert, commit show, embed, export, tag create, tag delete, tag list, tag show,"
                        + " history, graphs discover, graphs list, mcp, queries codegen,"
                        + " load, mutate, queries list, query, schema show, search rebuild, search status, shell,"
                        + " snapshot",
                "--store | backup, blob get, blob stat, branch create, branch delete, branch diff, branch list, branch log,"
                        + " branch merge, branch restore, branch show, branch upgrade, changes baseline, changes poll, cleanup,"
                        + " commit changes, commit list, commit pick, commit revert, commit show, compact, embed, export,"
                        + " history, load, mutate, query, rebuild, restore, tag create, tag delete, tag list, tag show,"
                        + " schema apply, schema plan, schema show, search rebuild, search status, search verify, shell,"
                        + " snapshot, stats, verify"
            })
    void anOptionIsOnlyWhereItHasAUse(String option, String commands) {
        List<String> having = new ArrayList<>();
        for (String name : commands().toList()) {
            CommandLine command = find(name);
            if (command.getSubcommands().isEmpty() && command.getCommandSpec().findOption(option) != null) {
                having.add(name.substring("service ".length()));
            }
        }
        assertThat(having).containsExactlyInAnyOrder(commands.trim().split(",\\s+"));
    }

    /** A program with fewer commands than all shows the same. */
    @ParameterizedTest
    @MethodSource("lines")
    void whatTheArgumentsNeedShowsTheSameAsTheWhole(String line) {
        String[] arguments = line.isEmpty() ? new String[0] : line.split(" ", -1);
        assertThat(run(CommandLines.service(arguments), arguments))
                .isEqualTo(run(WHOLE, arguments))
                .extracting(run -> run.out() + run.err())
                .asString()
                .contains("service");
    }

    static Stream<String> lines() {
        return Stream.concat(
                Stream.of("", "--help", "-h", "help query", "--help query", "brunch", "--bogus", "query --colour"),
                WHOLE.getSubcommands().keySet().stream().map(name -> name + " --help"));
    }

    private record Run(int code, String out, String err) {}

    private static Run run(String line) {
        String[] arguments = line.split(" ", -1);
        return run(CommandLines.service(arguments), arguments);
    }

    private static Run run(CommandLine command, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return new Run(command.execute(arguments), out.toString(), err.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bogus",
                "brunch list",
                "branch",
                "branch lst",
                "load --data x",
                "query --colour",
                "commit list --limit many",
                "query --branch a --snapshot b -e q --store x",
                "query -e q --format xml --store x",
                "query -e q --store x --server http://y",
                "query -e q --server ftp://y --graph g",
                "query -e q --server http:// --graph g",
                "cleanup --keep 0 --store x",
                "export --store nowhere",
                "init --schema nowhere.pg nowhere",
                "lint --query nowhere.gq --schema nowhere.pg",
                "changes baseline --out nowhere/x --store nowhere",
                "cluster status --config nowhere",
                "query -e q --profile nobody",
                "login a/b --token x",
                "login a --token x\u00a0y",
                "profile show nobody"
            })
    void aMistakeIsOneLineOnStderr(String line) throws IOException {
        Run run = run(line);
        assertThat(run.code()).isIn(1, 2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).startsWith("error: ").doesNotContain("fault of the program");
        Run json = run(line + " --json");
        assertThat(json.code()).isEqualTo(run.code());
        var body = new ObjectMapper().readTree(json.err());
        // Whether `--json` is an option that was given changes the words after the first ones.
        assertThat(run.err()).startsWith("error: " + body.path("error").asText().split("[,;:]", 2)[0]);
        assertThat(body.path("code").asText()).matches("[a-z]+(_[a-z]+)*");
    }

    @Test
    void aMistakeNamesTheThingAndWhereHelpIs() {
        assertThat(run("load --data x --store y").err())
                .isEqualTo(
                        "error: give --mode MODE: merge (upsert by id; an edge without an id is always new), append (insert only) or overwrite; `service load --help`"
                                + " shows how it is written\n");
        assertThat(run("brunch").err()).contains("brunch", "branch");
        assertThat(run("branch").err()).contains("create", "merge");
    }
}
