package service.core.graph.branch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeCounts;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.MutationReceipts;
import service.core.graph.request.Receipts;
import service.core.graph.request.WriteKey;
import service.core.json.Json;
import service.core.port.GraphSession;

/**
 * Receipts of merges. That of a statement is a receipt of a mutation as well, with which its repetition is answered.
 *
 * @param deleteSource whether the merge deletes its source afterwards
 * @param statementBranch the branch of the request, if the merge is a statement of a mutation; else null
 */
record MergeReceipts(boolean deleteSource, @Nullable String statementBranch) implements Receipts<MergeResult> {
    private static final String DELETE = "delete";

    @Override
    public ObjectNode write(MergeResult result) {
        ObjectNode receipt = statementBranch == null
                ? Json.object()
                : MutationReceipts.ofStatement(statementBranch, BranchStatements.MERGE, BranchStatements.MERGED, null);
        return receipt.put(MutationReceipts.SOURCE, result.branches().source())
                .put(MutationReceipts.TARGET, result.branches().target())
                .put(MutationReceipts.OUTCOME, result.outcome().name())
                .put(MutationReceipts.NODES, result.counts().nodes())
                .put(MutationReceipts.EDGES, result.counts().edges())
                .put(DELETE, deleteSource);
    }

    @Override
    public MergeResult read(GraphSession session, WriteKey.First first) {
        JsonNode receipt = first.receipt();
        String source = receipt.path(MutationReceipts.SOURCE).asText();
        int nodes = receipt.path(MutationReceipts.NODES).asInt();
        int edges = receipt.path(MutationReceipts.EDGES).asInt();
        MergeResult result = new MergeResult(
                new MergeResult.Branches(
                        source, receipt.path(MutationReceipts.TARGET).asText()),
                MergeOutcome.valueOf(receipt.path(MutationReceipts.OUTCOME).asText()),
                first.actor(),
                first.commit(),
                new ChangeCounts(0, nodes, 0, 0, edges, 0),
                null,
                null,
                true);
        if (!receipt.path(DELETE).asBoolean()) {
            return result;
        }
        // The deletion is a later event than the one that remembers the merge.
        boolean gone = session.branch(source) == null;
        return result.deleted(gone ? null : "branch `" + source + "` exists");
    }
}
