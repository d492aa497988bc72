package service.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.value.VisibleText;

/**
 * Prints changes of entities and conflicts of merges for people, with the values of the properties that differ.
 *
 * <pre>
 * + node Person ann
 *     age: 3
 * ~ node Band band-1
 *     founded: 1990 -> 1991
 * </pre>
 */
public final class EntityText {
    private static final int VALUE_MAX = 200;
    private static final String NONE = "none";

    private EntityText() {}

    /** Prints a change {@code {kind, type, id, op, before?, after?}}. */
    public static void change(JsonNode change, PrintWriter out, Screen screen) {
        String entity = change.path("kind").asText() + " "
                + change.at("/type/name").asText() + " "
                + change.path("id").asText();
        values(change, entity, out, screen);
    }

    /**
     * Prints the values of a change {@code {op, before?, after?}} under a headline.
     *
     * @param headline what was changed, or by what
     */
    public static void values(JsonNode change, String headline, PrintWriter out, Screen screen) {
        JsonNode before = change.path("before");
        JsonNode after = change.path("after");
        switch (change.path("op").asText()) {
            case "insert" -> {
                out.println(screen.green("+ " + headline));
                names(after).forEach(name -> out.println("    " + name + ": " + screen.green(value(after, name))));
            }
            case "delete" -> {
                out.println(screen.red("- " + headline));
                names(before).forEach(name -> out.println("    " + name + ": " + screen.red(value(before, name))));
            }
            default -> {
                out.println(screen.yellow("~ " + headline));
                for (String name : names(before, after)) {
                    if (differ(name, before, after)) {
                        out.println("    " + name + ": " + screen.red(value(before, name)) + " -> "
                                + screen.green(value(after, name)));
                    }
                }
            }
        }
    }

    /**
     * Prints a conflict {@code {kind, message, base?, source?, target?}}: its message, and a table of the properties in
     * which the three states differ.
     *
     * @param base what the state at the base is called; {@code source} that of the source, {@code target} that of the
     *     target
     */
    public static void conflict(
            JsonNode conflict, String base, String source, String target, PrintWriter out, Screen screen) {
        String kind = "(" + conflict.path("kind").asText() + ")";
        String message = VisibleText.oneLine(conflict.path("message").asText());
        // Such a message has no state of the target: the caller may not read it.
        boolean hidden = message.endsWith(kind);
        out.println(screen.red("! ") + message + (hidden ? "" : " " + kind));
        if (hidden) {
            return;
        }
        JsonNode[] states = {conflict.path("base"), conflict.path("source"), conflict.path("target")};
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", base, source, target));
        for (String name : names(states)) {
            if (differ(name, states)) {
                rows.add(List.of(name, value(states[0], name), value(states[1], name), value(states[2], name)));
            }
        }
        boolean someExist = states[0].isObject() || states[1].isObject() || states[2].isObject();
        boolean someMissing = !(states[0].isObject() && states[1].isObject() && states[2].isObject());
        if (someExist && someMissing) {
            rows.add(1, List.of("", exists(states[0]), exists(states[1]), exists(states[2])));
        }
        if (rows.size() > 1) {
            print(rows, out);
        }
    }

    private static void print(List<List<String>> rows, PrintWriter out) {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], length(row.get(i)));
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder("   ");
            for (int i = 0; i < widths.length; i++) {
                line.append(' ').append(row.get(i)).append(" ".repeat(widths[i] - length(row.get(i)) + 1));
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private static String exists(JsonNode state) {
        return state.isObject() ? "exists" : "missing";
    }

    /** The names of properties, and the ends of an edge before them, in the order of the schema. */
    private static Set<String> names(JsonNode... states) {
        Set<String> names = new LinkedHashSet<>();
        for (JsonNode state : states) {
            state.path("endpoints").fieldNames().forEachRemaining(names::add);
        }
        for (JsonNode state : states) {
            state.path("properties").fieldNames().forEachRemaining(names::add);
        }
        return names;
    }

    private static boolean differ(String name, JsonNode... states) {
        for (JsonNode state : states) {
            if (!found(state, name).equals(found(states[0], name))) {
                return true;
            }
        }
        return false;
    }

    /**
     * A property or an end of an edge; the two have no name in common, because {@code from} and {@code to} are
     * reserved.
     */
    private static JsonNode found(JsonNode state, String name) {
        JsonNode end = state.path("endpoints").path(name);
        return end.isMissingNode() ? state.path("properties").path(name) : end;
    }

    private static String value(JsonNode state, String name) {
        return shown(found(state, name));
    }

    /** A value on one line, without the end of a long one. */
    public static String shown(@Nullable JsonNode value) {
        if (value == null || value.isMissingNode() || value.isNull()) {
            return NONE;
        }
        String text = VisibleText.oneLine(value.toString());
        int length = length(text);
        return length <= VALUE_MAX
                ? text
                : text.substring(0, text.offsetByCodePoints(0, VALUE_MAX)) + "… (" + length + " characters)";
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
