package service.core.schema.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Cuts a schema into tokens, dropping blanks and comments. What is no token is reported and skipped. */
final class SchemaLexer {
    static final String CODE = "PG-SY-002";
    static final int NAME_LENGTH_MAX = 255;
    private static final int NUMBER_LENGTH_MAX = 64;

    /** The words of the signs, so that tokens of the same sign share one string. */
    private static final Map<Character, String> SIGNS = Map.ofEntries(
            Map.entry('{', "{"),
            Map.entry('}', "}"),
            Map.entry('(', "("),
            Map.entry(')', ")"),
            Map.entry('[', "["),
            Map.entry(']', "]"),
            Map.entry(':', ":"),
            Map.entry(',', ","),
            Map.entry('?', "?"),
            Map.entry('@', "@"),
            Map.entry('=', "="),
            Map.entry('-', "-"));

    private final String source;
    private final Problems problems;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    SchemaLexer(String source, Problems problems) {
        this.source = source;
        this.problems = problems;
    }

    /** All tokens, the last being the end. */
    List<Token> tokens() {
        while (at < source.length() && !problems.isFull()) {
            next();
        }
        tokens.add(new Token(Token.Kind.END, "", source.length(), source.length()));
        return tokens;
    }

    private void next() {
        int start = at;
        char c = source.charAt(at);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || (c == '\uFEFF' && at == 0)) {
            at++;
        } else if (c == '/' && peek(1) == '/') {
            int newline = source.indexOf('\n', at);
            at = newline < 0 ? source.length() : newline + 1;
        } else if (c == '/' && peek(1) == '*') {
            int close = source.indexOf("*/", at + 2);
            if (close < 0) {
                problems.add(CODE, start, "this comment is never closed", "end it with `*/`");
            }
            at = close < 0 ? source.length() : close + 2;
        } else if (isUpper(c) || isLower(c)) {
            word(start, isUpper(c));
        } else if (isDigit(c) || (c == '-' && isDigit(peek(1)))) {
            number(start);
        } else if (c == '"') {
            string(start);
        } else if ((c == '-' && peek(1) == '>') || (c == '.' && peek(1) == '.')) {
            at += 2;
            tokens.add(new Token(Token.Kind.SIGN, c == '-' ? "->" : "..", start, at));
        } else {
            sign(start, c);
        }
    }

    private void sign(int start, char c) {
        String sign = SIGNS.get(c);
        if (sign != null) {
            at++;
            tokens.add(new Token(Token.Kind.SIGN, sign, start, at));
            return;
        }
        int codePoint = source.codePointAt(at);
        at += Character.charCount(codePoint);
        String shown = codePoint < 0x20 || (codePoint >= 0x7F && codePoint < 0xA0)
                ? String.format("U+%04X", codePoint)
                : Character.toString(codePoint);
        problems.add(
                CODE,
                start,
                "`" + shown + "` has no meaning in a schema",
                switch (codePoint) {
                    case ';' -> "leave it out: white space parts properties";
                    case '>' -> "an edge goes from `A -> B`";
                    case '#' -> "comments are written `// …` or `/* … */`";
                    case '\'', '`', 0x201C, 0x201D -> "strings are written in double quotes: \"…\"";
                    default -> null;
                });
    }

    private void word(int start, boolean upper) {
        while (at < source.length() && isWordPart(source.charAt(at))) {
            at++;
        }
        if (at - start > NAME_LENGTH_MAX) {
            problems.add(
                    CODE, start, "a name has at most " + NAME_LENGTH_MAX + " characters; this one has " + (at - start));
        }
        String text = source.substring(start, Math.min(at, start + NAME_LENGTH_MAX));
        tokens.add(new Token(upper ? Token.Kind.TYPE : Token.Kind.NAME, text, start, at));
    }

    /** Digits, one dot with digits after it, an exponent. Two dots are a range's, not the number's. */
    private void number(int start) {
        at++;
        digits();
        if (peek(0) == '.' && isDigit(peek(1))) {
            at++;
            digits();
        }
        if (peek(0) == 'e' || peek(0) == 'E') {
            int sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
            if (isDigit(peek(1 + sign))) {
                at += 1 + sign;
                digits();
            }
        }
        if (at - start > NUMBER_LENGTH_MAX) {
            problems.add(CODE, start, "a number has at most " + NUMBER_LENGTH_MAX + " characters");
        }
        String text = source.substring(start, Math.min(at, start + NUMBER_LENGTH_MAX));
        tokens.add(new Token(Token.Kind.NUMBER, text, start, at));
    }

    private void digits() {
        while (isDigit(peek(0))) {
            at++;
        }
    }

    private void string(int start) {
        StringBuilder text = new StringBuilder();
        at++;
        while (true) {
            char c = peek(0);
            if (at >= source.length() || c == '\n') {
                problems.add(CODE, start, "this string is never closed", "end it with `\"` on the same line");
                break;
            }
            if (c == '"') {
                at++;
                break;
            }
            if (c == '\\') {
                escape(text);
            } else {
                text.append(c);
                at++;
            }
        }
        if (hasLoneSurrogate(text)) {
            problems.add(CODE, start, "this string holds half of a surrogate pair, which is no character");
        }
        tokens.add(new Token(Token.Kind.STRING, text.toString(), start, at));
    }

    private void escape(StringBuilder text) {
        char c = peek(1);
        int replacement = switch (c) {
            case '"', '\\' -> c;
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hex4();
            default -> -1;
        };
        if (replacement < 0) {
            problems.add(CODE, at, "unknown escape in a string", "write one of \\\" \\\\ \\n \\r \\t \\uXXXX");
            at++;
            return;
        }
        text.append((char) replacement);
        at += c == 'u' ? 6 : 2;
    }

    private int hex4() {
        int value = 0;
        for (int i = 2; i < 6; i++) {
            char c = peek(i);
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        return value;
    }

    private static boolean hasLoneSurrogate(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return true;
            }
        }
        return false;
    }

    private char peek(int ahead) {
        return at + ahead < source.length() ? source.charAt(at + ahead) : '\0';
    }

    private static boolean isUpper(char c) {
        return c >= 'A' && c <= 'Z';
    }

    private static boolean isLower(char c) {
        return (c >= 'a' && c <= 'z') || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isWordPart(char c) {
        return isUpper(c) || isLower(c) || isDigit(c);
    }
}
