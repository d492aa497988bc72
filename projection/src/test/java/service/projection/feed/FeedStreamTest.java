package service.projection.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.graph.GraphAccess;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedRequest;
import service.core.graph.feed.FeedStream;
import service.core.graph.feed.SharedPage;
import service.core.graph.request.Settings;
import service.core.json.Int64Form;
import service.core.port.Branch;
import service.core.testkit.SmallGraph;
import service.core.wire.EventStreamWriter;
import service.projection.TestEngine;
import service.projection.TestGraph;
import service.projection.storage.LmdbGraphStorage;

class FeedStreamTest {
    private static final String BRANCH = "work";

    @TempDir
    Path temporary;

    @Test
    void endsWhenItsBranchWasMadeAgainMeanwhile() {
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(temporary.resolve("g"), TestGraph.options(), SmallGraph.SCHEMA, "tester")) {
            GraphAccess graph = TestEngine.graph(storage);
            graph.createBranch(BRANCH, Branch.MAIN, null).join();
            FeedStream stream = graph.changeStream(
                    new FeedRequest(BRANCH, null, "now", null, ChangeSelection.ALL, Settings.DEFAULTS),
                    new EventStreamWriter(graph.caller(), TestEngine.ample(), Int64Form.NUMBER));
            SharedPage first = stream.next();
            first.leave();
            assertThat(first.isAtCut()).isTrue();
            graph.deleteBranch(BRANCH, null).join();
            graph.createBranch(BRANCH, Branch.MAIN, null).join();
            assertThatThrownBy(stream::next).hasMessageContaining("branch `" + BRANCH + "` was deleted");
        }
    }
}
