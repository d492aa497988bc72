package service.core.gq.syntax;

import java.util.Set;
import service.core.text.Lexer;
import service.core.text.Span;
import service.core.text.TokenKind;

/**
 * Names a column by its source text without {@code $} and comments. White space becomes one blank between words and is
 * dropped elsewhere: at the inner edges of brackets, around dots, before commas, and between a function and its
 * arguments.
 */
final class ColumnName {
    private static final Set<String> OPERATORS = Set.of(
            "not",
            "and",
            "or",
            "in",
            "contains",
            "starts_with",
            "ends_with",
            "matches",
            "distinct",
            "when",
            "then",
            "else",
            "where");

    private ColumnName() {}

    static String of(Span span, Lexer tokens, String text) {
        int token = firstToken(span.start(), tokens);
        StringBuilder name = new StringBuilder(span.end() - span.start());
        for (int i = token; i < tokens.size() && tokens.end(i) <= span.end(); i++) {
            if (tokens.kind(i) == TokenKind.END) {
                break;
            }
            if (i > token && mayPart(i, tokens, text) && apart(i, tokens, text)) {
                name.append(' ');
            }
            int start = tokens.start(i);
            boolean variable = tokens.kind(i) == TokenKind.VARIABLE;
            name.append(text, variable ? start + 1 : start, tokens.end(i));
        }
        return name.toString();
    }

    private static int firstToken(int offset, Lexer tokens) {
        int low = 0;
        int high = tokens.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (tokens.start(middle) < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Whether there is white space before the token, or a comment between two words that would become one word without
     * it.
     */
    private static boolean apart(int token, Lexer tokens, String text) {
        int from = tokens.end(token - 1);
        int to = tokens.start(token);
        if (from == to) {
            return false;
        }
        boolean spaceAtEdge = Character.isWhitespace(text.charAt(from)) || Character.isWhitespace(text.charAt(to - 1));
        return spaceAtEdge || (Lexer.isWord(text.charAt(from - 1)) && Lexer.isWord(text.charAt(to)));
    }

    /** Whether a blank may separate the token from the one before it. */
    private static boolean mayPart(int token, Lexer tokens, String text) {
        TokenKind before = tokens.kind(token - 1);
        TokenKind after = tokens.kind(token);
        boolean opened = switch (before) {
            case LEFT_PAREN, LEFT_BRACKET, LEFT_BRACE, DOT, RANGE -> true;
            default -> false;
        };
        boolean closed = switch (after) {
            case RIGHT_PAREN, RIGHT_BRACKET, RIGHT_BRACE, DOT, RANGE, COMMA, COLON, SEMICOLON -> true;
            case LEFT_PAREN -> isCall(token - 1, tokens, text);
            case LEFT_BRACKET -> isAtom(token - 1, tokens, text);
            default -> false;
        };
        return !opened && !closed;
    }

    /** Whether a list ends with the token before a bracket, so that the bracket holds an index. */
    private static boolean isAtom(int last, Lexer tokens, String text) {
        return switch (tokens.kind(last)) {
            case VARIABLE, RIGHT_PAREN, RIGHT_BRACKET -> true;
            default -> isCall(last, tokens, text);
        };
    }

    /** Whether the token before a bracket is the name of a function, not an operator. */
    private static boolean isCall(int name, Lexer tokens, String text) {
        return tokens.kind(name) == TokenKind.NAME
                && !OPERATORS.contains(text.substring(tokens.start(name), tokens.end(name)));
    }
}
