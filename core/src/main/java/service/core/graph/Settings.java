package service.core.graph;

/**
 * What one request may use, after process defaults, the request and the file have been merged
 * ({@code language.md}, Settings).
 */
public record Settings(int timeoutMillis, long workLimit, int rowLimit, long memoryMaxBytes) {
    public static final Settings DEFAULTS =
            new Settings(30_000, 50_000_000L, 1_000_000, 256L << 20);
}
