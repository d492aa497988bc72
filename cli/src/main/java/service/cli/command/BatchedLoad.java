package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.error.ServiceException;

/**
 * Loads records as many commits, one after the other. Batches loaded before a failure stay; the failure's message names
 * the record to continue with.
 */
final class BatchedLoad {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern LINE = Pattern.compile("line ([0-9]{1,9}): (.*)", Pattern.DOTALL);

    /** The sums of an answer. */
    private static final List<String> COUNTS =
            List.of("inserted", "updated", "deleted", "unchanged", "edges_without_id");

    private final GraphClient graph;
    private final LoadProgress progress;
    private final Map<String, Long> nodes = new TreeMap<>();
    private final Map<String, Long> edges = new TreeMap<>();
    private final Map<String, Long> counts = new TreeMap<>();
    private final ObjectNode answer = JSON.createObjectNode();
    private int batches;
    private int commits;
    private @Nullable JsonNode lastCommit;

    BatchedLoad(GraphClient graph, LoadProgress progress) {
        this.graph = graph;
        this.progress = progress;
    }

    /**
     * The parameters of every batch.
     *
     * @param key the batches' keys are made of it and of the number of their first record
     */
    record Terms(
            @Nullable String branch,
            @Nullable String from,
            String mode,
            @Nullable String key) {}

    /**
     * Loads everything.
     *
     * @param firstRecord the record to begin with, from 1
     * @return an answer like that of one load, with sums, the last commit, and how many there were
     */
    ObjectNode run(Terms terms, InputStream input, int recordsMax, long firstRecord) throws IOException {
        RecordBatches records = new RecordBatches(input, recordsMax);
        records.skip(firstRecord - 1);
        long loaded = 0;
        try {
            RecordBatches.Batch batch = records.next();
            do {
                load(terms, batch);
                loaded += batch.records();
                progress.show(loaded, records.bytes());
                batch = records.next();
            } while (batch.records() > 0);
        } finally {
            progress.end();
        }
        return answer();
    }

    private void load(Terms terms, RecordBatches.Batch batch) {
        String key = terms.key() == null ? null : terms.key() + "." + batch.firstRecord();
        ObjectNode result;
        try {
            result =
                    graph.load(terms.branch(), terms.from(), terms.mode(), key, GraphClient.Records.of(batch.ndjson()));
        } catch (CommandFailure failure) {
            throw new CommandFailure(failure.exitCode(), located(failure.getMessage(), batch), failure.body());
        } catch (ServiceException refusal) {
            throw new ServiceException(refusal.code(), located(refusal.getMessage(), batch), refusal.detail(), refusal);
        }
        if (batches++ == 0) {
            answer.set("branch", result.get("branch"));
            if (result.has("base_branch")) {
                answer.set("base_branch", result.get("base_branch"));
            }
            answer.set("branch_created", result.get("branch_created"));
            answer.set("mode", result.get("mode"));
        }
        add(result.path("nodes"), nodes);
        add(result.path("edges"), edges);
        COUNTS.forEach(count -> counts.merge(count, result.path(count).asLong(), Long::sum));
        answer.set("actor_id", result.get("actor_id"));
        if (result.path("commit").isObject()) {
            commits++;
            lastCommit = result.get("commit");
        }
    }

    /** The message with the input's line numbers and the option that continues the load. */
    private static String located(String message, RecordBatches.Batch batch) {
        Matcher line = LINE.matcher(message);
        String mended = line.matches()
                ? "line " + (Long.parseLong(line.group(1)) + batch.linesBefore()) + ": " + line.group(2)
                : message;
        return mended
                + (batch.firstRecord() == 1
                        ? ""
                        : "; everything before record %d is loaded: continue with --first-record %d"
                                .formatted(batch.firstRecord(), batch.firstRecord()));
    }

    private static void add(JsonNode loads, Map<String, Long> sums) {
        loads.forEach(load -> sums.merge(
                load.path("name").asText(), load.path("entities_loaded").asLong(), Long::sum));
    }

    private ObjectNode answer() {
        long total = write(nodes, answer.putArray("nodes")) + write(edges, answer.putArray("edges"));
        answer.put("total_entities", total);
        COUNTS.forEach(count -> answer.put(count, counts.getOrDefault(count, 0L)));
        answer.put("batches", batches).put("commits", commits);
        answer.set("commit", lastCommit == null ? JSON.nullNode() : lastCommit);
        return answer;
    }

    private static long write(Map<String, Long> sums, ArrayNode into) {
        sums.forEach((name, sum) -> into.addObject().put("name", name).put("entities_loaded", sum));
        return sums.values().stream().mapToLong(Long::longValue).sum();
    }
}
