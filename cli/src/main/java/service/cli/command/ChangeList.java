package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.cli.render.EntityText;
import service.cli.render.Rows;
import service.cli.render.Screen;
import service.cli.render.TextTable;
import service.core.value.VisibleText;

/**
 * Prints changes that come in pages: each with its values for people, through a pager on a terminal; for programs all
 * pages as one answer.
 *
 * @param headline printed before them for people; null for none
 */
record ChangeList(OutputOptions output, @Nullable String headline) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The count of each operation. */
    private static final Map<String, String> COUNTED =
            Map.of("insert", "inserted", "update", "updated", "delete", "deleted");

    /**
     * Asks for page after page.
     *
     * @param pages gives the page with this token; the first one for null
     * @param filtered whether the filters leave out changes
     * @param none printed when there is no change, and no filter
     * @return all pages as one answer; null where their lines are printed already
     */
    @Nullable
    Answer all(Function<@Nullable String, ObjectNode> pages, boolean filtered, String none) {
        ObjectNode first = pages.apply(null);
        if (output.format() != Rows.Format.table) {
            return whole(first, pages);
        }
        try (Pager pager = Pager.open(output)) {
            show(first, pages, filtered ? "no changes that the filters allow" : none, pager);
        }
        return null;
    }

    /**
     * Counts the changes by type: {@code types}, each with {@code kind}, {@code type_name}, {@code inserted},
     * {@code updated} and {@code deleted}, nodes before edges.
     *
     * @param pages gives the page with this token; the first one for null
     */
    Answer counted(Function<@Nullable String, ObjectNode> pages) {
        Map<String, ObjectNode> types = new TreeMap<>(
                Comparator.comparing((String key) -> key.startsWith("edge")).thenComparing(Comparator.naturalOrder()));
        JsonNode token = null;
        do {
            ObjectNode page = pages.apply(token == null ? null : token.asText());
            for (JsonNode change : page.path("changes")) {
                String kind = change.path("kind").asText();
                String name = change.at("/type/name").asText();
                ObjectNode counts = types.computeIfAbsent(
                        kind + " " + name,
                        any -> JSON.createObjectNode()
                                .put("kind", kind)
                                .put("type_name", name)
                                .put("inserted", 0)
                                .put("updated", 0)
                                .put("deleted", 0));
                String of = Objects.requireNonNull(COUNTED.get(change.path("op").asText()));
                counts.put(of, counts.path(of).asLong() + 1);
            }
            token = page.get("next_page_token");
        } while (token != null);
        ObjectNode answer = JSON.createObjectNode();
        types.values().forEach(answer.putArray("types")::add);
        return Answer.list("types", answer, (all, out) -> printCounts(all.path("types"), out));
    }

    private void printHeadline(PrintWriter out) {
        if (headline != null) {
            out.println(VisibleText.oneLine(headline));
        }
    }

    private void printCounts(JsonNode types, PrintWriter out) {
        printHeadline(out);
        TextTable table = new TextTable("KIND", "TYPE", "INSERTED", "UPDATED", "DELETED");
        for (JsonNode type : types) {
            table.row(
                    type.path("kind").asText(),
                    type.path("type_name").asText(),
                    type.path("inserted").asText(),
                    type.path("updated").asText(),
                    type.path("deleted").asText());
        }
        table.print(out, output.screen());
    }

    private static Answer whole(ObjectNode all, Function<@Nullable String, ObjectNode> pages) {
        JsonNode token = all.remove("next_page_token");
        while (token != null) {
            ObjectNode page = pages.apply(token.asText());
            page.path("changes").forEach(all.withArray("changes")::add);
            token = page.get("next_page_token");
        }
        return Answer.list("changes", all, (answer, out) -> {});
    }

    private void show(ObjectNode first, Function<@Nullable String, ObjectNode> pages, String none, Pager pager) {
        Screen screen = output.screen();
        PrintWriter out = pager.out();
        printHeadline(out);
        Map<String, Long> counts = new TreeMap<>();
        first.at("/schema_change/steps").forEach(step -> out.println(SchemaSteps.line(step)));
        if (first.path("schema_change").isObject()
                && first.at("/schema_change/steps").isEmpty()) {
            out.println("the schemas of the two states differ");
        }
        ObjectNode page = first;
        while (true) {
            for (JsonNode change : page.path("changes")) {
                EntityText.change(change, out, screen);
                counts.merge(change.path("op").asText(), 1L, Long::sum);
            }
            JsonNode token = page.get("next_page_token");
            if (pager.isUnread()) {
                return;
            }
            if (token == null) {
                break;
            }
            page = pages.apply(token.asText());
        }
        if (!counts.isEmpty()
                || first.path("schema_change").isNull()
                || first.path("schema_change").isMissingNode()) {
            out.println(summary(counts, none));
        }
    }

    private static String summary(Map<String, Long> counts, String none) {
        long all = counts.values().stream().mapToLong(Long::longValue).sum();
        return all == 0
                ? none
                : TextTable.counted(all, "change")
                        + ": +%d ~%d -%d"
                                .formatted(
                                        counts.getOrDefault("insert", 0L),
                                        counts.getOrDefault("update", 0L),
                                        counts.getOrDefault("delete", 0L));
    }
}
