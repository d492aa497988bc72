package service.core.gq.syntax;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** Clauses and fields as users of Cypher, SQL and ISO GQL write them, and how they are written in GQ. */
final class ForeignClauses {
    /** Words before variables that are no edges. */
    private static final Set<String> NO_EDGES = Set.of(
            "let",
            "for",
            "not",
            "where",
            "filter",
            "optional",
            "exists",
            "match",
            "with",
            "return",
            "order",
            "insert",
            "update",
            "delete");

    private ForeignClauses() {}

    /**
     * How to write a clause that begins with a word before a pattern, or with {@code let} or {@code for} before a name
     * without a dollar sign; null for a condition.
     *
     * @param operators words that follow a variable in a condition
     */
    static @Nullable String remedy(TokenStream tokens, Set<String> operators) {
        if (!tokens.at(TokenKind.NAME)) {
            return null;
        }
        String word = tokens.tokenText();
        return switch (word) {
            case "optional", "exists" -> isVariable(tokens, 1) ? inBraces(tokens, word) : null;
            case "not" ->
                isVariable(tokens, 1)
                                && tokens.kind(2) == TokenKind.NAME
                                && !operators.contains(tokens.tokenText(2))
                                && isVariable(tokens, 3)
                        ? inBraces(tokens, word)
                        : null;
            case "let", "for" -> {
                boolean bare = tokens.kind(1) == TokenKind.NAME
                        && (word.equals("let") ? tokens.kind(2) == TokenKind.EQUAL : tokens.wordAhead(2, "in"));
                yield bare ? "a variable begins with `$`: `" + word + " $" + tokens.tokenText(1) + " …`" : null;
            }
            default -> null;
        };
    }

    private static String inBraces(TokenStream tokens, String word) {
        String pattern = tokens.kind(2) == TokenKind.NAME && isVariable(tokens, 3)
                ? tokens.tokenText(1) + " " + tokens.tokenText(2) + " " + tokens.tokenText(3)
                : "$a knows $b";
        return "write `" + word + " { " + pattern + " }`";
    }

    private static boolean isVariable(TokenStream tokens, int ahead) {
        return tokens.kind(ahead) == TokenKind.VARIABLE || tokens.kind(ahead) == TokenKind.ANONYMOUS;
    }

    /** Whether another edge and its end follow a whole traversal. */
    static boolean isNextStep(TokenStream tokens) {
        return tokens.at(TokenKind.NAME) && isVariable(tokens, 1) && !NO_EDGES.contains(tokens.tokenText());
    }

    /**
     * How to write what stands where the variable at the other end of a traversal must.
     *
     * @param isNamed whether the edges have a variable, so that a mode may stand before them
     */
    static String otherEnd(TokenStream tokens, boolean isNamed) {
        String mode = ForeignWords.mode(tokens);
        if (mode != null) {
            return mode;
        }
        String usual = "such as `$a knows $b`, or `$_` when it does not matter";
        return switch (tokens.kind()) {
            case STAR, PLUS -> "bounds of hops stand in braces: `$a knows{1,*} $b`";
            case BAR -> "several edges stand in parentheses: `$a (knows | likes) $b`";
            case TYPE -> "the types of nodes are bound by clauses such as `$b: " + tokens.tokenText() + "`";
            case NAME ->
                isNamed ? "the modes are `shortest`, `all shortest`, `trail`, `acyclic` and `cheapest`" : usual;
            default -> usual;
        };
    }

    /** How to write the name of a field that is no name, or null. */
    static @Nullable String fieldName(TokenStream tokens) {
        return switch (tokens.kind()) {
            case STRING -> "names stand without quotes: `name: value`";
            case VARIABLE -> "the name of a property stands alone: `name: value`";
            default -> null;
        };
    }

    /** How to write what follows the name of a field in place of a colon, or null. */
    static @Nullable String afterField(TokenStream tokens, String name) {
        return switch (tokens.kind()) {
            case EQUAL -> "write `" + name + ": value`";
            case PLUS, MINUS -> "write `" + name + ": " + name + " " + tokens.tokenText() + " 1`";
            case NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
                "braces take equal values; another condition is a clause: `$x." + name + " " + tokens.tokenText()
                        + " …`";
            default -> null;
        };
    }

    /** What the word or the sign after {@code insert}, {@code update} or {@code delete} may have meant. */
    static String statementType(TokenStream tokens, String statement) {
        String values = statement.equals("update") ? " set { name: value } where …" : " { name: value }";
        String whole = statement.equals("delete") ? "`delete $x, $y`, or `delete Type where …`" : null;
        return switch (tokens.kind()) {
            case NAME ->
                switch (tokens.tokenText()) {
                    case "into", "from", "or", "all" ->
                        "write " + (whole != null ? whole : "`" + statement + " Type" + values + "`");
                    default ->
                        "types start with an upper-case letter; a variable of the match is `$" + tokens.tokenText()
                                + "`";
                };
            case VARIABLE ->
                "write `insert Type { name: value } as $x`, and for an edge `insert Knows { from: $a, to: $b }`";
            default -> "write " + (whole != null ? whole : "`" + statement + " Type" + values + "`");
        };
    }
}
