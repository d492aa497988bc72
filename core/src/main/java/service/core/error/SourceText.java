package service.core.error;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.value.VisibleText;

/**
 * A source text that diagnostics refer to. Converts offsets to lines and columns, and findings to readable text.
 * Immutable; safe between threads.
 */
public final class SourceText {
    private static final int EXCERPT_MAX = 160;

    /** Characters of a part that is {@link #shown}, and those that are read for them. */
    private static final int SHOWN_MAX = 60;

    private static final int LOOKED_AT_MAX = 500;

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

    /** A part of the text on one line, shortened when long, without a copy of the whole. */
    public String shown(int start, int end) {
        int to = Math.min(end, start + LOOKED_AT_MAX);
        String line = text.substring(start, to).replaceAll("\\s+", " ");
        return VisibleText.oneLine(
                line.length() <= SHOWN_MAX && to == end
                        ? line
                        : line.substring(0, Math.min(line.length(), SHOWN_MAX)) + "…");
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
        return text.substring(lineStart(line), lineEnd(line));
    }

    /** The finding at an offset. */
    public Diagnostic at(int offset, String code, String message, @Nullable String hint) {
        return at(line(offset), column(offset), code, message, hint);
    }

    /** The finding at a line and a column, both from 1. */
    public Diagnostic at(int line, int column, String code, String message, @Nullable String hint) {
        return new Diagnostic(
                code,
                VisibleText.message(message),
                line,
                column,
                hint == null ? null : VisibleText.message(hint),
                excerpt(line, column));
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

    /** The part of a line around a column, without a copy of the line: there are lines of a megabyte. */
    private @Nullable String excerpt(int line, int column) {
        int start = lineStart(line);
        int end = lineEnd(line);
        int caret = forward(start, end, column - 1);
        int from = backward(start, caret, EXCERPT_MAX / 2);
        int to = forward(from, end, EXCERPT_MAX);
        while (from < caret && Character.isWhitespace(text.codePointAt(from))) {
            from += Character.charCount(text.codePointAt(from));
        }
        String excerpt = text.substring(from, to).replace('\t', ' ').stripTrailing();
        if (excerpt.isEmpty()) {
            return null;
        }
        String before = VisibleText.oneLine(text.substring(from, caret).replace('\t', ' '));
        return VisibleText.oneLine(excerpt) + "\n" + " ".repeat(before.codePointCount(0, before.length())) + "^";
    }

    /** The offset so many code points after another one, at most an end. */
    private int forward(int from, int end, int points) {
        int at = from;
        for (int i = 0; i < points && at < end; i++) {
            at += Character.charCount(text.codePointAt(at));
        }
        return Math.min(at, end);
    }

    private int backward(int start, int from, int points) {
        int at = from;
        for (int i = 0; i < points && at > start; i++) {
            at -= Character.charCount(text.codePointBefore(at));
        }
        return Math.max(at, start);
    }

    private int lineStart(int line) {
        return line < 1 || line > lineStarts.length ? 0 : lineStarts[line - 1];
    }

    /** The end of a line without its line break and the white space before it. */
    private int lineEnd(int line) {
        if (line < 1 || line > lineStarts.length) {
            return 0;
        }
        int end = line < lineStarts.length ? lineStarts[line] - 1 : text.length();
        int start = Math.min(lineStarts[line - 1], end);
        while (end > start && Character.isWhitespace(text.charAt(end - 1))) {
            end--;
        }
        return end;
    }

    /** The offset of a position; the end of the line where the line is shorter. */
    public int offset(int line, int column) {
        return forward(lineStart(line), line < lineStarts.length ? lineStarts[line] - 1 : text.length(), column - 1);
    }
}
