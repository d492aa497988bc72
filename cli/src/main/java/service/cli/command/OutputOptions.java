package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;
import service.cli.render.Document;
import service.cli.render.MutationAnswer;
import service.cli.render.Rows;
import service.cli.render.Screen;
import service.core.value.VisibleText;

/** How a command prints its answer; mixed into every command. */
final class OutputOptions {
    @Spec(Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(names = "--json", description = "Print the answer as JSON.")
    private boolean json;

    @Option(names = "--quiet", description = "Print nothing but the answer.")
    private boolean quiet;

    @Option(names = "--no-color", description = "Print without colours (as NO_COLOR does).")
    private boolean noColor;

    private Rows.@Nullable Format usual;

    boolean json() {
        return format() == Rows.Format.json;
    }

    boolean quiet() {
        return quiet;
    }

    /**
     * The format that was asked for, else JSON with {@code --json}, else what the profile or the defaults of the
     * configuration say, else a table. A command without {@link FormatOption} prints text, whatever they say: a script
     * of {@code completion} must stay one.
     */
    Rows.Format format() {
        OptionSpec option = Objects.requireNonNull(spec).findOption(FormatOption.NAME);
        if (option != null && option.getValue() instanceof Rows.Format asked) {
            return asked;
        }
        if (option != null && option.getValue() instanceof QueryCommand.Format asked) {
            return asked.text;
        }
        if (json) {
            return Rows.Format.json;
        }
        if (usual == null) {
            usual = option == null ? Rows.Format.table : usual();
        }
        return usual;
    }

    private Rows.Format usual() {
        ClientConfig config = ClientConfig.read(ServiceConfig.environment());
        String profile =
                Objects.requireNonNull(spec).commandLine().getParseResult().matchedOptionValue("--profile", null);
        String name = profile == null ? null : config.profile(profile).output();
        if (name == null) {
            name = config.defaultOf("output");
        }
        if (name == null) {
            return Rows.Format.table;
        }
        for (Rows.Format known : Rows.Format.values()) {
            if (known.name().equals(name)) {
                return known;
            }
        }
        List<String> words =
                Arrays.stream(Rows.Format.values()).map(Rows.Format::name).toList();
        throw CommandFailure.usage("output of config.yaml is one of %s, not `%s`%s"
                .formatted(String.join(", ", words), name, UsageMistakes.suggestion(name, words)));
    }

    PrintWriter out() {
        return Objects.requireNonNull(spec).commandLine().getOut();
    }

    /** Whether standard output cannot be written any more. */
    boolean isUnread() {
        return out().checkError();
    }

    PrintWriter err() {
        return Objects.requireNonNull(spec).commandLine().getErr();
    }

    /** The terminal, or {@link Screen#NONE} where standard output is not a terminal. */
    Screen screen() {
        if (!TerminalCheck.isTerminal(TerminalCheck.STANDARD_OUTPUT)) {
            return Screen.NONE;
        }
        return new Screen(
                TerminalCheck.columns(),
                !noColor && !ServiceConfig.environment().containsKey("NO_COLOR"));
    }

    /**
     * Prints the rows of a read, or of a write that returns some, and returns null; returns the answer of any other
     * write, which is not printed yet.
     */
    @Nullable
    Answer result(ObjectNode result) {
        if (!result.has("rows")) {
            return Answer.of(result, MutationAnswer::print);
        }
        Rows.print(result, format(), out(), screen());
        if (result.has("commit") && format() == Rows.Format.table) {
            MutationAnswer.print(result, out());
            out().flush();
        }
        return null;
    }

    /** Prints an answer in the format that was asked for. */
    void print(Answer answer) {
        if (format() == Rows.Format.table) {
            answer.table().accept(answer.json(), out());
        } else {
            Document.print(answer.json(), answer.list(), format(), out());
        }
        out().flush();
    }

    /** Prints a remark to stderr, unless {@code --quiet} was given. */
    void note(String message) {
        if (!quiet) {
            err().println(VisibleText.lines(message));
            err().flush();
        }
    }
}
