package service.cli.shell;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.MutationAnswer;
import service.cli.render.Rows;
import service.cli.render.Screen;
import service.cli.render.VisibleWriter;
import service.core.schema.SchemaCompiler;

/**
 * Reads inputs, runs them and prints their answers until the input ends. A failed input does not end the shell. One
 * thread.
 */
public final class Shell {
    private static final Pattern MISSING = Pattern.compile("parameter `(\\w+)` is missing");

    private final Interruption interruption = new Interruption();
    private final Graphs graphs;
    private final Function<RuntimeException, CommandFailure> explain;
    private final ShellState state;
    private final MetaCommands commands;
    private @Nullable PrintWriter messages;
    private boolean failed;
    private @Nullable ShellSchema schema;
    private @Nullable String schemaOf;

    /**
     * A shell at the head of main.
     *
     * @param explain describes a failure
     */
    public Shell(Graphs graphs, Rows.Format format, Function<RuntimeException, CommandFailure> explain) {
        this.graphs = interruption.over(graphs);
        this.explain = explain;
        this.state = new ShellState(format);
        this.commands = new MetaCommands(state, this.graphs, this::schema, this::print);
    }

    /** Runs with a terminal. */
    public void interact(Terminal terminal, Path history, boolean color) throws IOException {
        Files.createDirectories(history.toAbsolutePath().getParent());
        LineReader reader = LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("service")
                .parser(new ShellParser())
                .completer(new ShellCompleter(this::schema, state.parameters::keySet, commands))
                .variable(LineReader.HISTORY_FILE, history)
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, "  ... ")
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .build();
        // While it reads, the reader installs another handler, which clears the line.
        terminal.handle(Terminal.Signal.INT, signal -> interruption.ask());
        PrintWriter out = new VisibleWriter(terminal.writer(), true);
        out.println("GQ on " + graphs.name() + ". Type a query, :help for help, :quit to leave.");
        while (true) {
            String input;
            interruption.begin();
            try {
                input = reader.readLine(prompt());
            } catch (UserInterruptException e) {
                continue;
            } catch (EndOfFileException e) {
                return;
            }
            Screen screen = new Screen(terminal.getSize().getColumns(), color);
            try {
                if (!run(input, interruption.over(out), out, screen)) {
                    return;
                }
            } finally {
                interruption.end();
            }
        }
    }

    /**
     * Runs the inputs of a file or a pipe, without prompts. A read without a name runs when the next line does not
     * continue it with {@code order}, {@code skip} or {@code limit}.
     *
     * @param stopOnError ends with the first input that fails
     * @return whether no input failed
     */
    public boolean runAll(BufferedReader in, PrintWriter out, PrintWriter err, boolean stopOnError) {
        StringBuilder input = new StringBuilder();
        try {
            for (String line = withoutMark(in.readLine()); line != null; line = in.readLine()) {
                if (InputShape.mayContinue(input.toString()) && !InputShape.continues(line)) {
                    if (!run(input.toString(), out, err, Screen.NONE) || (stopOnError && failed)) {
                        return !failed;
                    }
                    input.setLength(0);
                }
                if (InputShape.isNothing(input.toString())) {
                    // A line that begins with a colon is a command only where nothing stands before it.
                    input.setLength(0);
                }
                input.append(input.isEmpty() ? "" : "\n").append(line);
                if (InputShape.isWhole(input.toString()) && !InputShape.mayContinue(input.toString())) {
                    if (!run(input.toString(), out, err, Screen.NONE) || (stopOnError && failed)) {
                        return !failed;
                    }
                    input.setLength(0);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run(input.toString(), out, err, Screen.NONE);
        return !failed;
    }

    /** The first line without the byte order mark that some editors write before it. */
    private static @Nullable String withoutMark(@Nullable String line) {
        return line != null && line.startsWith("\uFEFF") ? line.substring(1) : line;
    }

    /** Runs one input; false ends the shell. */
    boolean run(String typed, PrintWriter out, PrintWriter err, Screen screen) {
        String input = typed.strip();
        ShellRequest request = null;
        boolean goOn = true;
        messages = err;
        try {
            if (InputShape.isEnd(input)) {
                goOn = false;
            } else if (input.startsWith(":")) {
                goOn = commands.run(input, out, screen);
                out.flush();
            } else if (!InputShape.isNothing(input)) {
                request = ShellRequest.of(input, state);
                send(request, out, screen);
            }
        } catch (RuntimeException e) {
            failed = true;
            // The user interrupted the request: its failure needs no message.
            if (interruption.isAsked()) {
                boolean writes = request != null && request.writes();
                err.println(writes ? "cancelled; the server may have made the commit all the same" : "cancelled");
            } else {
                CommandFailure told = explain.apply(e);
                String placed = request == null ? null : request.render(told.body());
                err.println("error: " + (placed != null ? placed : told.getMessage() + howToGive(told.getMessage())));
            }
        }
        err.flush();
        return goOn;
    }

    /** The command that gives the parameter which a refusal misses. */
    private static String howToGive(String refusal) {
        Matcher missing = MISSING.matcher(refusal);
        return missing.find() ? "; write :param " + missing.group(1) + "=VALUE" : "";
    }

    private void send(ShellRequest request, PrintWriter out, Screen screen) {
        boolean writes = request.writes();
        ObjectNode body = request.body(state);
        if (writes && (state.snapshot != null || state.asOf != null)) {
            throw CommandFailure.usage("a past state cannot be written; :branch main leads back to the head");
        }
        state.target().addTo(body);
        try (GraphClient graph = writes ? graphs.writer() : graphs.reader()) {
            long start = System.nanoTime();
            ObjectNode answer = writes ? graph.mutate(body, null, null) : graph.query(body);
            long nanos = System.nanoTime() - start;
            if (writes) {
                // The write is committed: show its answer even if Ctrl-C came meanwhile.
                interruption.begin();
            }
            print(answer, nanos, out, screen);
        }
    }

    private void print(ObjectNode answer, long nanos, PrintWriter out, Screen screen) {
        if (answer.has("rows")) {
            Rows.print(answer, state.format, out, screen);
            if (answer.has("commit") && state.format == Rows.Format.table) {
                MutationAnswer.print(answer, out);
            }
        } else if (state.format == Rows.Format.table) {
            MutationAnswer.print(answer, out);
        } else {
            out.println(answer);
        }
        if (state.timing && state.format == Rows.Format.table) {
            out.flush();
            // Not among the rows, which may go to a file or a pipe.
            Objects.requireNonNull(messages).printf(Locale.ROOT, "Time: %.1f ms%n", nanos / 1e6);
        }
        out.flush();
    }

    private String prompt() {
        String at = state.snapshot != null
                ? "@" + state.snapshot
                : (state.branch == null || state.branch.equals("main") ? "" : "/" + state.branch)
                        + (state.asOf == null ? "" : "@" + state.asOf);
        return graphs.name() + at + "> ";
    }

    /** The schema at the shell's branch or snapshot; null when it cannot be read. */
    private @Nullable ShellSchema schema() {
        String place = state.target().toString();
        if (schema == null || !place.equals(schemaOf)) {
            try (GraphClient graph = graphs.reader()) {
                schema = new ShellSchema(SchemaCompiler.compile(
                        graph.schema(state.target()).path("schema_source").asText()));
                schemaOf = place;
            } catch (RuntimeException e) {
                return null;
            }
        }
        return schema;
    }
}
