package service.core.error;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A source text that diagnostics refer to. Converts offsets to lines and columns, and findings to readable text.
 * Immutable; safe between threads.
 */
public final class SourceText {
    private static final int EXCERPT_MAX = 160;

    private final String text;
    private final int[] lineStarts;

    public SourceText(String text) {
        this.text = text;
        int[] starts = new int[16];
        // A byte order mark does not count as a column.
        starts[0] = text.startsWith("\uFEFF") ? 1 : 0;
        int lines = 1;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                if (lines == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * lines);
                }
                starts[lines++] = i + 1;
            }
        }
        this.lineStarts = Arrays.copyOf(starts, lines);
    }

    public String text() {
        return text;
    }

    /** The line of an offset; the first is 1. */
    public int line(int offset) {
        int found = Arrays.binarySearch(lineStarts, offset);
        return found >= 0 ? found + 1 : Math.max(1, -found - 1);
    }

    /** The column of an offset, in code points; the first is 1. */
    public int column(int offset) {
        int start = lineStarts[line(offset) - 1];
        int end = Math.max(start, Math.min(offset, text.length()));
        return text.codePointCount(start, end) + 1;
    }

    /** A line without its line break; the first is 1. */
    public String lineText(int line) {
        if (line < 1 || line > lineStarts.length) {
            return "";
        }
        int start = lineStarts[line - 1];
        int end = line < lineStarts.length ? lineStarts[line] - 1 : text.length();
        return text.substring(start, end).stripTrailing();
    }

    /** The finding at an offset. */
    public Diagnostic at(int offset, String code, String message, @Nullable String hint) {
        return at(line(offset), column(offset), code, message, hint);
    }

    /** The finding at a line and a column, both from 1. */
    public Diagnostic at(int line, int column, String code, String message, @Nullable String hint) {
        return new Diagnostic(code, message, line, column, hint, excerpt(line, column));
    }

    /**
     * A finding with its position, the source line and a caret below the position:
     *
     * <pre>
     * T2 at 2:8: node type `Person` has no property `agee`
     *   $p.agee > 30
     *      ^
     *   hint: did you mean `age`?
     * </pre>
     */
    public static String render(Diagnostic diagnostic) {
        StringBuilder out = new StringBuilder();
        out.append(diagnostic.code()).append(" at ").append(diagnostic.line()).append(':');
        out.append(diagnostic.column()).append(": ").append(diagnostic.message());
        if (diagnostic.excerpt() != null) {
            out.append("\n  ").append(diagnostic.excerpt().replace("\n", "\n  "));
        }
        if (diagnostic.hint() != null) {
            out.append("\n  hint: ").append(diagnostic.hint());
        }
        return out.toString();
    }

    /** The findings separated by line breaks, each as {@link #render(Diagnostic)} writes it. */
    public static String render(List<Diagnostic> diagnostics) {
        return diagnostics.stream().map(SourceText::render).collect(Collectors.joining("\n"));
    }

    /** A refusal that carries the findings and shows all of them in its message. */
    public ServiceException refusal(List<Diagnostic> diagnostics) {
        return new ServiceException(
                ErrorCode.BAD_REQUEST, render(diagnostics), new ErrorDetail.Diagnostics(List.copyOf(diagnostics)));
    }

    private @Nullable String excerpt(int line, int column) {
        int[] points = lineText(line).codePoints().toArray();
        int caret = Math.min(column - 1, points.length);
        int from = Math.max(0, caret - EXCERPT_MAX / 2);
        int to = Math.min(points.length, from + EXCERPT_MAX);
        while (from < caret && Character.isWhitespace(points[from])) {
            from++;
        }
        String excerpt = new String(points, from, to - from).replace('\t', ' ').stripTrailing();
        return excerpt.isEmpty() ? null : excerpt + "\n" + " ".repeat(caret - from) + "^";
    }
}
