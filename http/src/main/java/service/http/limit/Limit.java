package service.http.limit;

import service.core.config.Variable;

/**
 * The limits of the server ({@code docs/limits.md}). The environment variable of each is {@code SERVICE_} plus its
 * name.
 */
public enum Limit {
    MAX_INFLIGHT(
            "requests",
            256,
            1,
            65_536,
            "requests at work at one time; neither streams nor answers that wait for their client"),
    MAX_WAITING(
            "requests",
            1_024,
            0,
            1_048_576,
            "requests that wait for their turn, for the rest of their body, or for their client to read a long answer"),
    MAX_STREAMS(
            "responses",
            64,
            1,
            65_536,
            "responses streamed at one time (export, baseline, blob, server-sent events that are not idle);"
                    + " as many idle streams of events may write again at one time, the others wait"),
    MAX_WAITING_CONSUMERS(
            "consumers",
            10_000,
            1,
            1_048_576,
            "consumers of change feeds that wait for a commit, by long poll or by an idle stream of events; they do not count as"
                    + " requests at work"),
    MAX_CONNECTIONS(
            "connections",
            20_000,
            16,
            1_048_576,
            "open connections; at most three quarters of the file descriptors that are left at the start. Where there is"
                    + " no place for one more, it takes that of a connection without a request"),
    SHARE_PERCENT(
            "percent",
            75,
            1,
            100,
            "of the requests, streams, waiting consumers and connections above, and of the tokens below, what one actor (one"
                    + " address, where no actor is known) has while no other one has any"),
    PER_ACTOR_INFLIGHT_MAX("writes", 16, 1, 65_536, "writes of one actor at one time, stored mutations included"),
    PER_ACTOR_BYTES_MAX("bytes", 256L << 20, 1 << 20, 1L << 40, "bodies of the writes of one actor at one time"),
    REQUEST_BYTES_MAX("bytes", 1 << 20, 1_024, 1L << 30, "one request body"),
    RECORDS_BYTES_MAX(
            "bytes",
            8 << 20,
            1_024,
            1L << 30,
            "the body of a mutation or of a stored query that takes a list of records, where this is more than the limit"
                    + " above"),
    LOAD_BYTES_MAX("bytes", 32 << 20, 1_024, 1L << 30, "the body of a load"),
    MCP_CALLS_MAX("calls", 16, 1, 65_536, "MCP tool calls at one time"),
    MCP_CALL_TIMEOUT_SECONDS("seconds", 30, 1, 3_600, "time of one MCP tool call"),
    MCP_REQUEST_BYTES_MAX("bytes", 64 << 10, 1_024, 1L << 30, "the body of an MCP request"),
    MCP_RESULT_BYTES_MAX(
            "bytes",
            1 << 20,
            1_024,
            1L << 30,
            "the result of one MCP tool call, which has its content as JSON and as text"),
    BATCH_RECORDS_MAX("records", 500_000, 1, 100_000_000, "records of one load, entities that one mutation changes"),
    WRITER_QUEUE_MAX(
            "writes",
            4_096,
            2,
            1 << 20,
            "writes that wait for the writer of one graph; checked before a body is read and again when the write is"
                    + " queued"),
    VERIFIED_TOKENS_MAX(
            "tokens", 4_096, 1, 1 << 20, "verified signed tokens that are kept, so that a signature is checked once"),
    UNVERIFIED_TOKENS_MAX("tokens", 1_024, 1, 1 << 20, "signed tokens that wait for their signature to be verified"),
    HEADER_BYTES_MAX("bytes", 16_384, 4_096, 1 << 20, "the request line and all headers"),
    URL_BYTES_MAX("bytes", 8_192, 256, 1 << 20, "the path and the query string"),
    HEADER_TIMEOUT_SECONDS(
            "seconds",
            10,
            1,
            3_600,
            "time in which the headers of a request must arrive; also for which a connection is kept on which no request was"
                    + " admitted"),
    PROGRESS_TIMEOUT_SECONDS("seconds", 30, 1, 3_600, "time without a byte, in either direction"),
    BODY_TIMEOUT_SECONDS(
            "seconds",
            60,
            1,
            86_400,
            "time in which a request body must arrive, plus one second for every 16 KiB that arrived"),
    IDLE_TIMEOUT_SECONDS("seconds", 75, 1, 86_400, "time for which a connection is kept without a request"),
    DRAIN_TIMEOUT_SECONDS("seconds", 30, 0, 3_600, "time for which a stopping server waits for requests in flight"),
    RETENTION_INTERVAL_SECONDS(
            "seconds", 60, 1, 86_400, "time between two checks of the declared retention of a graph"),
    READ_HOLD_SECONDS(
            "seconds",
            3_600,
            0,
            3_600,
            "time for which a stream in progress (export, baseline, blob, server-sent events) keeps cleanup from what it"
                    + " still has to read"),
    OPEN_GRAPHS_MAX(
            "graphs",
            1_000,
            1,
            100_000,
            "graphs that are open at one time, at most one for each 40 file descriptors; the"
                    + " others open at their next request"),
    GRAPH_IDLE_SECONDS("seconds", 300, 1, 31_536_000, "time without a request after which a graph is closed");

    private final String unit;
    private final long defaultValue;
    private final long min;
    private final long max;
    private final String meaning;

    Limit(String unit, long defaultValue, long min, long max, String meaning) {
        this.unit = unit;
        this.defaultValue = defaultValue;
        this.min = min;
        this.max = max;
        this.meaning = meaning;
    }

    public Variable.WholeNumber variable() {
        return new Variable.WholeNumber("SERVICE_" + name(), unit, defaultValue, min, max, meaning);
    }
}
