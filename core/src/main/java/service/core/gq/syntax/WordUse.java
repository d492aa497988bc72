package service.core.gq.syntax;

import java.util.Set;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/**
 * Decides by the tokens after a word whether it is a keyword or a name, where both may stand. A property may have the
 * name of any keyword.
 */
final class WordUse {
    /** The words with which the next statement of a mutation begins. */
    private static final Set<String> STATEMENTS = Set.of("insert", "update", "delete");

    /** The last token that is read: each is one call deeper. */
    private static final int AHEAD_MAX = 16;

    private final TokenStream tokens;

    WordUse(TokenStream tokens) {
        this.tokens = tokens;
    }

    /**
     * Whether the word that many places ahead is an operand, because what comes after it continues or ends an
     * expression: {@code not = 3} and {@code not is null} ask for a property of that name, {@code not is = 3} does not.
     */
    boolean isOperand(int ahead) {
        if (ahead == AHEAD_MAX) {
            return false;
        }
        TokenKind next = tokens.kind(ahead + 1);
        return switch (next) {
            case PLUS, STAR, SLASH, PERCENT, COMMA, RIGHT_PAREN, RIGHT_BRACE, RIGHT_BRACKET, END -> true;
            case NAME -> {
                boolean statement =
                        STATEMENTS.contains(tokens.tokenText(ahead + 1)) && tokens.kind(ahead + 2) == TokenKind.TYPE;
                yield statement || tokens.kind(ahead + 2) == TokenKind.COLON || isInfix(ahead + 1);
            }
            default -> ExpressionParser.comparisonOperator(next) != null;
        };
    }

    /** Whether the word that many places ahead joins two operands or tests the one before it. */
    private boolean isInfix(int ahead) {
        return switch (tokens.tokenText(ahead)) {
            case "is" ->
                tokens.wordAhead(ahead + 1, "null")
                        || (tokens.wordAhead(ahead + 1, "not") && tokens.wordAhead(ahead + 2, "null"));
            case "in" -> isList(ahead + 1);
            case "not" -> tokens.wordAhead(ahead + 1, "in") && isList(ahead + 2);
            case "and", "or", "contains", "starts_with", "ends_with", "matches" -> !isOperand(ahead);
            default -> false;
        };
    }

    private boolean isList(int ahead) {
        boolean call = tokens.kind(ahead) == TokenKind.NAME && tokens.kind(ahead + 1) == TokenKind.LEFT_PAREN;
        return call || tokens.kind(ahead) == TokenKind.LEFT_BRACKET || tokens.kind(ahead) == TokenKind.VARIABLE;
    }

    /** Whether the current word is {@code not} as the alias of a column, and a key of {@code order} for itself. */
    boolean isAliasAlone(Set<String> aliases) {
        boolean direction =
                (tokens.wordAhead(1, "asc") || tokens.wordAhead(1, "desc")) && !aliases.contains(tokens.tokenText(1));
        return tokens.atWord("not")
                && aliases.contains("not")
                && (direction || (tokens.firstOnLine(1) && tokens.kind(1) == TokenKind.NAME));
    }
}
