package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.CommitLog;

/**
 * Loads records as many commits, one after the other or several at a time. Batches loaded before a failure stay; the
 * failure's message names the record to continue with.
 *
 * <p>Answers are taken in the order of the input. A batch that was refused beside earlier ones may have needed them: it
 * is sent again when they are done, and only that refusal counts.
 */
final class BatchedLoad {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern LINE = Pattern.compile("line ([0-9]{1,9}): (.*)", Pattern.DOTALL);

    /** The sums of an answer. */
    private static final List<String> COUNTS =
            List.of("inserted", "updated", "deleted", "unchanged", "edges_without_id");

    private final GraphClient graph;
    private final LoadProgress progress;
    private final int atOnce;

    /** Batches that were sent and whose answers were not taken yet, in the order of the input. */
    private final ArrayDeque<Sent> sent = new ArrayDeque<>();

    private final Map<String, Long> nodes = new TreeMap<>();
    private final Map<String, Long> edges = new TreeMap<>();
    private final Map<String, Long> counts = new TreeMap<>();
    private final ObjectNode answer = JSON.createObjectNode();
    private long loaded;
    private int batches;
    private int commits;
    private @Nullable JsonNode lastCommit;

    /** @param atOnce how many batches may be sent before the first of them is answered */
    BatchedLoad(GraphClient graph, LoadProgress progress, int atOnce) {
        this.graph = graph;
        this.progress = progress;
        this.atOnce = atOnce;
    }

    /**
     * A batch that was sent.
     *
     * @param alone whether no earlier batch was without an answer
     */
    private record Sent(RecordBatches.Batch batch, CompletableFuture<ObjectNode> answer, boolean alone) {}

    /**
     * Loads everything.
     *
     * @param terms of every batch; the batches' keys are made of its key and of the number of their first record
     * @param firstRecord the record to begin with, from 1
     * @return an answer like that of one load, with sums, the last commit, and how many there were
     */
    ObjectNode run(GraphClient.LoadTerms terms, InputStream input, int recordsMax, long firstRecord)
            throws IOException {
        RecordBatches records = new RecordBatches(input, recordsMax);
        long passed = records.skip(firstRecord - 1);
        if (passed < firstRecord - 1) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "the input ends before record %d, the --first-record: it has %d; nothing was loaded"
                            .formatted(firstRecord, passed));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(atOnce)) {
            RecordBatches.Batch batch = records.next();
            do {
                send(threads, terms, batch);
                batch = records.next();
                // The first batch may have to make the branch.
                while (!sent.isEmpty() && (sent.size() == atOnce || batches == 0)) {
                    settle(terms, records);
                }
            } while (batch.records() > 0);
            while (!sent.isEmpty()) {
                settle(terms, records);
            }
        } catch (IOException unread) {
            while (!sent.isEmpty()) {
                settle(terms, records);
            }
            long next = firstRecord + loaded;
            throw loaded == 0
                    ? unread
                    : new IOException(
                            "%s; everything before record %d is loaded: continue with --first-record %d"
                                    .formatted(unread.getMessage(), next, next),
                            unread);
        } finally {
            progress.end();
        }
        return answer();
    }

    private void send(ExecutorService threads, GraphClient.LoadTerms terms, RecordBatches.Batch batch) {
        sent.addLast(new Sent(batch, CompletableFuture.supplyAsync(() -> load(terms, batch), threads), sent.isEmpty()));
    }

    /** Takes the answer of the first batch without one; no earlier batch is without an answer then. */
    private void settle(GraphClient.LoadTerms terms, RecordBatches records) {
        Sent first = sent.removeFirst();
        RecordBatches.Batch batch = first.batch;
        ObjectNode result;
        try {
            result = answer(terms, first);
        } catch (CommandFailure failure) {
            throw new CommandFailure(failure.exitCode(), located(failure.getMessage(), batch), failure.body());
        } catch (ServiceException refusal) {
            throw new ServiceException(refusal.code(), located(refusal.getMessage(), batch), refusal.detail(), refusal);
        }
        add(result);
        loaded += batch.records();
        progress.show(loaded, records.bytes());
    }

    /** Waits for the answer of a batch, and loads it again where it was refused beside earlier ones. */
    private ObjectNode answer(GraphClient.LoadTerms terms, Sent to) {
        try {
            return CommitLog.await(to.answer);
        } catch (CommandFailure | ServiceException refusal) {
            if (!to.alone && mayNeedEarlier(refusal)) {
                return load(terms, to.batch);
            }
            throw refusal;
        }
    }

    /** Whether the answer may be another one when more of the input is loaded. */
    private static boolean mayNeedEarlier(RuntimeException refusal) {
        ObjectNode body = Failures.describe(refusal).body();
        String code = body == null ? "" : body.path("code").asText();
        return code.equals(ErrorCode.BAD_REQUEST.wireName()) || code.equals(ErrorCode.CONFLICT.wireName());
    }

    private ObjectNode load(GraphClient.LoadTerms terms, RecordBatches.Batch batch) {
        String key = terms.key() == null ? null : terms.key() + "." + batch.firstRecord();
        return graph.load(
                new GraphClient.LoadTerms(terms.branch(), terms.from(), terms.mode(), key, terms.note()),
                GraphClient.Records.of(batch.ndjson()));
    }

    private void add(ObjectNode result) {
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

    /** The message with the input's line numbers, what is loaded, and the option that continues the load. */
    private String located(String message, RecordBatches.Batch batch) {
        Matcher line = LINE.matcher(message);
        StringBuilder located = new StringBuilder(
                line.matches()
                        ? "line " + (Long.parseLong(line.group(1)) + batch.linesBefore()) + ": " + line.group(2)
                        : message);
        String later = loadedLater();
        long first = batch.firstRecord();
        if (first > 1) {
            located.append("; everything before record ").append(first).append(" is loaded");
        }
        if (!later.isEmpty()) {
            located.append(first > 1 ? ", and so are " : "; loaded are ")
                    .append(later)
                    .append(": load the others by themselves");
        } else if (first > 1) {
            located.append(": continue with --first-record ").append(first);
        }
        return located.toString();
    }

    /** The records of the batches after a refused one that were loaded beside it; waits for those. */
    private String loadedLater() {
        StringJoiner ranges = new StringJoiner(" and ");
        for (Sent later : sent) {
            try {
                var unused = CommitLog.await(later.answer);
            } catch (CommandFailure | ServiceException refused) {
                continue;
            }
            long first = later.batch.firstRecord();
            ranges.add("records " + first + " to " + (first + later.batch.records() - 1));
        }
        return ranges.toString();
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
