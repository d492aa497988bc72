package service.http.metrics;

import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.port.SearchGauges;
import service.core.port.StorageGauges;

/**
 * A graph whose state is read at every scrape.
 *
 * @param storage reads the state of its storage; returns null while the graph is not open
 * @param feedLag commits that consumers of its feed still have to read, by branch
 * @param search the numbers of its search indexes
 */
public record ServedGraph(
        Supplier<@Nullable StorageGauges> storage,
        Supplier<Map<String, Long>> feedLag,
        Supplier<SearchGauges> search) {}
