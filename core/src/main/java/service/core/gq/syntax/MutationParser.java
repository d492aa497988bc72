package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import service.core.gq.syntax.GqFile.MutationSyntax;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** Parses the statements of a query that writes: {@code insert}, {@code update} and {@code delete}. */
final class MutationParser {
    private final TokenStream tokens;
    private final ExpressionParser expressions;
    private final MatchParser matches;

    MutationParser(TokenStream tokens, ExpressionParser expressions, MatchParser matches) {
        this.tokens = tokens;
        this.expressions = expressions;
        this.matches = matches;
    }

    /** Whether the next word begins a statement. */
    boolean atStatement() {
        return tokens.atWord("insert") || tokens.atWord("update") || tokens.atWord("delete");
    }

    /** The statements up to the end of the query. */
    GqFile.Mutation mutation() {
        List<MutationSyntax> statements = new ArrayList<>();
        while (!tokens.at(TokenKind.RIGHT_BRACE)) {
            int itemStart = tokens.index();
            try {
                statements.add(mutationStatement());
                tokens.accept(TokenKind.SEMICOLON);
            } catch (TokenStream.Mistake mistake) {
                tokens.recover(mistake);
                tokens.skipItem(itemStart, false);
                if (tokens.at(TokenKind.END)) {
                    throw mistake;
                }
            }
        }
        return new GqFile.Mutation(List.copyOf(statements));
    }

    private MutationSyntax mutationStatement() {
        if (!atStatement()) {
            throw tokens.expected(
                    "`insert`, `update`, `delete` or `}`",
                    tokens.atWord("match") || tokens.atWord("return")
                            ? "a query reads or writes, not both: split it"
                            : null);
        }
        String word = tokens.tokenText();
        tokens.advance();
        Span typeSpan = tokens.span();
        String type = tokens.expect(TokenKind.TYPE, "a node or edge type after `" + word + "`");
        return switch (word) {
            case "insert" -> {
                yield new MutationSyntax.Insert(type, matches.fields("property", expressions::expression), typeSpan);
            }
            case "update" -> {
                tokens.expectWord("set", "after the type");
                List<ClauseSyntax.Field> fields = matches.fields("property", expressions::expression);
                requireWhere("update " + type + " set { … }", "; `where true` means all of them");
                yield new MutationSyntax.Update(type, fields, expressions.expression(), typeSpan);
            }
            default -> {
                // The hint of a refusal must not lead to a deletion of everything.
                requireWhere("delete " + type, ", as in `where name = \"…\"`");
                yield new MutationSyntax.Delete(type, expressions.expression(), typeSpan);
            }
        };
    }

    private void requireWhere(String before, String how) {
        if (!tokens.acceptWord("where")) {
            throw tokens.expected("`where` after `" + before + "`", "say which entities are meant" + how);
        }
    }
}
