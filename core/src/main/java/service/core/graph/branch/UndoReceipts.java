package service.core.graph.branch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.LeftOut;
import service.core.graph.request.MutationReceipts;
import service.core.graph.request.Receipts;
import service.core.graph.request.WriteKey;
import service.core.port.GraphSession;

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

    @Override
    public ObjectNode write(UndoResult result) {
        ObjectNode receipt = MERGED.write(result.merged());
        if (statementBranch != null) {
            receipt.setAll(MutationReceipts.ofStatement(statementBranch, statement, done, null));
        }
        LeftOut.write(result.leftOut(), receipt);
        return receipt;
    }

    @Override
    public UndoResult read(GraphSession session, WriteKey.First first) {
        return new UndoResult(MERGED.read(session, first), LeftOut.read(first.receipt()));
    }
}
