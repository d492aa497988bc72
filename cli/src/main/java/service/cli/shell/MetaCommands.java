package service.cli.shell;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.Rows;
import service.cli.render.Screen;
import service.cli.render.TextTable;
import service.core.error.Suggestion;
import service.core.json.Json;
import service.core.value.PointInTime;

/** Runs the lines that begin with a colon: commands to the shell. */
final class MetaCommands {
    private static final Pattern ASSIGNMENT =
            Pattern.compile("(\\w+)(?:\\s*(?::\\s*([\\w\\[\\]()]+\\??))?\\s*=\\s*|\\s+(?![:=]))(.*)", Pattern.DOTALL);
    private static final Pattern ARGUMENT = Pattern.compile("(\\w+)=(\"(?:[^\"\\\\]|\\\\.)*\"|\\S*)(?:\\s+|$)");
    private static final List<String> NAMES = List.of(
            ":help",
            ":quit",
            ":param",
            ":params",
            ":unparam",
            ":branch",
            ":at",
            ":snapshot",
            ":as_of",
            ":schema",
            ":set",
            ":unset",
            ":format",
            ":timing",
            ":queries",
            ":call");
    private static final String HELP = """
            Type a query; it runs when its braces are closed. The name may be left out:
              match { $p: Person } return { $p.name } order { $p.name }
              insert Person { name: "Edsger Dijkstra" }
              explain match { $p: Person } return { $p.name }
            A continuation such as `order` or `limit` goes on the line of the closing brace. An empty line ends
            any input.

            :param NAME[: TYPE]=VALUE  give a parameter a value for the queries to come, such as :param born: Date=1815-12-10
            :params, :unparam NAME     show the parameters, forget one
            :branch [NAME]             work on a branch, or show which one
            :at [COMMIT]               look at the state that a commit made, such as :at main~3; :branch leads back
            :as_of [TIME]              look at the branch as it was then, such as :as_of 2026-01-31T12:00:00Z
            :schema [TYPE]             show the types, or one of them as the schema declares it
            :set NAME=VALUE, :unset    send a setting along, such as :set timeout_ms=500; forget all
            :format NAME               table, json, jsonl, csv or kv
            :timing on|off             show the time of each query, or not
            :queries                   the stored queries of the server
            :call NAME [PARAM=VALUE …] run one of them; parameters of :param that it declares go along
            :help, :quit               this, and the end (as Ctrl-D, exit, quit and \\q)
            Tab completes keywords, types, properties, edges and parameters; Ctrl-C ends what runs, or clears the line.
            """;

    private final ShellState state;
    private final Graphs graphs;
    private final Supplier<@Nullable ShellSchema> schema;
    private final Answers answers;

    /** Prints an answer of the graph in the shell's format; its time goes to the shell's messages. */
    interface Answers {
        void print(ObjectNode answer, long nanos, PrintWriter out, Screen screen);
    }

    MetaCommands(ShellState state, Graphs graphs, Supplier<@Nullable ShellSchema> schema, Answers answers) {
        this.state = state;
        this.graphs = graphs;
        this.schema = schema;
        this.answers = answers;
    }

    /** Runs a line; false ends the shell. */
    boolean run(String line, PrintWriter out, Screen screen) {
        String[] words = line.strip().split("\\s+", 2);
        String argument = words.length < 2 ? "" : words[1].strip();
        switch (words[0]) {
            case ":quit", ":exit", ":q" -> {
                return false;
            }
            case ":help", ":h", ":?" -> out.print(HELP);
            case ":param" -> parameter(argument, out);
            case ":params" -> parameters(out, screen);
            case ":unparam" -> state.parameters.remove(argument);
            case ":branch" -> branch(argument, out);
            case ":at", ":snapshot" -> snapshot(argument, out);
            case ":as_of" -> asOf(argument, out);
            case ":schema" -> schema(argument, out, screen);
            case ":set" -> setting(argument, out);
            case ":unset" -> state.settings.clear();
            case ":format" -> state.format = format(argument);
            case ":timing" -> state.timing = onOff(argument);
            case ":queries" -> queries(out, screen);
            case ":call" -> call(argument, out, screen);
            default -> throw unknown(words[0]);
        }
        return true;
    }

