package service.core.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.budget.TestBudgets;
import service.core.gq.PlanCache;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.json.ByteChunks;
import service.core.json.Json;
import service.core.testkit.MemoryStorage;
import service.core.wire.QueryResponse;

/** Runs statements and settings through the real compiler. */
class StatementTest {
    private final MemoryStorage storage = new MemoryStorage(TestGraph.catalog());
    private final PlanCache plans = new PlanCache(1 << 20);
    private final GraphAccess graph = TestGraph.graph(storage, new TestGraph.SelectOnly(), plans);

    @AfterEach
    void close() {
        storage.close();
    }

    private static ObjectNode object(String json) {
        return Json.readObject(json.getBytes(StandardCharsets.UTF_8), "the settings");
    }

    private ObjectNode query(String source, Settings settings) throws IOException {
        QueryResponse response = new QueryResponse(true);
        graph.query(ReadTarget.MAIN, source, null, null, settings, TestBudgets.ample(), response);
        byte[] bytes = ByteChunks.join(response.pieces());
        assertThat((long) bytes.length).isEqualTo(response.size());
        return Json.readObject(bytes, "the response");
    }

    @Test
    void showsBranches() throws IOException {
        graph.createBranch("review/a", "main", null).join();
        ObjectNode list = query("branch list;", Settings.DEFAULTS);
        assertThat(list.propertyStream().map(Map.Entry::getKey))
                .containsExactly("query_name", "target", "graph_commit_id", "columns", "row_count", "rows");
        assertThat(list.get("row_count").intValue()).isEqualTo(2);
        assertThat(list.get("rows").get(1).get("parent_branch").textValue()).isEqualTo("main");
        assertThat(list.get("rows").get(0).get("parent_branch").isNull()).isTrue();
        assertThat(query("branch show review/a", Settings.DEFAULTS)
                        .get("rows")
                        .get(0)
                        .get("created_by")
                        .textValue())
                .isEqualTo("ada");
        assertThatThrownBy(() -> query("branch show reviw/a", Settings.DEFAULTS))
                .hasMessageContaining("did you mean");
        assertThatThrownBy(() -> query("branch create x", Settings.DEFAULTS)).hasMessageContaining("/mutate");
    }

    @Test
    void theFileWinsOverTheRequestAndTheRequestOverTheProcess() throws IOException {
        Settings process = Settings.ofEnvironment(Map.of("SERVICE_TIMEOUT_MS", "5000"));
        Settings request = process.withRequest(object("{\"timeout_ms\":100,\"row_limit\":7}"));
        ObjectNode shown = query("set timeout_ms = 200; show all;", request);
        assertThat(shown.get("rows").get(0).toString())
                .isEqualTo(
                        "{\"name\":\"timeout_ms\",\"value\":\"200\",\"default\":\"30000\",\"source\":\"file\",\"scope\":\"request\"}");
        assertThat(shown.get("rows").get(2).toString()).contains("\"7\"", "\"request\"");
        assertThat(query("reset all; show timeout_ms", request)
                        .get("rows")
                        .get(0)
                        .toString())
                .contains("\"5000\"", "\"env\"");
        assertThat(request.timeoutMillis()).isEqualTo(100);
        assertThatThrownBy(() -> query("set timeout_ms = \"5\"; show all;", request))
                .hasMessageStartingWith("setting `timeout_ms` cannot be \"5\"; timeout_ms: 1..300000");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"timeout_ms\":0}|1..300000, default 30000",
                "{\"timeout_ms\":\"1\"}|1..300000",
                "{\"timeout_ms\":1.5}|1..300000",
                "{\"timeout_ms\":40000}|cannot be raised above",
                "{\"timeout_m\":1}|did you mean `timeout_ms`",
                "{\"merge_granularity\":\"row\"}|entity, property",
                "{\"commit_group_micros\":1}|belongs to the process"
            })
    void refusesWithTheSettingsRow(String settings, String message) {
        assertThatThrownBy(() -> Settings.DEFAULTS.withRequest(object(settings)))
                .hasMessageContaining(message);
    }

    @Test
    void aVariableThatDoesNotFitIsNamed() {
        assertThatThrownBy(() -> Settings.ofEnvironment(Map.of("SERVICE_ROW_LIMIT", "many")))
                .hasMessage(
                        "SERVICE_ROW_LIMIT is `many`; set it to a whole number from 1 to 10000000, or unset it for 1000000");
        assertThatThrownBy(() -> Settings.ofEnvironment(Map.of("SERVICE_MERGE_GRANULARITY", "row")))
                .hasMessage("SERVICE_MERGE_GRANULARITY is `row`; set it to entity or property, or unset it for entity");
    }
}
