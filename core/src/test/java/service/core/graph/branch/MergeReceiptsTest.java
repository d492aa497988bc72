package service.core.graph.branch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import service.core.event.ChangeCounts;
import service.core.event.Stamp;
import service.core.graph.TestGraph;
import service.core.graph.request.BranchOperation;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.MutationReceipts;
import service.core.graph.request.MutationResult;
import service.core.graph.request.WriteKey;
import service.core.json.Json;
import service.core.port.GraphSession;

/** The stored form of the receipts of mutations, branch statements and merges, which logs have had since format 2. */
class MergeReceiptsTest {
    private static final String MERGE =
            "{\"source\":\"s\",\"target\":\"main\",\"outcome\":\"MERGED\",\"nodes\":3,\"edges\":1,\"delete\":true}";
    private static final String STATEMENT =
            "{\"branch\":\"b\",\"query_name\":\"branch merge\",\"kind\":\"merged\",\"source\":\"s\",\"target\":\"main\","
                    + "\"outcome\":\"ALREADY_UP_TO_DATE\",\"nodes\":0,\"edges\":0,\"delete\":false}";
    private static final String CREATED =
            "{\"branch\":\"b\",\"query_name\":\"branch create\",\"kind\":\"created\",\"name\":\"n\"}";
    private static final String MUTATION = "{\"branch\":\"b\",\"query_name\":\"q\"}";

    private final TestGraph test = new TestGraph();

    @AfterEach
    void close() {
        test.close();
    }

    private static WriteKey.First first(String receipt) {
        JsonNode read = Json.read(receipt, "the receipt");
        return new WriteKey.First(new Stamp(7, 0, "ada"), new byte[0], read, null);
    }

    private MutationResult mutation(String receipt) {
        try (GraphSession session = test.storage.session()) {
            return MutationReceipts.INSTANCE.read(session, first(receipt));
        }
    }

    @Test
    void aMergeIsStoredAndReadAsBefore() {
        MergeReceipts receipts = new MergeReceipts(true, null);
        MergeResult result = new MergeResult(
                new MergeResult.Branches("s", "main"),
                MergeOutcome.MERGED,
                "ada",
                null,
                new ChangeCounts(1, 2, 0, 0, 1, 0),
                null,
                null,
                false);
        assertThat(receipts.write(result)).hasToString(MERGE);
        try (GraphSession session = test.storage.session()) {
            MergeResult read = receipts.read(session, first(MERGE));
            assertThat(read.branches()).isEqualTo(result.branches());
            assertThat(read.counts().nodes()).isEqualTo(3);
            assertThat(read.counts().edges()).isEqualTo(1);
            assertThat(read.deletion()).isEqualTo(new MergeResult.SourceDeletion(null));
            assertThat(read.replayed()).isTrue();
        }
    }

    @Test
    void aStatementIsStoredAndReadAsBefore() {
        MergeResult merged = new MergeResult(
                new MergeResult.Branches("s", "main"),
                MergeOutcome.ALREADY_UP_TO_DATE,
                null,
                null,
                ChangeCounts.NONE,
                null,
                null,
                false);
        assertThat(new MergeReceipts(false, "b").write(merged)).hasToString(STATEMENT);
        assertThat(mutation(STATEMENT).operation())
                .isEqualTo(new BranchOperation("merged", null, "s", "main", MergeOutcome.ALREADY_UP_TO_DATE));
        MutationResult created = mutation(CREATED);
        assertThat(created)
                .isEqualTo(new MutationResult("b", "branch create", 0, 0, "ada", null, created.operation(), true));
        assertThat(created.operation()).isEqualTo(new BranchOperation("created", "n", null, null, null));
        assertThat(MutationReceipts.INSTANCE.write(created)).hasToString(CREATED);
    }

    @Test
    void aMutationIsStoredAndReadAsBefore() {
        MutationResult read = mutation(MUTATION);
        assertThat(read).isEqualTo(new MutationResult("b", "q", 0, 0, "ada", null, null, true));
        assertThat(MutationReceipts.INSTANCE.write(read)).hasToString(MUTATION);
    }
}
