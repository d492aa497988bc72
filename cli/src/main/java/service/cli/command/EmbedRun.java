package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.error.ServiceException;

/**
 * Embeds the texts of the entities of one type: finds their ids in pages, asks for the texts of a batch, has them
 * embedded, and writes the vectors with one mutation, each only where its text is still the same. What was written
 * stays when a later batch fails, and the same command continues from there.
 */
final class EmbedRun {
    /** Entities that it looks up at a time. */
    private static final int PAGE = 10_000;

    /** Bytes of the texts, or of the vectors, of one request: a server takes 1 MiB at the most, by default. */
    private static final int REQUEST_BYTES = 700_000;

    /** Bytes of a component of a vector as JSON, and of what stands around a text. */
    private static final int COMPONENT_BYTES = 14;

    private static final int FRAME_BYTES = 200;

    private final GraphClient graph;
    private final EmbeddedProperty property;
    private final @Nullable String branch;
    private final NoteOptions note;
    private final Progress progress;
    private final ObjectNode answer = JsonNodeFactory.instance.objectNode();
    private long selected;
    private long characters;
    private long written;
    private long tooLong;
    private long commits;

    EmbedRun(
            GraphClient graph,
            EmbeddedProperty property,
            @Nullable String branch,
            NoteOptions note,
            Progress progress) {
        this.graph = graph;
        this.property = property;
        this.branch = branch;
        this.note = note;
        this.progress = progress;
    }

    /** Which entities. */
    enum Selected {
        /** Those without a vector. */
        MISSING(" $e.%2$s is null"),
        /** Those whose text is newer than their vector. */
        STALE(" $e.%2$s is not null"),
        /** All with a text. */
        ALL("");

        private final String condition;

        Selected(String condition) {
            this.condition = condition;
        }
    }

    private record Text(String id, String text, int bytes) {}

    ObjectNode run(Selected which, int batch, boolean dryRun) {
        answer.put("property", property.type() + "." + property.vector());
        answer.put("branch", branch == null ? "main" : branch);
        try {
            String after = "";
            for (List<String> ids = ids(which, after); !ids.isEmpty(); ids = ids(which, after)) {
                after = ids.getLast();
                List<String> some = which == Selected.STALE
                        ? ids.stream().filter(this::isStale).toList()
                        : ids;
                for (int i = 0; i < some.size(); i += batch) {
                    embed(texts(some.subList(i, Math.min(some.size(), i + batch))), dryRun);
                }
            }
        } catch (CommandFailure | ServiceException refused) {
            CommandFailure failure = Failures.describe(refused);
            throw written == 0
                    ? failure
                    : new CommandFailure(
                            failure.exitCode(),
                            failure.getMessage() + "; " + written + " vectors are written",
                            failure.body());
        }
        answer.put("dry_run", dryRun);
        answer.put("selected", selected).put("characters", characters);
        return answer.put("written", written).put("too_long", tooLong).put("commits", commits);
    }

    /** The ids after one, in their order. */
    private List<String> ids(Selected which, String after) {
        ObjectNode body = body(("query ids($after: String) { match { %s  $e.%s is not null "
                        + which.condition.replace("%2$s", property.vector())
                        + "  $e.@id > $after } return { $e.@id as id } order { id } limit " + PAGE + " }")
                .formatted(property.binding(), property.text()));
        body.putObject("params").put("after", after);
        List<String> ids = new ArrayList<>();
        graph.query(body).path("rows").forEach(row -> ids.add(row.path("id").asText()));
        return ids;
    }

    /** Whether a later commit than that of the vector has set the text. */
    private boolean isStale(String id) {
        GraphClient.Cell cell = new GraphClient.Cell(property.edge() ? "edge" : "node", property.type(), id, "");
        Map<String, Long> set = new HashMap<>();
        for (JsonNode line : graph.past()
                .blame(new GraphClient.Target(branch, null, null), cell, false)
                .path("properties")) {
            // What cleanup has reclaimed is older than everything else.
            set.put(
                    line.path("name").asText(),
                    line.path("commit").path("log_offset").asLong(-1));
        }
        return set.getOrDefault(property.text(), -1L) > set.getOrDefault(property.vector(), -1L);
    }

    private List<Text> texts(List<String> ids) {
        ObjectNode body = body(
                "query texts($ids: [String]) { match { %s  $e.@id in $ids  $e.%s is not null } return { $e.@id as id, $e.%s as text } }"
                        .formatted(property.binding(), property.text(), property.text()));
        ArrayNode asked = body.putObject("params").putArray("ids");
        ids.forEach(asked::add);
        List<Text> texts = new ArrayList<>();
        for (JsonNode row : graph.query(body).path("rows")) {
            String text = row.path("text").asText();
            texts.add(new Text(row.path("id").asText(), text, jsonBytes(text)));
        }
        return texts;
    }

    private static int jsonBytes(String text) {
        return JsonNodeFactory.instance.textNode(text).toString().getBytes(StandardCharsets.UTF_8).length;
    }

    /** Embeds and writes texts, in as many requests as their bytes need. */
    private void embed(List<Text> texts, boolean dryRun) {
        int each = COMPONENT_BYTES * property.dimensions() + FRAME_BYTES;
        List<Text> now = new ArrayList<>();
        int bytes = 0;
        for (Text text : texts) {
            int more = text.bytes + each;
            if (more > REQUEST_BYTES) {
                tooLong++;
                continue;
            }
            if (bytes + more > REQUEST_BYTES) {
                send(now, dryRun);
                now.clear();
                bytes = 0;
            }
            now.add(text);
            bytes += more;
        }
        send(now, dryRun);
    }

    private void send(List<Text> texts, boolean dryRun) {
        if (texts.isEmpty()) {
            return;
        }
        selected += texts.size();
        texts.forEach(text -> characters += text.text.codePointCount(0, text.text.length()));
        if (!dryRun) {
            write(texts, vectors(texts));
        }
        progress.reached(selected);
    }

    private JsonNode vectors(List<Text> texts) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        texts.forEach(text -> body.withArray("texts").add(text.text));
        body.put("dimensions", property.dimensions());
        if (property.model() != null) {
            body.put("model", property.model());
        }
        ObjectNode given = graph.embed(body);
        answer.set("provider", given.get("provider"));
        answer.set("model", given.get("model"));
        return given.path("vectors");
    }

    private void write(List<Text> texts, JsonNode vectors) {
        StringBuilder declared = new StringBuilder();
        StringBuilder updates = new StringBuilder();
        ObjectNode params = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < texts.size(); i++) {
            declared.append(i == 0 ? "" : ", ")
                    .append("$i%d: String, $t%d: String, $v%d: Vector(%d)".formatted(i, i, i, property.dimensions()));
            updates.append("  update %s set { %s: $v%d } where @id = $i%d and %s = $t%d\n"
                    .formatted(property.type(), property.vector(), i, i, property.text(), i));
            params.put("i" + i, texts.get(i).id).put("t" + i, texts.get(i).text);
            params.set("v" + i, vectors.get(i));
        }
        ObjectNode body = body("query embed(" + declared + ") {\n" + updates + "}");
        body.set("params", params);
        note.addTo(body);
        ObjectNode result = graph.mutate(body, null, null);
        written += result.path("affected_nodes").asLong()
                + result.path("affected_edges").asLong();
        commits += result.path("commit").isObject() ? 1 : 0;
    }

    private ObjectNode body(String query) {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("query", query);
        return branch == null ? body : body.put("branch", branch);
    }
}
