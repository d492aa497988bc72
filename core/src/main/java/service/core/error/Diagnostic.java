package service.core.error;

import org.jspecify.annotations.Nullable;

/**
 * One finding in a schema or GQ source.
 *
 * @param code stable code such as {@code T2} or {@code Q000}
 * @param message what is wrong, naming the offending thing
 * @param line first line is 1
 * @param column first column is 1, counted in code points
 * @param hint what to write instead, or null
 * @param excerpt the source line and below it a caret at the column, as two lines; a long line is cut around the
 *     column; null when the line is empty
 */
public record Diagnostic(
        String code,
        String message,
        int line,
        int column,
        @Nullable String hint,
        @Nullable String excerpt) {}
