package service.core.text;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Lays a source out: two spaces of indentation for each line with an open bracket, one space where a sign asks for it,
 * one empty line at the most. Line breaks stay where they are, because some of them separate, and comments stay as they
 * are written. Between words that need no comma two spaces stay two, by which people set clauses of a line apart.
 *
 * <p>The result has the same tokens, on the same lines from each other, and so the same meaning; formatting it again
 * changes nothing. It takes time and memory in proportion to the source. Any thread.
 */
final class SourceFormat {
    private static final int INDENT = 2;
    private static final int AUTHOR = -1;

    private final String text;
    private final List<Piece> pieces = new ArrayList<>();
    private final StringBuilder out = new StringBuilder();
    private final Deque<Integer> open = new ArrayDeque<>();
    private final Deque<Boolean> ranges = new ArrayDeque<>();
    private int base;

    /**
     * A token or a comment.
     *
     * @param kind END for a comment
     * @param breaks the line breaks before it
     * @param spaces the characters before it, on its line
     */
    private record Piece(TokenKind kind, int start, int end, int breaks, int spaces) {
        boolean isComment() {
            return kind == TokenKind.END;
        }
    }

    private SourceFormat(String text) {
        this.text = text;
    }

    /** The source laid out; as it is where a part of it is no token. */
    static String of(Language language, String text) {
        Lexer tokens = new Lexer(language, text);
        SourceFormat format = new SourceFormat(text);
        int at = text.startsWith("\uFEFF") ? 1 : 0;
        for (int i = 0; i < tokens.size() - 1; i++) {
            if (tokens.kind(i) == TokenKind.ERROR) {
                return text;
            }
            format.gap(at, tokens.start(i), tokens.kind(i), tokens.end(i));
            at = tokens.end(i);
        }
        format.gap(at, text.length(), TokenKind.END, text.length());
        String formatted = format.write();
        return isSame(tokens, text, new Lexer(language, formatted), formatted) ? formatted : text;
    }

    /** Takes the comments before a token, and the token; nothing but comments at the end of the source. */
    private void gap(int from, int token, TokenKind kind, int end) {
        int breaks = 0;
        int spaces = 0;
        for (int at = from; at < token; ) {
            char c = text.charAt(at);
            if (c != '/') {
                breaks += c == '\n' ? 1 : 0;
                spaces = c == '\n' ? 0 : spaces + 1;
                at++;
                continue;
            }
            boolean isLine = text.charAt(at + 1) == '/';
            int found = isLine ? text.indexOf('\n', at) : text.indexOf("*/", at + 2) + 2;
            int close = found < 0 || found > token ? token : found;
            pieces.add(new Piece(TokenKind.END, at, close, breaks, spaces));
            breaks = 0;
            spaces = 0;
            at = close;
        }
        if (kind != TokenKind.END) {
            pieces.add(new Piece(kind, token, end, breaks, spaces));
        }
    }

