package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/**
 * Parses reads: stages of {@code match} and {@code with}, then {@code return}. A list holds at most {@link #ITEMS_MAX}
 * items, a read at most {@link #STAGES_MAX} stages, which bounds the depth of its plan.
 */
final class ReadParser {
    static final int STAGES_MAX = 50;
    private static final int ITEMS_MAX = 1000;
    private static final GqFile.Window ALL = new GqFile.Window(null, null, List.of());

    private final TokenStream tokens;
    private final ExpressionParser expressions;
    private final MatchParser matches;
    private final MutationParser mutations;

    ReadParser(TokenStream tokens, ExpressionParser expressions, MatchParser matches) {
        this.tokens = tokens;
        this.expressions = expressions;
        this.matches = matches;
        this.mutations = new MutationParser(tokens, expressions, matches);
    }

    /** Whether the body of a query begins here. */
    boolean atStart() {
        return tokens.atWord("match") || tokens.atWord("with") || tokens.atWord("return") || mutations.atStatement();
    }

    /** A read, or the statements of a mutation with the stages before them. */
    GqFile.Body body(Span start) {
        List<GqFile.Stage> stages = new ArrayList<>();
        while (true) {
            ClauseSyntax.Block match = match();
            Span word = tokens.span();
            if (stages.size() == STAGES_MAX) {
                throw tokens.stop(word, "the query has more than " + STAGES_MAX + " stages", "split the query");
            }
            if (tokens.acceptWord("with")) {
                stages.add(with(match, word));
            } else if (tokens.acceptWord("return")) {
                stages.add(returned(match, word));
                return new GqFile.Read(List.copyOf(stages), tokens.spanFrom(start));
            } else if (mutations.atStatement()) {
                if (match != null || !stages.isEmpty()) {
                    stages.add(new GqFile.Stage(match, false, List.of(), null, List.of(), ALL, word));
                }
                return mutation(start, stages);
            } else {
                throw tokens.expected(
                        match != null ? "`return` or `with` after the match block" : "`match`, `with` or `return`",
                        afterMatch());
            }
        }
    }

    /** @param stages what stands before the statements */
    private GqFile.Mutation mutation(Span start, List<GqFile.Stage> stages) {
        GqFile.Read rows = stages.isEmpty() ? null : new GqFile.Read(List.copyOf(stages), tokens.spanFrom(start));
        List<GqFile.MutationSyntax> statements = mutations.statements(true);
        Span word = tokens.span();
        GqFile.Stage answer = tokens.acceptWord("return") ? returned(null, word) : null;
        return new GqFile.Mutation(rows, statements, answer);
    }

    /** The clauses of the match blocks that follow each other; null without any. */
    private ClauseSyntax.@Nullable Block match() {
        Span start = tokens.span();
        List<ClauseSyntax> clauses = new ArrayList<>();
        boolean any = false;
        while (tokens.acceptWord("match")) {
            clauses.addAll(matches.block("match").clauses());
            any = true;
        }
        return any ? new ClauseSyntax.Block(List.copyOf(clauses), tokens.spanFrom(start)) : null;
    }

    private String afterMatch() {
        if (tokens.atWord("where")) {
            return "a match has no `where` after it: put the condition into the match block";
        }
        if (tokens.atWord("optional")) {
            return "put `optional { … }` into the match block";
        }
        String foreign = ForeignWords.hint(tokens);
        if (foreign != null) {
            return foreign;
        }
        return tokens.at(TokenKind.END)
                ? "a `}` is missing, or what to answer: `return { $x.name }`"
                : "say what to answer: `return { $x.name }`";
    }

    private GqFile.Stage with(ClauseSyntax.@Nullable Block match, Span word) {
        boolean distinct = tokens.acceptWord("distinct");
        List<GqFile.Projection> bound = items("with", this::bound);
        matches.bound(bound);
        return stage(match, distinct, bound, Set.of(), word);
    }

    private GqFile.Stage returned(ClauseSyntax.@Nullable Block match, Span word) {
        boolean distinct = tokens.acceptWord("distinct");
        List<GqFile.Projection> columns = items("return", this::projection);
        Set<String> aliases = new HashSet<>();
        columns.forEach(column -> aliases.add(column.column()));
        return stage(match, distinct, columns, aliases, word);
    }

