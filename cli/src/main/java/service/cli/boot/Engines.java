package service.cli.boot;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.budget.ComputeShare;
import service.core.budget.MemoryPool;
import service.core.budget.ProcessBudget;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.gq.PlanCache;
import service.core.graph.GraphEngine;
import service.core.graph.request.CompilingLanguage;
import service.core.graph.request.Settings;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.log.spill.FileSpillSpace;
import service.projection.query.VectorExecutor;

/** Makes what all graphs of this process share, from the variables of its environment. */
public final class Engines {
    private static final String MEMORY = "SERVICE_MEMORY_BYTES";
    private static final String QUERY_MEMORY = "SERVICE_QUERY_MEMORY_MAX";
    private static final String SPILL = "SERVICE_SPILL_BYTES";
    private static final String SPILL_DIRECTORY = "SERVICE_SPILL_DIRECTORY";

    private static final long BYTES_MAX = 1L << 40;
    private static final long MEMORY_MIN = 16L << 20;
    private static final long QUERY_MEMORY_MIN = 1L << 20;
    private static final long QUERY_MEMORY_DEFAULT = 256L << 20;
    private static final long SPILL_MIN = 1L << 20;
    private static final long SPILL_DEFAULT = 16L << 30;

    /** The pool's share of the heap. The rest is for what no request is charged for, and for garbage. */
    private static final int HEAP_PERCENT = 60;

    /** The share of the pool that the cache of compiled queries takes for good, at the most. */
    private static final int PLANS_SHARE = 16;

    private static final long PLANS_BYTES_MAX = 16L << 20;

    private Engines() {}

    /**
     * The engine of this process.
     *
     * @throws StartRefusedException {@code limit_invalid} naming the variable whose value does not fit
     */
    public static GraphEngine ofEnvironment(Map<String, String> environment) {
        ProcessBudget process = process(environment);
        long plans = Math.min(PLANS_BYTES_MAX, process.memory().bytesMax() / PLANS_SHARE);
        if (!process.memory().tryReserveFree(plans)) {
            throw new IllegalStateException("an empty pool has room for its caches");
        }
        return new GraphEngine(
                new VectorExecutor(),
                new CompilingLanguage(new PlanCache(plans)),
                settings(environment),
                Limits.fromEnvironment(environment).getInt(Limit.BATCH_RECORDS_MAX),
                process);
    }

    private static ProcessBudget process(Map<String, String> environment) {
        long memory =
                bytes(environment, MEMORY, MEMORY_MIN, Runtime.getRuntime().maxMemory() / 100 * HEAP_PERCENT);
        return new ProcessBudget(
                new MemoryPool(memory),
                new ComputeShare(Runtime.getRuntime().availableProcessors()),
                bytes(environment, QUERY_MEMORY, QUERY_MEMORY_MIN, QUERY_MEMORY_DEFAULT),
                new FileSpillSpace(
                        Path.of(environment.getOrDefault(SPILL_DIRECTORY, System.getProperty("java.io.tmpdir"))),
                        bytes(environment, SPILL, SPILL_MIN, SPILL_DEFAULT)));
    }

    /** A default that does not fit is the operator's fault, not that of the requests that would meet it first. */
    private static Settings settings(Map<String, String> environment) {
        try {
            return Settings.ofEnvironment(environment);
        } catch (ServiceException refusal) {
            throw new StartRefusedException("limit_invalid", refusal.getMessage());
        }
    }

    private static long bytes(Map<String, String> environment, String variable, long min, long defaultValue) {
        String given = environment.get(variable);
        if (given == null) {
            return Math.max(min, defaultValue);
        }
        Long value = parsed(given);
        if (value == null || value < min || value > BYTES_MAX) {
            throw new StartRefusedException(
                    "limit_invalid",
                    "%s is `%s`; set it to a whole number of bytes from %d to %d, or unset it for %d"
                            .formatted(variable, given, min, BYTES_MAX, defaultValue));
        }
        return value;
    }

    private static @Nullable Long parsed(String text) {
        return text.matches("[0-9]{1,18}") ? Long.valueOf(text) : null;
    }
}
