package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;

/** Prints the steps of a migration, one a line. */
final class SchemaSteps {
    private SchemaSteps() {}

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
