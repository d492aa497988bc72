package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import service.cli.render.Rows;
import service.cli.render.Screen;

/** How a command shows what it did; mixed into every command. */
final class OutputOptions {
    private static final int DEFAULT_WIDTH = 120;

    @Spec(Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(names = "--json", description = "Print the answer as JSON.")
    private boolean json;

    @Option(names = "--quiet", description = "Print nothing but the answer.")
    private boolean quiet;

    @Option(names = "--no-color", description = "Print without colours (as NO_COLOR does).")
    private boolean noColor;

    boolean json() {
        return json;
    }

    boolean quiet() {
        return quiet;
    }

    /** The format that was asked for, else JSON with {@code --json}, else a table. */
    Rows.Format format(Rows.@Nullable Format asked) {
        if (asked != null) {
            return asked;
        }
        return json ? Rows.Format.json : Rows.Format.table;
    }

    PrintWriter out() {
        return Objects.requireNonNull(spec).commandLine().getOut();
    }

    PrintWriter err() {
        return Objects.requireNonNull(spec).commandLine().getErr();
    }

    /** The terminal, or no limits where the output is none. */
    Screen screen() {
        if (!TerminalCheck.isTerminal(TerminalCheck.STANDARD_OUTPUT)) {
            return Screen.NONE;
        }
        String columns = System.getenv("COLUMNS");
        int width =
                columns != null && columns.matches("[1-9][0-9]{1,4}")
                        ? Integer.parseInt(columns)
                        : DEFAULT_WIDTH;
        return new Screen(width, !noColor && System.getenv("NO_COLOR") == null);
    }

    /** Prints the answer as JSON, or as a person reads it. */
    <T extends JsonNode> void print(T answer, BiConsumer<T, PrintWriter> forPeople) {
        if (json) {
            out().println(answer.toPrettyString());
        } else {
            forPeople.accept(answer, out());
        }
        out().flush();
    }

    /** A remark beside the answer; goes to stderr, and nowhere with {@code --quiet}. */
    void note(String message) {
        if (!quiet) {
            err().println(message);
            err().flush();
        }
    }
}
