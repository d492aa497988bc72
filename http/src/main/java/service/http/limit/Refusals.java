package service.http.limit;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests that a server has refused because of a limit, by the limit. Thread rule: any thread. */
public final class Refusals {
    /** The limit that was reached. */
    public enum Cause {
        /** {@link Limit#MAX_INFLIGHT} and {@link Limit#MAX_WAITING}. */
        REQUESTS,
        /** The share of an actor, or of an address, of the same. */
        ACTOR_REQUESTS,
        /** The share of a graph of the same. */
        GRAPH_REQUESTS,
        /** {@link Limit#MAX_STREAMS}. */
        STREAMS,
        /** The share of an actor, or of an address, of the streams. */
        ACTOR_STREAMS,
        /** The share of a graph of the same. */
        GRAPH_STREAMS,
        /** {@link Limit#MAX_WAITING_CONSUMERS}. */
        CONSUMERS,
        /** The share of an actor, or of an address, of the consumers. */
        ACTOR_CONSUMERS,
        /** The share of a graph of the same. */
        GRAPH_CONSUMERS,
        /** {@link Limit#MAX_CONNECTIONS}; also a connection without a request that was closed for a new one. */
        CONNECTIONS,
        /** The share of an actor, or of an address, of the connections. */
        ACTOR_CONNECTIONS,
        /** {@link Limit#PER_ACTOR_INFLIGHT_MAX}. */
        ACTOR_WRITES,
        /** {@link Limit#PER_ACTOR_BYTES_MAX}. */
        ACTOR_BYTES,
        /** {@link Limit#WRITER_QUEUE_MAX}, before the body was read. */
        WRITER_QUEUE,
        /** {@link Limit#UNVERIFIED_TOKENS_MAX}, or the share of an address. */
        UNVERIFIED_TOKENS,
        /** {@link Limit#MCP_CALLS_MAX}, counted by the MCP server. */
        TOOL_CALLS,
        /** Memory, temporary files or reader slots: 503 {@code overloaded}. */
        OVERLOADED;

        /** The name in metrics. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Map<Cause, LongAdder> counts = new EnumMap<>(Cause.class);

    public Refusals() {
        for (Cause cause : Cause.values()) {
            counts.put(cause, new LongAdder());
        }
    }

    /** Counts a refusal. */
    public void count(Cause cause) {
        adder(cause).increment();
    }

    /** Number of refusals since the start. */
    public long of(Cause cause) {
        return adder(cause).sum();
    }

    private LongAdder adder(Cause cause) {
        LongAdder adder = counts.get(cause);
        if (adder == null) {
            throw new IllegalStateException(cause.name());
        }
        return adder;
    }
}
