package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the completion script of a shell. */
@Command(
        name = "completion",
        description = "Prints a completion script for a shell.",
        footer = {
            "%nExample:",
            "  source <(service completion bash)",
            "  service completion fish > ~/.config/fish/completions/service.fish"
        })
final class CompletionCommand extends AnswerCommand {
    private static final String PROGRAM = "service";

    /** The shells that can complete. */
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell to print it for.")
    private Shell shell = Shell.bash;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    Answer answer() {
        CommandLine root = spec.root().commandLine();
        StringWriter script = new StringWriter();
        PrintWriter into = new PrintWriter(script);
        switch (shell) {
            // One script: under zsh it starts zsh's emulation of bash completions by itself.
            case bash, zsh -> into.print(AutoComplete.bash(PROGRAM, root));
            case fish -> {
                into.println("complete -c " + PROGRAM + " -e");
                fish(root, "", into);
            }
        }
        into.flush();
        return Answer.of(
                JsonNodeFactory.instance.objectNode().put("shell", shell.name()).put("script", script.toString()),
                (answer, out) -> out.print(script));
    }

    /**
     * Prints the completions of fish for one command and its subcommands.
     *
     * @param path the names from the program to the command, without the program's; a subcommand is offered when the
     *     line has all of them and no other subcommand of the same command
     */
    private static void fish(CommandLine command, String path, PrintWriter out) {
        Map<String, CommandLine> below = command.getSubcommands();
        String names = String.join(" ", below.keySet());
        String here = Stream.concat(
                        Stream.of(path.split(" "))
                                .filter(name -> !name.isEmpty())
                                .map(name -> "__fish_seen_subcommand_from " + name),
                        names.isEmpty() ? Stream.empty() : Stream.of("not __fish_seen_subcommand_from " + names))
                .collect(Collectors.joining("; and "));
        String when = "complete -c " + PROGRAM + (here.isEmpty() ? "" : " -n " + quoted(here));
        below.forEach((name, sub) -> out.println(when
                + " -f -a "
                + name
                + described(sub.getCommandSpec().usageMessage().description())));
        for (OptionSpec option : command.getCommandSpec().options()) {
            StringBuilder line = new StringBuilder(when);
            for (String name : option.names()) {
                line.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^--?", ""));
            }
            out.println(line + (option.arity().max() > 0 ? " -r" : "") + described(option.description()));
        }
        below.forEach((name, sub) -> fish(sub, (path + " " + name).strip(), out));
    }

    private static String described(String[] description) {
        return description.length == 0 ? "" : " -d " + quoted(description[0]);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
