package service.cli.embed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.port.Embedder;
import service.core.port.EmbeddingSource;
import service.core.port.QueryExecutor;

/**
 * The calls of all graphs of a process to their providers of embeddings: at most {@link #CALLS_MAX} at a time, and at
 * most {@link #WAITING_MAX} more that wait, because each keeps a request at work; a bounded cache by provider, model
 * and text answers before.
 *
 * <p>Thread rule: any thread. A call blocks its thread, without a turn to compute, and looks every 20 ms whether its
 * request must end.
 */
public final class EmbeddingCalls implements Embedder.Maker {
    static final int CALLS_MAX = 8;
    static final int WAITING_MAX = 32;
    private static final long CACHE_BYTES_MAX = 8L << 20;
    private static final int ENTRY_BYTES = 160;
    private static final long LOOK_MILLIS = 20;

    /** How a call of a provider has ended. */
    public enum Outcome {
        OK,
        /** The cache had every vector. */
        CACHED,
        /** An answer that is none: another status, not the vectors, or no connection. */
        FAILED,
        TIMEOUT,
        /** Too many calls at once. */
        REFUSED
    }

    /** Where a provider is asked. */
    interface Provider {
        /** Begins a call; cancelling the result ends it. It fails with {@link ProviderFailure}. */
        CompletableFuture<List<float[]>> call(List<String> texts, int dimension);
    }

    private record Known(EmbeddingSource source, String text) {}

    private final Function<String, @Nullable String> variables;
    private final long timeoutMillis;
    private final Semaphore calls = new Semaphore(CALLS_MAX);
    private final Semaphore inside = new Semaphore(CALLS_MAX + WAITING_MAX);
    private final Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class);
    private final Cache<Known, float[]> vectors;

    /**
     * Sends no request before the first text.
     *
     * @param variables of the environment, which have the keys, by the names that the sources give
     * @param timeoutMillis for each call, with its wait for a place
     */
    public EmbeddingCalls(Function<String, @Nullable String> variables, long timeoutMillis) {
        this.variables = variables;
        this.timeoutMillis = timeoutMillis;
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, new LongAdder());
        }
        this.vectors = Caffeine.newBuilder()
                .maximumWeight(CACHE_BYTES_MAX)
                .weigher((Known known, float[] vector) ->
                        ENTRY_BYTES + 2 * known.text.length() + Float.BYTES * vector.length)
                .executor(Runnable::run)
                .build();
    }

    /** Calls so far that ended like this. */
    long count(Outcome outcome) {
        return Objects.requireNonNull(outcomes.get(outcome)).sum();
    }

    /** Calls so far by their outcome, such as {@code ok}; read at a scrape. */
    public Map<String, LongSupplier> counts() {
        Map<String, LongSupplier> counts = new TreeMap<>();
        outcomes.forEach((outcome, count) -> counts.put(outcome.name().toLowerCase(Locale.ROOT), count::sum));
        return counts;
    }

    @Override
    public @Nullable String missingKey(EmbeddingSource source) {
        String variable = source.keyVariable();
        String key = variable == null ? null : variables.apply(variable);
        return key == null || key.isBlank() ? variable : null;
    }

    @Override
    public Embedder of(EmbeddingSource source) {
        return switch (source.kind()) {
            case MOCK -> new Of(source, (texts, dimension) -> MockVectors.of(source, texts, dimension));
            case OPENAI_COMPATIBLE -> {
                String variable = source.keyVariable();
                yield new Of(
                        source,
                        new OpenAiProvider(
                                Objects.requireNonNull(source.baseUrl()),
                                source.model(),
                                variable == null ? null : variables.apply(variable)));
            }
        };
    }

    /** The embedder of one source. */
    private final class Of implements Embedder {
        private final EmbeddingSource source;
        private final Provider provider;

        Of(EmbeddingSource source, Provider provider) {
            this.source = source;
            this.provider = provider;
        }

        @Override
        public EmbeddingSource source() {
            return source;
        }

        @Override
        public List<float[]> embed(List<String> texts, int dimension, QueryExecutor.Limits limits) {
            Set<String> missing = new LinkedHashSet<>();
            float[][] found = new float[texts.size()][];
            for (int i = 0; i < found.length; i++) {
                float[] known = vectors.getIfPresent(new Known(source, texts.get(i)));
                if (known == null) {
                    missing.add(texts.get(i));
                } else {
                    found[i] = known;
                }
            }
            if (missing.isEmpty()) {
                ended(Outcome.CACHED);
            } else {
                List<String> asked = new ArrayList<>(missing);
                List<float[]> given = limits.budget().blocking(() -> ask(asked, dimension, limits));
                for (int i = 0; i < asked.size(); i++) {
                    vectors.put(new Known(source, asked.get(i)), given.get(i));
                    for (int j = 0; j < found.length; j++) {
                        found[j] = texts.get(j).equals(asked.get(i)) ? given.get(i) : found[j];
                    }
                }
            }
            for (float[] vector : found) {
                if (vector.length != dimension) {
                    throw new ProviderFailure(
                                    "has vectors of %d dimensions, not %d".formatted(vector.length, dimension))
                            .refusal(source);
                }
            }
            return List.of(found);
        }

        private List<float[]> ask(List<String> texts, int dimension, QueryExecutor.Limits limits) {
            String variable = missingKey(source);
            if (variable != null) {
                throw ServiceException.badRequest(
                        Reason.REQUEST,
                        "the embedding provider `%s` has its key in the variable %s, which is not set for this process"
                                .formatted(source.name(), variable));
            }
            long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            if (!inside.tryAcquire()) {
                throw refused(Outcome.REFUSED, "has too many calls waiting");
            }
            try {
                while (!calls.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    look(endNanos, limits);
                }
                try {
                    return called(provider.call(texts, dimension), endNanos, limits);
                } finally {
                    calls.release();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CancellationException("interrupted while a text was embedded");
            } finally {
                inside.release();
            }
        }

        private List<float[]> called(CompletableFuture<List<float[]>> call, long endNanos, QueryExecutor.Limits limits)
                throws InterruptedException {
            try {
                while (true) {
                    try {
                        List<float[]> given = call.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                        ended(Outcome.OK);
                        return given;
                    } catch (TimeoutException notYet) {
                        look(endNanos, limits);
                    }
                }
            } catch (ExecutionException e) {
                throw refused(Outcome.FAILED, ProviderFailure.of(e.getCause()).why());
            } finally {
                call.cancel(true);
            }
        }

        /** Ends the wait when the request or the call has no more time. */
        private void look(long endNanos, QueryExecutor.Limits limits) {
            if (limits.budget().isCancelled()) {
                throw new CancellationException("the caller does not wait for this request any more");
            }
            long now = System.nanoTime();
            if (now - limits.deadlineNanos() > 0) {
                ended(Outcome.TIMEOUT);
                throw new ServiceException(
                        ErrorCode.RESOURCE_LIMIT,
                        "the query exceeded its time limit of " + limits.timeoutMillis()
                                + " ms while the embedding provider `" + source.name()
                                + "` was asked; raise timeout_ms, or give the vector as a parameter",
                        new ErrorDetail.ResourceLimit("timeout_ms", limits.timeoutMillis(), null));
            }
            if (now - endNanos > 0) {
                throw refused(Outcome.TIMEOUT, "has not answered within " + timeoutMillis + " ms");
            }
        }

        private ServiceException refused(Outcome outcome, String why) {
            ended(outcome);
            return new ProviderFailure(why).refusal(source);
        }
    }

    private void ended(Outcome outcome) {
        Objects.requireNonNull(outcomes.get(outcome)).increment();
    }
}
