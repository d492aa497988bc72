package service.core.graph.branch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.MutationReceipts;
import service.core.graph.request.Receipts;
import service.core.graph.request.WriteKey;
import service.core.port.GraphSession;
import service.core.value.EntityKind;

/**
 * Receipts of reverts, restores and picks: those of a merge, with what was left out. That of a statement is a receipt
 * of a mutation as well, with which its repetition is answered.
 *
 * @param statementBranch the branch of the request of a statement; else null
 * @param statement the words of the statement
 * @param done what the answer to the statement calls it
 */
record UndoReceipts(@Nullable String statementBranch, String statement, String done) implements Receipts<UndoResult> {
    private static final MergeReceipts MERGED = new MergeReceipts(false, null);
    private static final String LEFT_OUT = "left_out";
    private static final String KIND = "entity_kind";
    private static final String TYPE = "type";
    private static final String PROPERTY = "property";
    private static final String COUNT = "count";

    @Override
    public ObjectNode write(UndoResult result) {
        ObjectNode receipt = MERGED.write(result.merged());
        if (statementBranch != null) {
            receipt.setAll(MutationReceipts.ofStatement(statementBranch, statement, done, null));
        }
        if (!result.leftOut().isEmpty()) {
            ArrayNode all = receipt.putArray(LEFT_OUT);
            for (UndoResult.LeftOut each : result.leftOut()) {
                all.addObject()
                        .put(KIND, each.kind().wireName())
                        .put(TYPE, each.typeName())
                        .put(PROPERTY, each.property())
                        .put(COUNT, each.count());
            }
        }
        return receipt;
    }

    @Override
    public UndoResult read(GraphSession session, WriteKey.First first) {
        List<UndoResult.LeftOut> leftOut = new ArrayList<>();
        for (JsonNode each : first.receipt().path(LEFT_OUT)) {
            boolean node = each.path(KIND).asText().equals(EntityKind.NODE.wireName());
            leftOut.add(new UndoResult.LeftOut(
                    node ? EntityKind.NODE : EntityKind.EDGE,
                    each.path(TYPE).asText(),
                    each.path(PROPERTY).textValue(),
                    each.path(COUNT).asLong()));
        }
        return new UndoResult(MERGED.read(session, first), leftOut);
    }
}
