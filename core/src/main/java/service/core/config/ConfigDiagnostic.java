package service.core.config;

import org.jspecify.annotations.Nullable;

/**
 * A finding in a cluster's files.
 *
 * @param code {@code CL-…} for {@code cluster.yaml}, else the code of the schema or query finding
 * @param file relative to the cluster's directory
 * @param line first line is 1; 0 when the finding has no position
 * @param hint what to write instead, or null
 */
public record ConfigDiagnostic(
        String code,
        String message,
        String file,
        int line,
        int column,
        @Nullable String hint) {
    /** A finding without a hint. */
    public ConfigDiagnostic(String code, String message, String file, int line, int column) {
        this(code, message, file, line, column, null);
    }
}
