package service.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A consumer of the topics, written from the documentation alone: the entities that they hold, in the form in which
 * those of an export are shown, too.
 */
final class Replay {
    /**
     * A record as a consumer sees it, in the JSON of Connect's converter without schemas.
     *
     * @param value null of a tombstone
     */
    record Seen(String topic, JsonNode key, JsonNode value) {}

    private final List<JsonNode> schemas = new ArrayList<>();
    private final Map<String, Map<String, JsonNode>> rows = new TreeMap<>();
    private final Map<String, Integer> applied = new HashMap<>();

    /** How often each change of a commit was seen, by commit and order. */
    private final Map<String, Map<Long, Integer>> orders = new TreeMap<>();

    /** @param records in the order of each topic */
    Replay(List<Seen> records) {
        records.stream()
                .filter(Replay::isSchema)
                .map(Seen::value)
                .filter(value -> value.path("op").asText().equals("u"))
                .forEach(schemas::add);
        records.stream().filter(record -> !isSchema(record)).forEach(this::take);
        rows.keySet().forEach(type -> alter(type, Long.MAX_VALUE));
    }

    private static boolean isSchema(Seen record) {
        return record.topic().endsWith(".schema");
    }

    private static String typeOf(Seen record) {
        return record.key().has("type")
                ? record.key().path("type").asText()
                : record.topic().substring(record.topic().lastIndexOf('.') + 1);
    }

    private void take(Seen record) {
        String type = typeOf(record);
        String id = record.key().path("id").asText();
        Map<String, JsonNode> ofType = rows.computeIfAbsent(type, name -> new TreeMap<>());
        JsonNode value = record.value();
        if (value == null) {
            assertThat(ofType).as("a tombstone follows a delete").doesNotContainKey(id);
            return;
        }
        alter(type, value.at("/source/log_offset").asLong());
        String op = value.path("op").asText();
        if (value.path("transaction").isObject()) {
            orders.computeIfAbsent(value.at("/transaction/id").asText(), commit -> new TreeMap<>())
                    .merge(value.at("/transaction/total_order").asLong(), 1, Integer::sum);
        }
        switch (op) {
            case "t" -> ofType.clear();
            case "d" -> ofType.remove(id);
            case "c", "u" -> ofType.put(id, value.path("after"));
            case "r" ->
                assertThat(ofType.put(id, value.path("after")))
                        .as("a baseline has an entity once, and begins with nothing")
                        .isNull();
            default -> throw new AssertionError(op);
        }
    }

    /** Renames the properties of the rows that are older than a change of the schema. */
    private void alter(String type, long before) {
        int done = applied.getOrDefault(type, 0);
        while (done < schemas.size()
                && schemas.get(done).at("/source/log_offset").asLong() < before) {
            for (JsonNode step :
                    GraphServer.json(schemas.get(done).path("steps").asText())) {
                if (step.path("step").asText().equals("rename_property")
                        && step.path("type_name").asText().equals(type)) {
                    rows.get(type).replaceAll((id, row) -> renamed(row, step));
                }
            }
            done++;
            applied.put(type, done);
        }
    }

    private static JsonNode renamed(JsonNode row, JsonNode step) {
        ObjectNode copy = row.deepCopy();
        JsonNode value = copy.remove(step.path("from").asText());
        if (value != null) {
            copy.set(step.path("property").asText(), value);
        }
        return copy;
    }

    /** How often each change was seen, by commit and order within it. */
    Map<String, Map<Long, Integer>> orders() {
        return orders;
    }

    /** The entities, by type and id. */
    Map<String, Map<String, String>> entities(JsonNode catalog) {
        Map<String, Map<String, String>> entities = new TreeMap<>();
        rows.forEach((type, byId) -> byId.forEach((id, row) -> {
            Map<String, String> shown = new TreeMap<>();
            for (String own : List.of("id", "src", "src_type", "dst", "dst_type")) {
                if (row.has(own)) {
                    shown.put(own, row.path(own).asText());
                }
            }
            properties(catalog, type)
                    .forEach((name, of) -> put(shown, name, row.path(name), value -> ofRecord(of, value)));
            entities.put(type + " " + id, shown);
        }));
        return entities;
    }

