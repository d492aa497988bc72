package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;

/** Prints the steps of a migration, one a line. */
final class SchemaSteps {
    private SchemaSteps() {}

    /** A step as one line, such as {@code + property Person.born: Date?}. */
    static String line(JsonNode step) {
        String name = step.path("step").asText();
        String type = step.path("type_name").asText();
        String thing = step.has("property")
                ? "property " + type + "." + step.path("property").asText()
                : step.path("kind").asText() + " " + type;
        return switch (name) {
            case "add_type" -> "+ " + thing;
            case "drop_type" -> "- " + thing;
            case "add_property" -> "+ " + thing + typed(step, "after");
            case "drop_property" -> "- " + thing + typed(step, "before");
            case "rename_type", "rename_property" ->
                "~ " + thing + " (was " + step.path("from").asText() + ")";
            case "add_constraint" ->
                "+ " + thing + " " + step.path("constraint").asText();
            case "drop_constraint" ->
                "- " + thing + " " + step.path("constraint").asText();
            default -> "~ " + thing + change(step) + " (" + name.replace('_', ' ') + ")";
        };
    }

    private static String typed(JsonNode step, String field) {
        return step.has(field) ? ": " + step.path(field).asText() : "";
    }

    private static String change(JsonNode step) {
        if (!step.has("before") && !step.has("after")) {
            return "";
        }
        return ": " + step.path("before").asText("nothing") + " to "
                + step.path("after").asText("nothing");
    }
}
