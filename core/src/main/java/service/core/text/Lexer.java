package service.core.text;

import java.util.Arrays;

/**
 * The tokens of a source, cut in linear time. Parallel arrays of about twelve bytes per token hold them, so that a
 * source of a megabyte of brackets needs little memory. Text that is not a token becomes a token of kind
 * {@link TokenKind#ERROR}, which the parser reports when it reaches it.
 */
public final class Lexer {
    private final Language language;
    private final String text;
    private TokenKind[] kinds = new TokenKind[64];
    private int[] starts = new int[64];
    private int[] ends = new int[64];
    private int size;
    private int at;

    Lexer(Language language, String text) {
        this.language = language;
        this.text = text;
        while (skipSpace()) {
            int start = at;
            add(next(), start);
        }
        add(TokenKind.END, text.length());
    }

    public int size() {
        return size;
    }

    /** The kind of a token; past the last one {@link TokenKind#END}. */
    public TokenKind kind(int token) {
        return kinds[Math.min(token, size - 1)];
    }

    public int start(int token) {
        return starts[Math.min(token, size - 1)];
    }

    public int end(int token) {
        return ends[Math.min(token, size - 1)];
    }

    /** Whether there is a line break between the token and the one before it. */
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
        if (c == '"') {
            return string();
        }
        if (c == '$' && language.has(TokenKind.VARIABLE)) {
            return variable();
        }
        if (c == '@' && language.has(TokenKind.AT_NAME)) {
            return annotation();
        }
        return sign(c);
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

    private TokenKind sign(char c) {
        if (text.startsWith("/*", at)) {
            at = text.length();
            return TokenKind.ERROR;
        }
        for (TokenKind kind : language.signs(c)) {
            if (text.startsWith(kind.sign(), at)) {
                at += kind.sign().length();
                return kind;
            }
        }
        at += Character.charCount(text.codePointAt(at));
        return TokenKind.ERROR;
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

    /** Whether names and numbers may hold that character. */
    public static boolean isWord(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
