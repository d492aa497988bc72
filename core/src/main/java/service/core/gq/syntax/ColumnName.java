package service.core.gq.syntax;

/**
 * Names a column by its source text: no {@code $}, no comments, white space reduced to one blank
 * between words and dropped elsewhere. Words are names, literals and operators; brackets, commas
 * and dots are not.
 */
final class ColumnName {
    private ColumnName() {}

    static String of(Span span, Lexer tokens, String text) {
        int token = firstToken(span.start(), tokens);
        StringBuilder name = new StringBuilder(span.end() - span.start());
        for (int i = token; i < tokens.size() && tokens.end(i) <= span.end(); i++) {
            if (tokens.kind(i) == TokenKind.END) {
                break;
            }
            if (i > token
                    && isWord(tokens.kind(i - 1))
                    && isWord(tokens.kind(i))
                    && apart(i, tokens, text)) {
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
     * Whether white space stands before the token, or a comment whose loss would join two words.
     */
    private static boolean apart(int token, Lexer tokens, String text) {
        int from = tokens.end(token - 1);
        int to = tokens.start(token);
        if (from == to) {
            return false;
        }
        boolean spaceAtEdge =
                Character.isWhitespace(text.charAt(from))
                        || Character.isWhitespace(text.charAt(to - 1));
        return spaceAtEdge
                || (Lexer.isWord(text.charAt(from - 1)) && Lexer.isWord(text.charAt(to)));
    }

    private static boolean isWord(TokenKind kind) {
        return switch (kind) {
            case LEFT_PAREN,
                    RIGHT_PAREN,
                    LEFT_BRACE,
                    RIGHT_BRACE,
                    LEFT_BRACKET,
                    RIGHT_BRACKET,
                    COMMA,
                    DOT,
                    COLON,
                    SEMICOLON ->
                    false;
            default -> true;
        };
    }
}
