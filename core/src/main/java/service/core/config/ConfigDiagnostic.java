package service.core.config;

import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;

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

    /** The finding in a source; where it has no position, without one. */
    public Diagnostic in(SourceText source) {
        return line == 0
                ? new Diagnostic(code, message, 0, 0, hint, null)
                : source.at(line, column, code, message, hint);
    }

    /** The finding for people: the file, the position, the message, the source line with a caret, and the hint. */
    public String render(SourceText source) {
        return file + ": " + (line == 0 ? code + ": " + message : SourceText.render(in(source)));
    }
}
