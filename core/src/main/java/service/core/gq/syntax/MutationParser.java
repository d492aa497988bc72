package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.syntax.GqFile.MutationSyntax;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/**
 * Parses the statements of a query that writes: {@code insert}, {@code update}, {@code delete} and {@code for}. Loops
 * nest at most {@link #NESTING_MAX} deep.
 */
final class MutationParser {
    private static final int NESTING_MAX = 10;
    private static final Set<String> BEGINNINGS = Set.of("insert", "update", "delete", "for");

    private final TokenStream tokens;
    private final ExpressionParser expressions;
    private final MatchParser matches;
    private int nesting;

    MutationParser(TokenStream tokens, ExpressionParser expressions, MatchParser matches) {
        this.tokens = tokens;
        this.expressions = expressions;
        this.matches = matches;
    }

    /** Whether the next word begins a statement. */
    boolean atStatement() {
        return tokens.at(TokenKind.NAME) && BEGINNINGS.contains(tokens.tokenText());
    }

    /** The statements up to the brace that ends them; {@code answers} says whether a return may follow. */
    List<MutationSyntax> statements(boolean answers) {
        List<MutationSyntax> statements = new ArrayList<>();
        int depth = nesting;
        while (!tokens.at(TokenKind.RIGHT_BRACE) && !(answers && tokens.atWord("return"))) {
            int itemStart = tokens.index();
            try {
                statements.add(statement(answers));
                tokens.accept(TokenKind.SEMICOLON);
            } catch (TokenStream.Mistake mistake) {
                tokens.recover(mistake);
                nesting = depth;
                tokens.skipItem(itemStart, false);
                if (tokens.at(TokenKind.END)) {
                    throw mistake;
                }
            }
        }
        return List.copyOf(statements);
    }

    private MutationSyntax statement(boolean answers) {
        if (!atStatement()) {
            throw tokens.expected(
                    answers
                            ? "`insert`, `update`, `delete`, `for`, `return` or `}`"
                            : "`insert`, `update`, `delete`, `for` or `}`",
                    afterStatement(answers));
        }
        String word = tokens.tokenText();
        Span start = tokens.span();
        tokens.advance();
        return switch (word) {
            case "for" -> forEach(start);
            case "insert" -> insert();
            case "update" -> tokens.at(TokenKind.VARIABLE) ? updateBound() : update();
            default -> tokens.at(TokenKind.VARIABLE) ? deleteBound() : delete();
        };
    }

    private @Nullable String afterStatement(boolean answers) {
        if (tokens.at(TokenKind.COMMA)
                && (tokens.kind(1) == TokenKind.LEFT_BRACE || tokens.kind(1) == TokenKind.TYPE)) {
            return "each entity has a statement: `insert Type { … } insert Type { … }`; of a list write"
                    + " `for $r in $rows { insert Type { name: $r.name } }`";
        }
        if (tokens.at(TokenKind.DOT)) {
            return "a property is cleared by `update $x set { name: null }`";
        }
        if (tokens.atWord("match") || tokens.atWord("with")) {
            return "statements follow `match` and `with`: begin the query with it, or write another query";
        }
        return !answers && tokens.atWord("return")
                ? "`return` stands once, after all statements"
                : ForeignWords.hint(tokens);
    }

    private MutationSyntax insert() {
        Span typeSpan = tokens.span();
        String type = type("insert");
        List<ClauseSyntax.Field> fields = matches.fields("property", expressions::expression);
        ExpressionSyntax.Dollar as = null;
        if (tokens.acceptWord("as")) {
            as = variable("a variable after `as`", "such as `insert " + type + " { … } as $x`");
        }
        return new MutationSyntax.Insert(type, fields, as, typeSpan);
    }

    private MutationSyntax update() {
        Span typeSpan = tokens.span();
        String type = type("update");
        if (!tokens.acceptWord("set")) {
            throw tokens.expected("`set` after the type", "write `update " + type + " set { name: value } where …`");
        }
        List<ClauseSyntax.Field> fields = matches.fields("property", expressions::expression);
        requireWhere("update " + type + " set { … }", "; `where true` means all of them");
        return new MutationSyntax.Update(type, fields, expressions.expression(), typeSpan);
    }

    private MutationSyntax updateBound() {
        ExpressionSyntax.Dollar variable = variable("a variable", null);
        if (!tokens.acceptWord("set")) {
            throw tokens.expected(
                    "`set` after the variable", "write `update $" + variable.name() + " set { name: value }`");
        }
        List<ClauseSyntax.Field> fields = matches.fields("property", expressions::expression);
        if (tokens.atWord("where")) {
            throw tokens.fail(
                    tokens.span(),
                    "`update $" + variable.name() + "` has no `where`",
                    "put the condition into the match");
        }
        return new MutationSyntax.UpdateBound(variable, fields);
    }

    private MutationSyntax delete() {
        Span typeSpan = tokens.span();
        String type = type("delete");
        // The hint of a refusal must not lead to a deletion of everything.
        requireWhere("delete " + type, ", as in `where name = \"…\"`");
        return new MutationSyntax.Delete(type, expressions.expression(), typeSpan);
    }

    private MutationSyntax deleteBound() {
        List<ExpressionSyntax.Dollar> variables = new ArrayList<>();
        do {
            variables.add(variable("a variable after `delete`", "such as `delete $a, $b`"));
        } while (tokens.accept(TokenKind.COMMA));
        if (tokens.atWord("where")) {
            throw tokens.fail(
                    tokens.span(), "`delete` of variables has no `where`", "put the condition into the match");
        }
        return new MutationSyntax.DeleteBound(List.copyOf(variables));
    }

    private MutationSyntax forEach(Span start) {
        if (nesting == NESTING_MAX) {
            throw tokens.fail(start, "`for` nests deeper than " + NESTING_MAX + " levels", null);
        }
        ExpressionSyntax.Dollar variable =
                variable("a variable after `for`", "such as `for $r in $rows { insert Person { name: $r.name } }`");
        tokens.expectWord("in", "after the variable");
        ExpressionSyntax list = expressions.expression();
        if (!tokens.at(TokenKind.LEFT_BRACE)) {
            throw tokens.expected(
                    "`{` before the statements of `for`",
                    "here `for` runs statements: `for $r in $rows { insert Person { name: $r.name } }`; in a read it"
                            + " stands within the braces of `match`");
        }
        tokens.advance();
        nesting++;
        List<MutationSyntax> statements = statements(false);
        nesting--;
        if (statements.isEmpty()) {
            tokens.note(start.start(), "`for` holds no statement", "write what to do for each element");
        }
        tokens.advance();
        return new MutationSyntax.ForEach(variable, list, statements);
    }

    private ExpressionSyntax.Dollar variable(String what, @Nullable String hint) {
        Span span = tokens.span();
        if (!tokens.at(TokenKind.VARIABLE)) {
            throw tokens.expected(what, hint);
        }
        String name = tokens.tokenText().substring(1);
        tokens.advance();
        return new ExpressionSyntax.Dollar(name, span);
    }

    private String type(String word) {
        if (!tokens.at(TokenKind.TYPE)) {
            throw tokens.expected(
                    "a node or edge type after `" + word + "`", ForeignClauses.statementType(tokens, word));
        }
        return tokens.expect(TokenKind.TYPE, "a node or edge type");
    }

    private void requireWhere(String before, String how) {
        if (!tokens.acceptWord("where")) {
            throw tokens.expected("`where` after `" + before + "`", "say which entities are meant" + how);
        }
    }
}
