package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Prints the steps of a migration, one a line. */
final class SchemaSteps {
    private SchemaSteps() {}

    /** The lines of a plan: each step, and after a dropped property what keeps its values if it has a new name only. */
    static List<String> lines(JsonNode steps) {
        List<String> lines = new ArrayList<>();
        for (JsonNode step : steps) {
            lines.add(line(step));
            for (JsonNode other : steps) {
                if (mayRename(step, other)) {
                    String old = step.path("property").asText();
                    String now = other.path("property").asText();
                    lines.add(
                            "    if `%s` is `%s` under a new name, write @rename_from(\"%s\") at `%s` before you apply: it keeps the values"
                                    .formatted(now, old, old, now));
                    break;
                }
            }
        }
        return lines;
    }

    /**
     * Whether one step drops and another one adds a property with the same type of values in the same entity type. A
     * new property that is required is left out: where there are values, its refusal has the same advice.
     */
    private static boolean mayRename(JsonNode drop, JsonNode add) {
        String before = values(drop.path("before").asText());
        String after = add.path("after").asText();
        return drop.path("step").asText().equals("drop_property")
                && add.path("step").asText().equals("add_property")
                && drop.path("kind").equals(add.path("kind"))
                && drop.path("type_name").equals(add.path("type_name"))
                && !before.isEmpty()
                && before.equals(values(after))
                && !after.equals(before);
    }

    /** The type in the text of a property such as {@code Date? @default(…)}, without what follows it. */
    private static String values(String property) {
        int annotations = property.indexOf(" @");
        String type = annotations < 0 ? property : property.substring(0, annotations);
        return type.endsWith("?") ? type.substring(0, type.length() - 1) : type;
    }

    /** A step as one line, such as {@code + property Person.born: Date?}. */
    static String line(JsonNode step) {
        String type = step.path("type_name").asText();
        String thing = step.has("property")
                ? "property " + type + "." + step.path("property").asText()
                : step.path("kind").asText() + " " + type;
        return sign(step) + " " + thing + change(step);
    }

    /** {@code +} for a step that adds, {@code -} for one that drops, {@code !} for a refused one, else {@code ~}. */
    static char sign(JsonNode step) {
        String name = step.path("step").asText();
        if (name.startsWith("add_")) {
            return '+';
        }
        if (name.startsWith("drop_")) {
            return '-';
        }
        return name.equals("unsupported") ? '!' : '~';
    }

    private static String change(JsonNode step) {
        if (step.has("from")) {
            return " (was " + step.path("from").asText() + ")";
        }
        if (step.has("constraint")) {
            return " " + step.path("constraint").asText();
        }
        String before = step.path("before").asText();
        String after = step.path("after").asText();
        if (before.isEmpty() && after.isEmpty()) {
            return "";
        }
        char sign = sign(step);
        if (sign == '+' || sign == '-') {
            return ": " + before + after;
        }
        return ": " + (before.isEmpty() ? "nothing" : before) + " -> " + (after.isEmpty() ? "nothing" : after);
    }
}