    /** The entities of an export, by type and id. */
    static Map<String, Map<String, String>> exported(List<JsonNode> lines, JsonNode catalog) {
        Map<String, Map<String, String>> entities = new TreeMap<>();
        for (JsonNode line : lines) {
            Map<String, String> shown = new TreeMap<>();
            String type = line.path(line.has("edge") ? "edge" : "type").asText();
            JsonNode data = line.path("data");
            shown.put("id", data.path("id").asText());
            if (line.has("edge")) {
                end(shown, "src", line.path("from"), type(catalog, type).path("from"));
                end(shown, "dst", line.path("to"), type(catalog, type).path("to"));
            }
            properties(catalog, type)
                    .forEach((name, of) -> put(shown, name, data.path(name), value -> ofExport(of, value)));
            entities.put(type + " " + data.path("id").asText(), shown);
        }
        return entities;
    }

    private static void end(Map<String, String> shown, String name, JsonNode end, JsonNode declared) {
        shown.put(name, end.isObject() ? end.path("id").asText() : end.asText());
        shown.put(
                name + "_type",
                end.isObject()
                        ? end.path("type").asText()
                        : declared.path("types").path(0).asText());
    }

    private static void put(Map<String, String> shown, String name, JsonNode value, Function<JsonNode, String> text) {
        if (value.isArray()) {
            shown.put(
                    name,
                    StreamSupport.stream(value.spliterator(), false)
                            .map(text)
                            .collect(Collectors.toList())
                            .toString());
        } else if (!value.isMissingNode() && !value.isNull()) {
            shown.put(name, text.apply(value));
        }
    }

    private static JsonNode type(JsonNode catalog, String name) {
        for (String kind : List.of("nodes", "edges")) {
            for (JsonNode type : catalog.path(kind)) {
                if (type.path("name").asText().equals(name)) {
                    return type;
                }
            }
        }
        throw new AssertionError(name);
    }

    /** The scalar type of each property. */
    private static Map<String, String> properties(JsonNode catalog, String type) {
        Map<String, String> properties = new TreeMap<>();
        for (JsonNode property : type(catalog, type).path("properties")) {
            String of = property.path("type").asText();
            properties.put(
                    property.path("name").asText(),
                    of.startsWith("Vector") ? "F32" : of.startsWith("[") ? of.substring(1, of.length() - 1) : of);
        }
        return properties;
    }

    private static String ofRecord(String type, JsonNode value) {
        return switch (type) {
            case "Date" -> LocalDate.ofEpochDay(value.asLong()).toString();
            case "DateTime" -> Instant.ofEpochMilli(value.asLong()).toString();
            case "Blob" ->
                value.path("uri").isTextual()
                        ? value.path("uri").asText()
                        : value.path("size").asText() + " "
                                + value.path("sha256").asText();
            default -> same(type, value);
        };
    }

    private static String ofExport(String type, JsonNode value) {
        return switch (type) {
            case "DateTime" -> Instant.parse(value.asText()).toString();
            case "Blob" -> blob(value.asText());
            default -> same(type, value);
        };
    }

    private static String same(String type, JsonNode value) {
        return switch (type) {
            case "F32" -> Float.toString(Float.parseFloat(value.asText()));
            case "F64" -> Double.toString(Double.parseDouble(value.asText()));
            default -> value.asText();
        };
    }

    private static String blob(String text) {
        if (!text.startsWith("base64:")) {
            return text;
        }
        byte[] bytes = Base64.getDecoder().decode(text.substring("base64:".length()));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return bytes.length + " " + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Asserts that no change was seen twice and that each commit is whole. */
    void requireOnce(GraphServer server) {
        orders.forEach((commit, seen) -> {
            assertThat(new TreeSet<>(seen.values())).as("commit %s", commit).containsExactly(1);
            long changes = 0;
            for (JsonNode count : server.get("commits/" + commit).path("changes")) {
                changes += count.asLong();
            }
            assertThat((long) seen.size()).as("commit %s", commit).isEqualTo(changes);
        });
    }
}
