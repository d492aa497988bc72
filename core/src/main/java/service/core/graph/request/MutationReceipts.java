package service.core.graph.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeCounts;
import service.core.gq.UndoStatement;
import service.core.json.Json;
import service.core.port.GraphSession;

/**
 * Receipts of mutations. That of a branch statement has a {@code kind}; that of a {@code branch merge} is written by
 * the merge, with further fields ({@link #ofStatement}). Any thread.
 */
public final class MutationReceipts implements Receipts<MutationResult> {
    public static final MutationReceipts INSTANCE = new MutationReceipts();

    public static final String SOURCE = "source";
    public static final String TARGET = "target";
    public static final String OUTCOME = "outcome";
    public static final String NODES = "nodes";
    public static final String EDGES = "edges";
    private static final String BRANCH = "branch";
    private static final String QUERY = "query_name";
    private static final String KIND = "kind";
    private static final String NAME = "name";
    private static final String COLUMNS = "columns";
    private static final String ROWS = "rows";

    /** The rows with values of 64 bits as strings, where that differs. */
    private static final String ROWS_INT64 = "rows_int64";

    private MutationReceipts() {}

    @Override
    public ObjectNode write(MutationResult result) {
        return switch (result.effect()) {
            case null -> ofQuery(result);
            case BranchOperation operation ->
                ofStatement(result.branch(), result.queryName(), operation.kind(), operation.name());
            case AnsweredRows answer -> {
                ObjectNode receipt = ofQuery(result);
                answer.columns().forEach(receipt.putArray(COLUMNS)::add);
                receipt.put(ROWS, answer.numbers());
                yield answer.strings().equals(answer.numbers()) ? receipt : receipt.put(ROWS_INT64, answer.strings());
            }
        };
    }

    private static ObjectNode ofQuery(MutationResult result) {
        return Json.object().put(BRANCH, result.branch()).put(QUERY, result.queryName());
    }

    /** The rows that a mutation has answered; null where it answered none. */
    private static @Nullable AnsweredRows answer(JsonNode receipt) {
        String rows = receipt.path(ROWS).textValue();
        if (rows == null) {
            return null;
        }
        List<String> columns = new ArrayList<>();
        receipt.path(COLUMNS).forEach(column -> columns.add(column.asText()));
        return new AnsweredRows(
                List.copyOf(columns), rows, receipt.path(ROWS_INT64).asText(rows));
    }

    /** What the receipts of all branch statements say. */
    public static ObjectNode ofStatement(String branch, String query, String kind, @Nullable String name) {
        ObjectNode receipt = Json.object().put(BRANCH, branch).put(QUERY, query).put(KIND, kind);
        return name == null ? receipt : receipt.put(NAME, name);
    }

    @Override
    public MutationResult read(GraphSession session, WriteKey.First first) {
        JsonNode receipt = first.receipt();
        CommitRecord commit = first.commit();
        boolean statement = receipt.has(KIND);
        ChangeCounts counts = commit == null ? ChangeCounts.NONE : commit.counts();
        return new MutationResult(
                receipt.path(BRANCH).asText(),
                receipt.path(QUERY).asText(),
                statement ? receipt.path(NODES).asInt() : counts.nodes(),
                statement ? receipt.path(EDGES).asInt() : counts.edges(),
                first.actor(),
                commit,
                statement ? operation(receipt) : answer(receipt),
                true);
    }

    private static BranchOperation operation(JsonNode receipt) {
        String outcome = receipt.path(OUTCOME).textValue();
        return new BranchOperation(
                receipt.path(KIND).asText(),
                receipt.path(NAME).textValue(),
                receipt.path(SOURCE).textValue(),
                receipt.path(TARGET).textValue(),
                outcome == null ? null : MergeOutcome.valueOf(outcome),
                UndoStatement.ofDone(receipt.path(KIND).asText()) == null ? null : LeftOut.read(receipt));
    }
}
