package service.cli.render;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.value.VisibleText;

/**
 * The writer of everything that a command prints as text: control characters of a terminal are written as escapes
 * ({@link VisibleText}), whether they come from data or from a message. Line breaks and tabs pass. Escape codes of
 * colours pass on a terminal only: a part that may hold data is made visible before it gets its colour.
 *
 * <p>Within JSON these characters stand in strings only, where such an escape means the same character.
 */
public final class VisibleWriter extends PrintWriter {
    private static final char ESCAPE = '\u001b';

    /** The codes of {@link Screen}, and those of a help text: bold, faint, italic, underlined, three colours, ends. */
    private static final Set<String> COLOURS = Set.of(
            "0", "1", "2", "3", "4", "21", "22", "23", "24", "31", "32", "33", "36", "39", "39;49", "1;31", "1;33");

    private static final int COLOUR_MAX = 5;

    private final Writer below;
    private final boolean terminal;
    private @Nullable PrintWriter raw;

    /**
     * @param below flushed at the end of each line
     * @param terminal whether people read it as it comes
     */
    public VisibleWriter(Writer below, boolean terminal) {
        super(new Visible(below, terminal), true);
        this.below = below;
        this.terminal = terminal;
    }

    /**
     * A writer to the same place that writes every character as it is, for texts that are data: what is after a file or
     * a pipe gets them whole. The same writer where people read what it writes.
     */
    public static PrintWriter data(PrintWriter out) {
        return out instanceof VisibleWriter visible && !visible.terminal ? visible.raw() : out;
    }

    /** A writer that passes on what moves the cursor of a terminal, for texts that hold no data. */
    public static PrintWriter cursor(PrintWriter out) {
        return out instanceof VisibleWriter visible ? visible.raw() : out;
    }

    private PrintWriter raw() {
        if (raw == null) {
            raw = new PrintWriter(below, true);
        }
        return raw;
    }

    private static final class Visible extends FilterWriter {
        private final boolean terminal;

        Visible(Writer below, boolean terminal) {
            super(below);
            this.terminal = terminal;
        }

        @Override
        public void write(int character) throws IOException {
            write(Character.toString((char) character), 0, 1);
        }

        @Override
        public void write(char[] text, int from, int count) throws IOException {
            write(new String(text, from, count), 0, count);
        }

        @Override
        public void write(String text, int from, int count) throws IOException {
            int end = from + count;
            int written = from;
            for (int i = from; i < end; i++) {
                char c = text.charAt(i);
                if (!VisibleText.isHidden(c) || c == '\n' || c == '\t') {
                    continue;
                }
                int colour = terminal && c == ESCAPE ? colourEnd(text, i, end) : -1;
                if (colour >= 0) {
                    i = colour;
                    continue;
                }
                StringBuilder escape = new StringBuilder();
                VisibleText.appendEscape(escape, c);
                out.write(text, written, i - written);
                out.write(escape.toString());
                written = i + 1;
            }
            out.write(text, written, end - written);
        }

        /** The index of the last character of the colour that begins at an index, or -1. */
        private static int colourEnd(String text, int at, int end) {
            if (at + 1 >= end || text.charAt(at + 1) != '[') {
                return -1;
            }
            int last = text.indexOf('m', at);
            boolean known = last > 0
                    && last < end
                    && last - at - 2 <= COLOUR_MAX
                    && (last == at + 2 || COLOURS.contains(text.substring(at + 2, last)));
            return known ? last : -1;
        }
    }
}
