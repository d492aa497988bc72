package service.cli.shell;

import java.util.List;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** Splits a line into words for JLine, and asks for another line while the input is incomplete. */
final class ShellParser implements Parser {
    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        if (context == ParseContext.ACCEPT_LINE && !InputShape.isWhole(line)) {
            throw new EOFError(-1, -1, "the input is incomplete");
        }
        return Line.of(line, cursor);
    }

    /** A text with the word at the cursor. */
    record Line(String line, int cursor, String word, int wordCursor) implements CompletingParsedLine {
        static Line of(String line, int cursor) {
            boolean meta = line.stripLeading().startsWith(":");
            int start = meta ? cursor : GqCompletion.wordStart(line.substring(0, cursor));
            while (meta && start > 0 && isWord(line.charAt(start - 1), true)) {
                start--;
            }
            int end = cursor;
            while (end < line.length() && isWord(line.charAt(end), meta)) {
                end++;
            }
            return new Line(line, cursor, line.substring(start, end), cursor - start);
        }

        private static boolean isWord(char c, boolean meta) {
            return meta
                    ? !Character.isWhitespace(c)
                    : Character.isLetterOrDigit(c) || c == '_' || c == '$' || c == '.' || c == '@';
        }

        /** Nothing is escaped in GQ outside strings. */
        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return wordCursor;
        }

        @Override
        public int rawWordLength() {
            return word.length();
        }

        @Override
        public int wordIndex() {
            return 0;
        }

        @Override
        public List<String> words() {
            return List.of(word);
        }
    }
}
