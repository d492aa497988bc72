package service.cli.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.graph.Graph;
import service.core.policy.Caller;
import service.core.port.GraphPlace;
import service.core.port.GraphRules;
import service.core.port.RootAddress.Bucket;
import service.core.schema.SchemaCompiler;
import service.log.object.DirectoryObjectStore;
import service.projection.storage.LmdbGraphStorage;

/** How the settings of a bucket reach a graph. */
final class GraphInBucketTest {
    private static final Duration LINGER = Duration.ofMillis(200);

    @TempDir
    Path directory;

    @Test
    void aGroupWaitsForOthersAsLongAsTheSettingSays() {
        ServiceConfig config = ServiceConfig.of(Map.of(
                "SERVICE_S3_LINGER_MS",
                String.valueOf(LINGER.toMillis()),
                "SERVICE_CACHE_DIR",
                directory.resolve("cache").toString()));
        DirectoryObjectStore store = new DirectoryObjectStore(directory.resolve("store"));
        GraphInBucket home = new GraphInBucket(
                new GraphPlace.InBucket(new Bucket("bucket", "root"), "g"), store, () -> {}, config.bucket());
        home.create(SchemaCompiler.compile("node N { k: String @key }"), "tester");
        try (LmdbGraphStorage storage = home.open(PlacedGraph.OPTIONS)) {
            Graph graph = new Graph(
                    "g", storage, List.of(), GraphRules.NONE, Engine.of(config).graphs());
            long start = System.nanoTime();
            graph.as(Caller.unrestricted("a")).createBranch("one", "main", null).join();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(LINGER);
        }
    }
}
