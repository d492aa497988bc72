package service.http.limit;

/**
 * Every limit of the server ({@code http.md} §5): its environment variable is {@code SERVICE_} and its name.
 * {@code docs/limits.md} lists them, and a test compares.
 */
public enum Limit {
    /** Requests at work at one time. */
    MAX_INFLIGHT(256, 1, 65_536),
    /** Requests that wait for their turn or for their body; the next one is refused with 429. */
    MAX_WAITING(1_024, 0, 1_048_576),
    /** Responses streamed at one time, and as many idle streams of events that were woken and write again. */
    MAX_STREAMS(64, 1, 65_536),
    /**
     * Consumers of change feeds that wait for a commit, by long poll or by an open stream: none of them is a request at
     * work.
     */
    MAX_WAITING_CONSUMERS(10_000, 1, 1_048_576),
    /** Writes of one actor at one time. */
    PER_ACTOR_INFLIGHT_MAX(16, 1, 65_536),
    /** Bytes of the bodies of those writes. */
    PER_ACTOR_BYTES_MAX(256L << 20, 1 << 20, 1L << 40),
    /** Bytes of one request body. */
    REQUEST_BYTES_MAX(1 << 20, 1_024, 1L << 30),
    /** Bytes of the body of a load. */
    LOAD_BYTES_MAX(32 << 20, 1_024, 1L << 30),
    /** Records of one load. */
    BATCH_RECORDS_MAX(500_000, 1, 100_000_000),
    /** Commands that may wait for the writer of one graph. */
    WRITER_QUEUE_MAX(4_096, 2, 1 << 20),
    /** Bytes of the request line and all headers. */
    HEADER_BYTES_MAX(16_384, 4_096, 1 << 20),
    /** Bytes of the path and the query string. */
    URL_BYTES_MAX(8_192, 256, 1 << 20),
    /** Seconds in which the headers of a request must arrive. */
    HEADER_TIMEOUT_SECONDS(10, 1, 3_600),
    /** Seconds without a byte, in either direction, after which a request is given up. */
    PROGRESS_TIMEOUT_SECONDS(30, 1, 3_600),
    /** Seconds in which a body must arrive, beside one more for every 16 KiB that did. */
    BODY_TIMEOUT_SECONDS(60, 1, 86_400),
    /** Seconds for which a connection is kept without a request. */
    IDLE_TIMEOUT_SECONDS(75, 1, 86_400),
    /** Seconds for which a stopping server waits for requests in flight. */
    DRAIN_TIMEOUT_SECONDS(30, 0, 3_600),
    /** Seconds between two looks at whether the declared retention of a graph has work. */
    RETENTION_INTERVAL_SECONDS(60, 1, 86_400);

    private final long defaultValue;
    private final long min;
    private final long max;

    Limit(long defaultValue, long min, long max) {
        this.defaultValue = defaultValue;
        this.min = min;
        this.max = max;
    }

    public String variable() {
        return "SERVICE_" + name();
    }

    public long defaultValue() {
        return defaultValue;
    }

    public long min() {
        return min;
    }

    public long max() {
        return max;
    }
}