    private GqFile.Stage stage(
            ClauseSyntax.@Nullable Block match,
            boolean distinct,
            List<GqFile.Projection> list,
            Set<String> aliases,
            Span word) {
        ExpressionSyntax where = tokens.acceptWord("where") ? expressions.expression() : null;
        List<GqFile.OrderKey> order = List.of();
        if (tokens.acceptWord("order")) {
            if (tokens.atWord("by")) {
                throw tokens.fail(tokens.span(), "`order by` is not GQ", "write `order { $x.name desc }`");
            }
            order = items("order", () -> orderKey(aliases));
        }
        ExpressionSyntax skip = tokens.acceptWord("skip") ? count("skip") : null;
        ExpressionSyntax limit = tokens.acceptWord("limit") ? count("limit") : null;
        List<ExpressionSyntax> per = List.of();
        if (limit != null && tokens.acceptWord("per")) {
            per = items("per", () -> expressions.key(aliases));
        }
        return new GqFile.Stage(match, distinct, list, where, order, new GqFile.Window(skip, limit, per), word);
    }

    private GqFile.Projection projection() {
        Span start = tokens.span();
        ExpressionSyntax expression = expressions.expression();
        Span span = tokens.spanFrom(start);
        String alias = null;
        if (tokens.acceptWord("as")) {
            alias = tokens.expect(TokenKind.NAME, "a column name after `as`, which starts with a lower-case letter");
        }
        return new GqFile.Projection(
                expression, alias, alias != null ? alias : ColumnName.of(span, tokens.tokens(), tokens.text()), span);
    }

    /** An item of {@code with}: a variable, or an expression with the variable that it binds. */
    private GqFile.Projection bound() {
        Span start = tokens.span();
        ExpressionSyntax expression = expressions.expression();
        Span span = tokens.spanFrom(start);
        if (tokens.acceptWord("as")) {
            if (!tokens.at(TokenKind.VARIABLE)) {
                throw tokens.expected(
                        "a variable after `as`",
                        tokens.at(TokenKind.NAME)
                                ? "a variable begins with `$`: write `as $" + tokens.tokenText() + "`"
                                : "such as `count(*) as $n`");
            }
            String name = tokens.tokenText().substring(1);
            tokens.advance();
            return new GqFile.Projection(expression, name, name, span);
        }
        if (expression instanceof ExpressionSyntax.Dollar variable) {
            return new GqFile.Projection(expression, null, variable.name(), span);
        }
        throw tokens.expected(
                "`as` and a variable after the expression", "the next stage reads it by that name: `count(*) as $n`");
    }

    private GqFile.OrderKey orderKey(Set<String> aliases) {
        ExpressionSyntax expression = expressions.key(aliases);
        boolean descending = tokens.acceptWord("desc");
        if (!descending) {
            tokens.acceptWord("asc");
        }
        return new GqFile.OrderKey(expression, descending);
    }

    /** The items of a block, separated by commas or line breaks. */
    private <T> List<T> items(String what, Supplier<T> rule) {
        Span start = tokens.span();
        if (!tokens.at(TokenKind.LEFT_BRACE)) {
            throw tokens.expected(
                    "`{` after `" + what + "`", "write the expressions in braces: `" + what + " { $x.name }`");
        }
        tokens.advance();
        List<T> items = new ArrayList<>();
        if (tokens.at(TokenKind.RIGHT_BRACE)) {
            tokens.note(start.start(), "`" + what + " { }` is empty", "name at least one expression");
        }
        while (!tokens.accept(TokenKind.RIGHT_BRACE)) {
            int itemStart = tokens.index();
            if (items.size() == ITEMS_MAX) {
                throw tokens.stop(tokens.span(), "`" + what + "` holds more than " + ITEMS_MAX + " expressions", null);
            }
            try {
                items.add(rule.get());
                if (!tokens.accept(TokenKind.COMMA) && !tokens.at(TokenKind.RIGHT_BRACE) && !tokens.firstOnLine()) {
                    throw tokens.expected("`,` or `}` after the expression", afterExpression(what));
                }
            } catch (TokenStream.Mistake mistake) {
                tokens.recover(mistake);
                tokens.skipItem(itemStart, true);
                if (tokens.at(TokenKind.END)) {
                    throw mistake;
                }
            }
        }
        return List.copyOf(items);
    }

    private @Nullable String afterExpression(String what) {
        if (tokens.index() > 0 && tokens.tokenText(-1).equals("distinct")) {
            return "`distinct` stands before the braces: `" + what + " distinct { … }`";
        }
        return switch (tokens.tokenText().toLowerCase(Locale.ROOT)) {
            case "descending" -> "write `desc`";
            case "ascending" -> "write `asc`";
            default -> null;
        };
    }

    private ExpressionSyntax count(String what) {
        if (tokens.at(TokenKind.INT) || (tokens.at(TokenKind.VARIABLE) && tokens.kind(1) != TokenKind.DOT)) {
            return expressions.operand();
        }
        throw tokens.expected(
                "an integer or an integer parameter after `" + what + "`",
                "such as `" + what + " 10` or `" + what + " $n`");
    }
}
