package service.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import service.cli.client.CommandFailure;

/** Shows the help of a command, as {@code --help} after it does. */
@Command(
        name = "help",
        description = "Shows the help of a command.",
        footer = {"", "Example:", "  service help branch merge"})
final class HelpCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The words of the command.")
    private List<String> words = new ArrayList<>();

    @Override
    public Integer call() {
        CommandLine command = Objects.requireNonNull(spec).root().commandLine();
        for (String word : words) {
            CommandLine below = command.getSubcommands().get(word);
            if (below == null) {
                throw CommandFailure.usage(UsageMistakes.unknownCommand(command, word));
            }
            command = below;
        }
        command.usage(Objects.requireNonNull(spec).commandLine().getOut());
        return 0;
    }
}
