package service.core.value;

import java.util.function.IntPredicate;

/**
 * Shows characters that a terminal obeys, or that reorder the text around them, as escapes such as
 * {@code \}{@code u001b}: data must not move the cursor, clear the screen or hide a part of a line. These are the
 * control characters of C0 and C1, DEL, the marks, embeddings and isolates of direction, and the separators of lines
 * and paragraphs. Any thread.
 */
public final class VisibleText {
    private static final int MESSAGE_HEAD = 1_500;
    private static final int MESSAGE_TAIL = 400;
    private static final int WORD_MAX = 200;
    private static final int WORD_SHOWN = 60;

    /** Quotes and punctuation that may follow a word. */
    private static final String SIGNS = "`\";:,.)";

    private static final int SIGNS_MAX = 3;

    private VisibleText() {}

    /**
     * A message on one line, whatever it repeats of a request: a word of more than 200 characters keeps its first 60,
     * and a message of more than 2,000 its beginning and its end. Returns the same text where nothing is to be done.
     */
    public static String message(String text) {
        if (text.length() <= WORD_MAX) {
            return oneLine(text);
        }
        StringBuilder message = new StringBuilder();
        for (int from = 0; from < text.length(); ) {
            int space = text.indexOf(' ', from);
            int end = space < 0 ? text.length() : space + 1;
            if (end - from > WORD_MAX) {
                message.append(text, from, cut(text, from + WORD_SHOWN)).append('…');
                from = end - (space < 0 ? 0 : 1);
                // What quotes the word, and what follows it in the sentence, stays.
                for (int sign = 0; sign < SIGNS_MAX && SIGNS.indexOf(text.charAt(from - 1)) >= 0; sign++) {
                    from--;
                }
            }
            message.append(text, from, end);
            from = end;
        }
        if (message.length() > MESSAGE_HEAD + MESSAGE_TAIL + 100) {
            String whole = message.toString();
            int tail = cut(whole, whole.length() - MESSAGE_TAIL);
            return oneLine(whole.substring(0, cut(whole, MESSAGE_HEAD)) + " … " + whole.substring(tail));
        }
        return oneLine(message.toString());
    }

    /** An index where the text can be cut, which is not within a pair of surrogates. */
    private static int cut(String text, int index) {
        return Character.isLowSurrogate(text.charAt(index)) ? index - 1 : index;
    }

    /** The text on one line: line breaks and tabs are escapes, too. Returns the same text where there is nothing. */
    public static String oneLine(String text) {
        return escaped(text, c -> isHidden((char) c));
    }

    /** The text with its line breaks and tabs. Returns the same text where there is nothing to escape. */
    public static String lines(String text) {
        return escaped(text, c -> isHidden((char) c) && c != '\n' && c != '\t');
    }

    /** The text for a {@code JsonWriter}, which escapes the control characters itself. */
    public static String directions(String text) {
        return escaped(text, c -> c >= 0xA0 && isHidden((char) c));
    }

    /** Whether a character is shown as an escape. Line breaks and tabs are. */
    public static boolean isHidden(char c) {
        return c < ' ' || (c >= 0x7F && c < 0xA0) || isDirection(c) || c == '\u2028' || c == '\u2029';
    }

    /** Whether a character changes the direction of the text after it. */
    public static boolean isDirection(char c) {
        return c == '\u061C'
                || c == '\u200E'
                || c == '\u200F'
                || (c >= '\u202A' && c <= '\u202E')
                || (c >= '\u2066' && c <= '\u206F');
    }

    /** Appends the escape of a character. */
    public static void appendEscape(StringBuilder into, char c) {
        switch (c) {
            case '\n' -> into.append("\\n");
            case '\r' -> into.append("\\r");
            case '\t' -> into.append("\\t");
            default -> into.append(String.format("\\u%04x", (int) c));
        }
    }

    private static String escaped(String text, IntPredicate isEscaped) {
        int first = 0;
        while (first < text.length() && !isEscaped.test(text.charAt(first))) {
            first++;
        }
        if (first == text.length()) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isEscaped.test(c)) {
                appendEscape(escaped, c);
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }
}
