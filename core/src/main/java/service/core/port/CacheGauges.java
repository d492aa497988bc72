package service.core.port;

/**
 * The state of a cache, for metrics.
 *
 * @param hits look-ups since the start that found an entry
 * @param misses look-ups since the start that found none
 */
public record CacheGauges(long entries, long hits, long misses) {}