    /** The completions of a line that begins with a colon. */
    Collection<String> complete(String before) {
        String[] words = before.split("\\s+", -1);
        if (words.length < 2) {
            return NAMES;
        }
        ShellSchema known = schema.get();
        return switch (words[0]) {
            case ":branch" -> branches();
            case ":call" -> storedNames();
            case ":schema" -> known == null ? List.of() : known.types();
            case ":format" -> formats();
            case ":timing" -> List.of("on", "off");
            case ":unparam", ":param" -> state.parameters.keySet();
            default -> List.of();
        };
    }

    private static CommandFailure unknown(String name) {
        String near = Suggestion.didYouMean(name, NAMES);
        return CommandFailure.usage("there is no command " + name + "; " + (near == null ? ":help lists them" : near));
    }

    private void parameter(String argument, PrintWriter out) {
        if (argument.isEmpty()) {
            parameters(out, Screen.NONE);
            return;
        }
        Matcher written = ASSIGNMENT.matcher(argument);
        if (!written.matches()) {
            throw CommandFailure.usage("write :param name=value, or :param name: Type=value");
        }
        JsonNode value = ParameterText.value(written.group(3).strip(), "$" + written.group(1));
        String type = written.group(2);
        state.parameters.put(
                written.group(1), new ShellState.Parameter(type != null ? type : BareStatement.typeOf(value), value));
    }

    private void parameters(PrintWriter out, Screen screen) {
        if (state.parameters.isEmpty()) {
            out.println("no parameters; :param name=value sets one");
            return;
        }
        TextTable table = new TextTable("parameter", "type", "value");
        state.parameters.forEach(
                (name, each) -> table.row("$" + name, each.type(), each.value().toString()));
        table.print(out, screen);
    }

    private void branch(String name, PrintWriter out) {
        if (!name.isEmpty()) {
            try (GraphClient graph = graphs.reader()) {
                graph.branch(name);
            }
            state.branch = name;
            state.snapshot = null;
            state.asOf = null;
        }
        out.println("branch " + (state.branch == null ? "main" : state.branch));
    }

    private void snapshot(String commit, PrintWriter out) {
        if (!commit.isEmpty()) {
            try (GraphClient graph = graphs.reader()) {
                String id = graph.commit(commit).path("graph_commit_id").asText();
                graph.snapshot(new GraphClient.Target(null, id, null));
                state.snapshot = id;
            }
            state.branch = null;
            state.asOf = null;
        }
        out.println(state.snapshot == null ? "no snapshot: at the head of the branch" : "snapshot " + state.snapshot);
    }

    private void asOf(String typed, PrintWriter out) {
        if (!typed.isEmpty()) {
            String time = PointInTime.of(typed, Instant.now());
            if (state.snapshot != null) {
                throw CommandFailure.usage("a snapshot is one state; :branch leads back to a branch");
            }
            try (GraphClient graph = graphs.reader()) {
                graph.snapshot(new GraphClient.Target(state.branch, null, time));
            }
            state.asOf = time;
        }
        out.println(state.asOf == null ? "at the head of the branch" : "as of " + state.asOf);
    }

    private void schema(String type, PrintWriter out, Screen screen) {
        ShellSchema known = schema.get();
        if (known == null) {
            throw CommandFailure.usage("the schema cannot be read");
        }
        Map<String, List<String>> summary = known.summary();
        if (type.isEmpty()) {
            TextTable table = new TextTable("type", "properties");
            summary.forEach((name, properties) -> table.row(name, String.join(", ", properties)));
            table.print(out, screen);
            return;
        }
        List<String> properties = summary.get(type);
        if (properties == null) {
            String near = Suggestion.didYouMean(type, summary.keySet());
            throw CommandFailure.usage("there is no type `" + type + "`" + (near == null ? "" : "; " + near));
        }
        out.println(known.declaration(type));
    }

