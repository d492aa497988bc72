package service.core.gq.syntax;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a source into tokens, once, in linear time, into parallel arrays: a dozen bytes a token, so that a megabyte of
 * brackets stays small. What is no token becomes one of kind {@link TokenKind#ERROR}; the parser reports it only when
 * it gets there.
 */
final class Lexer {
    private final String text;
    private TokenKind[] kinds = new TokenKind[64];
    private int[] starts = new int[64];
    private int[] ends = new int[64];
    private int size;
    private int at;

    Lexer(String text) {
        this.text = text;
        while (skipSpace()) {
            int start = at;
            add(next(), start);
        }
        add(TokenKind.END, text.length());
    }

    int size() {
        return size;
    }

    TokenKind kind(int token) {
        return kinds[Math.min(token, size - 1)];
    }

    int start(int token) {
        return starts[Math.min(token, size - 1)];
    }

    int end(int token) {
        return ends[Math.min(token, size - 1)];
    }

    /** Whether a line break lies between the token and the one before it. */
    boolean firstOnLine(int token) {
        if (token == 0) {
            return true;
        }
        for (int i = end(token - 1); i < start(token); i++) {
            if (text.charAt(i) == '\n') {
                return true;
            }
        }
        return false;
    }

    /** Why there is no token at that offset. */
    static String explain(String text, int start) {
        char first = text.charAt(start);
        if (first == '"') {
            return "the string is not closed on its line";
        }
        if (text.startsWith("/*", start)) {
            return "the comment is not closed";
        }
        if (first == '$') {
            return "`$` without a name";
        }
        if (first == '@') {
            return "`@` without a name";
        }
        int point = text.codePointAt(start);
        return Character.isISOControl(point) || (Character.isSurrogate(first) && point == first)
                ? String.format("the character U+%04X has no meaning here", point)
                : "the character `" + Character.toString(point) + "` has no meaning here";
    }

    /** What to write instead, or null. */
    static @Nullable String remedy(String text, int start) {
        return switch (text.charAt(start)) {
            case '"' -> "end it with `\"`; a line break within a string is written `\\n`";
            case '\'', '`', '\u201c', '\u201d' -> "strings are written in double quotes: \"…\"";
            case '$' -> "variables and parameters are written `$name`, anonymous nodes `$_`";
            case '&' -> "write `and`";
            case '!' -> "write `not`, or `!=` for unequal";
            case '#' -> "comments are written `// …` or `/* … */`";
            case '/' -> "end it with `*/`";
            default -> null;
        };
    }

    private void add(TokenKind kind, int start) {
        if (size == kinds.length) {
            kinds = Arrays.copyOf(kinds, 2 * size);
            starts = Arrays.copyOf(starts, 2 * size);
            ends = Arrays.copyOf(ends, 2 * size);
        }
        kinds[size] = kind;
        starts[size] = start;
        ends[size++] = at;
    }

    /** Skips white space and comments; false at the end. An unclosed comment is left for {@link #next}. */
    private boolean skipSpace() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || (c == '\uFEFF' && at == 0)) {
                at++;
            } else if (text.startsWith("//", at)) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (text.startsWith("/*", at)) {
                int end = text.indexOf("*/", at + 2);
                if (end < 0) {
                    return true;
                }
                at = end + 2;
            } else {
                return true;
            }
        }
        return false;
    }

    private TokenKind next() {
        char c = text.charAt(at);
        if (c == '_' || (c >= 'a' && c <= 'z')) {
            skipWord();
            return TokenKind.NAME;
        }
        if (c >= 'A' && c <= 'Z') {
            skipWord();
            return TokenKind.TYPE;
        }
        if (c >= '0' && c <= '9') {
            return number();
        }
        return switch (c) {
            case '$' -> variable();
            case '@' -> annotation();
            case '"' -> string();
            default -> symbol(c);
        };
    }

    private TokenKind variable() {
        at++;
        int start = at;
        if (at == text.length() || !isWord(text.charAt(at)) || isDigit(text.charAt(at))) {
            return TokenKind.ERROR;
        }
        skipWord();
        return at == start + 1 && text.charAt(start) == '_' ? TokenKind.ANONYMOUS : TokenKind.VARIABLE;
    }

    private TokenKind annotation() {
        at++;
        int start = at;
        skipWord();
        return at > start ? TokenKind.AT_NAME : TokenKind.ERROR;
    }

    private TokenKind string() {
        at++;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n') {
                return TokenKind.ERROR;
            }
            if (c == '\\' && at + 1 < text.length() && text.charAt(at + 1) != '\n') {
                at += 2;
                continue;
            }
            at++;
            if (c == '"') {
                return TokenKind.STRING;
            }
        }
        return TokenKind.ERROR;
    }

    private TokenKind number() {
        skipDigits();
        boolean isFloat = false;
        if (at + 1 < text.length() && text.charAt(at) == '.' && isDigit(text.charAt(at + 1))) {
            at++;
            skipDigits();
            isFloat = true;
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            int digits = at + 1;
            if (digits < text.length() && (text.charAt(digits) == '+' || text.charAt(digits) == '-')) {
                digits++;
            }
            if (digits < text.length() && isDigit(text.charAt(digits))) {
                at = digits;
                skipDigits();
                isFloat = true;
            }
        }
        return isFloat ? TokenKind.FLOAT : TokenKind.INT;
    }

    private TokenKind symbol(char c) {
        if (text.startsWith("/*", at)) {
            at = text.length();
            return TokenKind.ERROR;
        }
        at += Character.charCount(text.codePointAt(at));
        boolean equals = at < text.length() && text.charAt(at) == '=';
        if (equals && (c == '!' || c == '<' || c == '>')) {
            at++;
        }
        return switch (c) {
            case '(' -> TokenKind.LEFT_PAREN;
            case ')' -> TokenKind.RIGHT_PAREN;
            case '{' -> TokenKind.LEFT_BRACE;
            case '}' -> TokenKind.RIGHT_BRACE;
            case '[' -> TokenKind.LEFT_BRACKET;
            case ']' -> TokenKind.RIGHT_BRACKET;
            case ',' -> TokenKind.COMMA;
            case ':' -> TokenKind.COLON;
            case ';' -> TokenKind.SEMICOLON;
            case '.' -> TokenKind.DOT;
            case '|' -> TokenKind.BAR;
            case '?' -> TokenKind.QUESTION;
            case '=' -> TokenKind.EQUAL;
            case '!' -> equals ? TokenKind.NOT_EQUAL : TokenKind.ERROR;
            case '<' -> equals ? TokenKind.LESS_OR_EQUAL : TokenKind.LESS;
            case '>' -> equals ? TokenKind.GREATER_OR_EQUAL : TokenKind.GREATER;
            case '+' -> TokenKind.PLUS;
            case '-' -> TokenKind.MINUS;
            case '*' -> TokenKind.STAR;
            case '/' -> TokenKind.SLASH;
            case '%' -> TokenKind.PERCENT;
            default -> TokenKind.ERROR;
        };
    }

    private void skipWord() {
        while (at < text.length() && isWord(text.charAt(at))) {
            at++;
        }
    }

    private void skipDigits() {
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
    }

    static boolean isWord(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
