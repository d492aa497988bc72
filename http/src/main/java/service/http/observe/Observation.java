package service.http.observe;

/**
 * What a server reports of its requests, beside its log.
 *
 * @param slowNanos queries that take at least this time are logged; {@link Long#MAX_VALUE} for none
 */
public record Observation(RequestMeter meter, long slowNanos) {
    public static final Observation NONE = new Observation(RequestMeter.NONE, Long.MAX_VALUE);

    /** Whether slow queries are logged. */
    public boolean logsSlowQueries() {
        return slowNanos != Long.MAX_VALUE;
    }
}