    private void setting(String argument, PrintWriter out) {
        Matcher written = ASSIGNMENT.matcher(argument);
        if (argument.isEmpty()) {
            state.settings.forEach((name, value) -> out.println(name + " = " + value));
        } else if (written.matches()) {
            state.settings.put(
                    written.group(1), ParameterText.value(written.group(3).strip(), written.group(1)));
        } else {
            throw CommandFailure.usage("write :set name=value; `show all;` lists the settings");
        }
    }

    private static Rows.Format format(String name) {
        for (Rows.Format format : Rows.Format.values()) {
            if (format.name().equals(name)) {
                return format;
            }
        }
        throw CommandFailure.usage("the formats are " + String.join(", ", formats()));
    }

    private static List<String> formats() {
        return Arrays.stream(Rows.Format.values()).map(Enum::name).toList();
    }

    private static boolean onOff(String word) {
        return switch (word) {
            case "on" -> true;
            case "off" -> false;
            default -> throw CommandFailure.usage("write :timing on, or :timing off");
        };
    }

    private void queries(PrintWriter out, Screen screen) {
        try (GraphClient graph = graphs.reader()) {
            TextTable table = new TextTable("query", "does", "description");
            for (JsonNode query : graph.queries().path("queries")) {
                table.row(
                        query.path("name").asText(),
                        query.path("mutation").asBoolean() ? "writes" : "reads",
                        query.path("description").asText());
            }
            table.print(out, screen);
        }
    }

    /** Runs a stored query at the shell's branch or snapshot. */
    private void call(String argument, PrintWriter out, Screen screen) {
        String[] words = argument.split("\\s+", 2);
        if (words[0].isEmpty()) {
            throw CommandFailure.usage("write :call NAME [PARAM=VALUE …]; :queries lists the names");
        }
        ObjectNode given = given(words.length < 2 ? "" : words[1].strip());
        ObjectNode body = Json.object();
        try (GraphClient graph = graphs.reader()) {
            ObjectNode params = Json.object();
            for (JsonNode query : graph.queries().path("queries")) {
                if (query.path("name").asText().equals(words[0])) {
                    query.path("params")
                            .forEach(each -> fromState(each.path("name").asText(), params));
                }
            }
            params.setAll(given);
            if (!params.isEmpty()) {
                body.set("params", params);
            }
            state.target().addTo(body);
            long start = System.nanoTime();
            ObjectNode answer = graph.invoke(words[0], body, null, null);
            answers.print(answer, System.nanoTime() - start, out, screen);
        }
    }

    private void fromState(String name, ObjectNode into) {
        ShellState.Parameter parameter = state.parameters.get(name);
        if (parameter != null) {
            into.set(name, parameter.value());
        }
    }

    /** {@code name=ada age=36 title="a b"}. */
    private static ObjectNode given(String written) {
        ObjectNode params = Json.object();
        Matcher each = ARGUMENT.matcher(written);
        int end = 0;
        while (end < written.length()) {
            if (!each.find(end) || each.start() != end) {
                throw CommandFailure.usage("write parameters as NAME=VALUE, and text with blanks in quotes, at `"
                        + written.substring(end)
                        + "`");
            }
            params.set(each.group(1), ParameterText.value(each.group(2), each.group(1)));
            end = each.end();
        }
        return params;
    }

    private Collection<String> storedNames() {
        try (GraphClient graph = graphs.reader()) {
            return graph.queries().path("queries").findValuesAsText("name");
        } catch (RuntimeException e) {
            return List.of();
        }
    }

    private Collection<String> branches() {
        try (GraphClient graph = graphs.reader()) {
            ObjectNode answer = graph.branches();
            return answer.path("branches").findValuesAsText("name");
        } catch (RuntimeException e) {
            return List.of();
        }
    }
}
