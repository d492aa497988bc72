package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Function;
import service.cli.render.Rows;

/** Prints changes that come in pages: a line for each, or for programs all pages as one answer. */
record ChangeList(OutputOptions output) {
    /**
     * Asks for page after page.
     *
     * @param next the page behind a token
     */
    void print(ObjectNode first, Function<String, ObjectNode> next) {
        boolean people = output.format() == Rows.Format.table;
        if (people) {
            first.path("changes").forEach(this::line);
        }
        JsonNode token = first.remove("next_page_token");
        while (token != null) {
            ObjectNode page = next.apply(token.asText());
            if (people) {
                page.path("changes").forEach(this::line);
            } else {
                page.path("changes").forEach(first.withArray("changes")::add);
            }
            token = page.get("next_page_token");
        }
        if (!people) {
            output.print(first, "changes", (answer, out) -> {});
        }
        output.out().flush();
    }

    private void line(JsonNode change) {
        output.out()
                .printf(
                        "%-6s %-4s %s %s%n",
                        change.path("op").asText(),
                        change.path("kind").asText(),
                        change.path("type").path("name").asText(),
                        change.path("id").asText());
    }
}
