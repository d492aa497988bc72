package service.http.metrics;

import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import service.core.budget.ProcessBudget;
import service.core.port.BlockGauges;
import service.core.port.CacheGauges;
import service.http.limit.Admission;
import service.http.limit.WaitingConsumers;

/**
 * What a scrape reads of a server beside its graphs.
 *
 * @param toolCallsRefused number of tool calls of MCP that were refused because too many were running
 * @param quarantined ids of the graphs that are not served, or not written any more
 * @param damaged ids of the served graphs with damaged data
 * @param caches by name
 * @param blocks the resident blocks
 */
public record ServerState(
        Admission admission,
        WaitingConsumers consumers,
        LongSupplier toolCallsRefused,
        ProcessBudget process,
        Supplier<Set<String>> quarantined,
        Supplier<Set<String>> damaged,
        Map<String, Supplier<CacheGauges>> caches,
        Supplier<BlockGauges> blocks) {}
