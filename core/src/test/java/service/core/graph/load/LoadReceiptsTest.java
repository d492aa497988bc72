package service.core.graph.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import service.core.event.Stamp;
import service.core.graph.request.WriteKey;
import service.core.json.Json;

/** The stored form of the receipts of loads, which logs have had since format 2. */
class LoadReceiptsTest {
    private static final String LOAD =
            "{\"branch\":\"b\",\"base_branch\":\"main\",\"branch_created\":true,\"mode\":\"MERGE\","
                    + "\"nodes\":[{\"A\":2},{\"B\":1}],\"edges\":[{\"E\":5}],\"edges_without_id\":4}";

    @Test
    void aLoadIsStoredAndReadAsBefore() {
        LoadResult read = LoadReceipts.read(
                new WriteKey.First(new Stamp(7, 0, "ada"), new byte[0], Json.read(LOAD, "the receipt"), null));
        assertThat(read)
                .isEqualTo(new LoadResult(
                        new LoadResult.Target("b", "main", true),
                        LoadMode.MERGE,
                        List.of(new LoadResult.TypeLoad("A", 2), new LoadResult.TypeLoad("B", 1)),
                        List.of(new LoadResult.TypeLoad("E", 5)),
                        4,
                        "ada",
                        null,
                        true));
        assertThat(LoadReceipts.INSTANCE.write(read)).hasToString(LOAD);
    }
}
