package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.cli.render.Rows;

/** Prints changes that come in pages: a line for each, or for programs all pages as one answer. */
record ChangeList(OutputOptions output) {
    /**
     * Asks for page after page.
     *
     * @param pages gives the page with this token; the first one for null
     * @return all pages as one answer; null where their lines are printed already
     */
    @Nullable
    Answer all(Function<@Nullable String, ObjectNode> pages) {
        boolean people = output.format() == Rows.Format.table;
        ObjectNode all = pages.apply(null);
        ObjectNode page = all;
        while (true) {
            JsonNode token = page.remove("next_page_token");
            if (people) {
                page.path("changes").forEach(this::line);
                output.out().flush();
            }
            if (token == null) {
                return people ? null : Answer.list("changes", all, (answer, out) -> {});
            }
            page = pages.apply(token.asText());
            if (!people) {
                page.path("changes").forEach(all.withArray("changes")::add);
            }
        }
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