    private String write() {
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            if (i == 0 || piece.breaks > 0) {
                breakLine(i, piece);
            } else {
                out.repeat(' ', spaces(i, piece));
            }
            out.append(
                    piece.isComment() ? text.substring(piece.start, piece.end).stripTrailing() : text(piece));
            if (isOpener(piece.kind)) {
                open.push(base);
                ranges.push(isInRange(i));
            } else if (isCloser(piece.kind) && !open.isEmpty()) {
                open.pop();
                ranges.pop();
            }
        }
        return out.isEmpty() ? "" : out.append('\n').toString();
    }

    private void breakLine(int i, Piece piece) {
        if (i > 0) {
            boolean atBracket = isOpener(pieces.get(i - 1).kind) || isCloser(piece.kind);
            out.append(piece.breaks > 1 && !atBracket ? "\n\n" : "\n");
        }
        if (open.isEmpty()) {
            base = 0;
        } else {
            base = isCloser(piece.kind) ? open.element() : open.element() + INDENT;
        }
        out.repeat(' ', continues(i, piece) ? base + INDENT : base);
    }

    /** Whether a line goes on with what the line before it began. */
    private boolean continues(int i, Piece piece) {
        return switch (piece.kind) {
            case AT, AT_NAME -> open.isEmpty() && i > 0;
            case ARROW, BAR, EQUAL, NOT_EQUAL, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, PLUS, SLASH, PERCENT, DOT ->
                i > 0;
            case NAME -> (isWord(piece, "and") || isWord(piece, "or")) && kind(i + 1) != TokenKind.COLON;
            default -> false;
        };
    }

    private int spaces(int i, Piece piece) {
        int asked = isInRange(i) ? AUTHOR : asked(i, pieces.get(i - 1), piece);
        return asked == AUTHOR ? Math.min(2, piece.spaces) : asked;
    }

    /** The spaces between two pieces of a line, or {@link #AUTHOR} where those of the source decide. */
    private int asked(int i, Piece before, Piece piece) {
        if (before.isComment() || piece.isComment()) {
            return Math.clamp(piece.spaces, 1, 2);
        }
        return switch (piece.kind) {
            case COMMA, SEMICOLON, COLON, QUESTION, DOT, RIGHT_PAREN, RIGHT_BRACKET -> 0;
            case EQUAL, NOT_EQUAL, LESS_OR_EQUAL, GREATER_OR_EQUAL, ARROW -> 1;
            case RIGHT_BRACE -> {
                boolean endsRange = !ranges.isEmpty() && ranges.element();
                yield endsRange ? AUTHOR : before.kind == TokenKind.LEFT_BRACE ? 0 : 1;
            }
            case LEFT_PAREN ->
                before.kind == TokenKind.TYPE || before.kind == TokenKind.AT_NAME || kind(i - 2) == TokenKind.AT
                        ? 0
                        : after(i, before, piece);
            case LEFT_BRACE -> before.kind == TokenKind.LEFT_PAREN || before.kind == TokenKind.LEFT_BRACKET ? 0 : 1;
            default -> after(i, before, piece);
        };
    }

    private int after(int i, Piece before, Piece piece) {
        return switch (before.kind) {
            case LEFT_PAREN, LEFT_BRACKET, DOT, AT -> 0;
            case LEFT_BRACE, COMMA, SEMICOLON, EQUAL, NOT_EQUAL, LESS_OR_EQUAL, GREATER_OR_EQUAL, ARROW -> 1;
            case COLON -> isAfterVariable(i - 1) && piece.kind != TokenKind.TYPE ? AUTHOR : 1;
            default -> AUTHOR;
        };
    }

    /** Whether the colon is that of {@code $edge:likes}, or of a parameter whose type is no name. */
    private boolean isAfterVariable(int colon) {
        return kind(colon - 1) == TokenKind.VARIABLE || kind(colon - 1) == TokenKind.ANONYMOUS;
    }

    /** Whether the piece stands in a range of hops such as {@code knows{1,3}}, and not in a list of columns. */
    private boolean isInRange(int i) {
        for (int start = Math.max(0, i - 4); start <= i; start++) {
            if (kind(start) == TokenKind.LEFT_BRACE
                    && kind(start + 1) == TokenKind.INT
                    && kind(start + 2) == TokenKind.COMMA
                    && pieces.get(start).spaces == 0) {
                return i < start + 4;
            }
        }
        return false;
    }

    private TokenKind kind(int i) {
        return i < 0 || i >= pieces.size() ? TokenKind.END : pieces.get(i).kind;
    }

    private boolean isWord(Piece piece, String word) {
        return piece.end - piece.start == word.length() && text.startsWith(word, piece.start);
    }

    private String text(Piece piece) {
        return text.substring(piece.start, piece.end);
    }

    private static boolean isOpener(TokenKind kind) {
        return kind == TokenKind.LEFT_BRACE || kind == TokenKind.LEFT_PAREN || kind == TokenKind.LEFT_BRACKET;
    }

    private static boolean isCloser(TokenKind kind) {
        return kind == TokenKind.RIGHT_BRACE || kind == TokenKind.RIGHT_PAREN || kind == TokenKind.RIGHT_BRACKET;
    }

    /** Whether both sources have the same tokens on the same lines from each other. */
    private static boolean isSame(Lexer a, String textOfA, Lexer b, String textOfB) {
        boolean same = a.size() == b.size();
        for (int i = 0; same && i < a.size() - 1; i++) {
            int length = a.end(i) - a.start(i);
            same = a.kind(i) == b.kind(i)
                    && length == b.end(i) - b.start(i)
                    && textOfA.regionMatches(a.start(i), textOfB, b.start(i), length)
                    && a.firstOnLine(i) == b.firstOnLine(i);
        }
        return same;
    }
}
