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
    private int stageCount;

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
        stageCount = 0;
        List<GqFile.Stage> first = new ArrayList<>();
        return stages(first, true) ? united(List.copyOf(first), start) : mutation(start, first);
    }

    private GqFile.Read united(List<GqFile.Stage> first, Span start) {
        if (!tokens.atWord("union")) {
            return new GqFile.Read(first, null, tokens.spanFrom(start));
        }
        GqFile.Stage last = first.getLast();
        if (!last.order().isEmpty()
                || last.window().skip() != null
                || last.window().limit() != null) {
            throw tokens.fail(
                    tokens.span(),
                    "`order`, `skip` and `limit` stand after the last part of a union and speak of the whole",
                    "order or limit one part in a `with` before its `return`");
        }
        List<GqFile.UnionPart> parts = new ArrayList<>();
        while (tokens.atWord("union")) {
            Span word = tokens.span();
            tokens.advance();
            boolean all = tokens.acceptWord("all");
            if (!all) {
                tokens.acceptWord("distinct");
            }
            List<GqFile.Stage> part = new ArrayList<>();
            stages(part, false);
            parts.add(new GqFile.UnionPart(all, List.copyOf(part), word));
        }
        Set<String> columns = new HashSet<>();
        last.projections().forEach(column -> columns.add(column.column()));
        Rows rows = rows(columns);
        List<GqFile.OrderKey> order = rows.order.stream()
                .map(key -> new GqFile.OrderKey(column(key.expression()), key.descending(), key.isDirected()))
                .toList();
        List<ExpressionSyntax> per =
                rows.window.per().stream().map(this::column).toList();
        GqFile.Window window = new GqFile.Window(rows.window.skip(), rows.window.limit(), per);
        return new GqFile.Read(first, new GqFile.Union(List.copyOf(parts), order, window), tokens.spanFrom(start));
    }

    /** What follows a union names columns, as their sources do: {@code p.name} by {@code $p.name}. */
    private ExpressionSyntax column(ExpressionSyntax key) {
        return key instanceof ExpressionSyntax.Word
                ? key
                : new ExpressionSyntax.Word(ColumnName.of(key.span(), tokens.tokens(), tokens.text()), key.span());
    }

    /**
     * Reads stages up to a {@code return}.
     *
     * @param first whether {@code order}, {@code skip} and {@code limit} belong to it, and statements may follow
     * @return false where the statements of a mutation begin
     */
    private boolean stages(List<GqFile.Stage> stages, boolean first) {
        matches.beginPart();
        while (true) {
            ClauseSyntax.Block match = match();
            Span word = tokens.span();
            if (stageCount++ == STAGES_MAX) {
                throw tokens.stop(word, "the query has more than " + STAGES_MAX + " stages", "split the query");
            }
            if (tokens.acceptWord("with")) {
                stages.add(with(match, word));
            } else if (tokens.acceptWord("return")) {
                stages.add(returned(match, word, first));
                return true;
            } else if (first && mutations.atStatement()) {
                if (match != null || !stages.isEmpty()) {
                    stages.add(new GqFile.Stage(match, false, List.of(), null, List.of(), ALL, word));
                }
                return false;
            } else {
                throw tokens.expected(
                        match != null ? "`return` or `with` after the match block" : "`match`, `with` or `return`",
                        afterMatch());
            }
        }
    }

    /** @param stages what stands before the statements */
    private GqFile.Mutation mutation(Span start, List<GqFile.Stage> stages) {
        GqFile.Read rows = stages.isEmpty() ? null : new GqFile.Read(List.copyOf(stages), null, tokens.spanFrom(start));
        List<GqFile.MutationSyntax> statements = mutations.statements(true);
        Span word = tokens.span();
        GqFile.Stage answer = tokens.acceptWord("return") ? returned(null, word, true) : null;
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
        if (tokens.kind(1) == TokenKind.VARIABLE && (tokens.atWord("let") || tokens.atWord("filter"))) {
            return "put what `" + tokens.tokenText() + "` says into the match block";
        }
        String foreign = ForeignWords.hint(tokens);
        if (foreign != null) {
            return foreign;
        }
        if (tokens.at(TokenKind.LEFT_BRACE)) {
            return "the parts of a union stand without braces: `union match { … } return { … }`";
        }
        return tokens.at(TokenKind.END)
                ? "a `}` is missing, or what to answer: `return { $x.name }`"
                : "say what to answer: `return { $x.name }`";
    }

    private GqFile.Stage with(ClauseSyntax.@Nullable Block match, Span word) {
        boolean distinct = tokens.acceptWord("distinct");
        List<GqFile.Projection> bound = items("with", this::bound);
        matches.bound(bound);
        ExpressionSyntax where = where();
        Rows rows = rows(Set.of());
        return new GqFile.Stage(match, distinct, bound, where, rows.order, rows.window, word);
    }

    private GqFile.Stage returned(ClauseSyntax.@Nullable Block match, Span word, boolean whole) {
        boolean distinct = tokens.acceptWord("distinct");
        List<GqFile.Projection> columns = items("return", this::projection);
        Set<String> aliases = new HashSet<>();
        columns.forEach(column -> aliases.add(column.column()));
        ExpressionSyntax where = where();
        Rows rows = whole ? rows(aliases) : new Rows(List.of(), new GqFile.Window(null, null, List.of()));
        return new GqFile.Stage(match, distinct, columns, where, rows.order, rows.window, word);
    }

    private @Nullable ExpressionSyntax where() {
        return tokens.acceptWord("where") ? expressions.expression() : null;
    }

    /** The order and the window of a list. */
    private record Rows(List<GqFile.OrderKey> order, GqFile.Window window) {}

    private Rows rows(Set<String> aliases) {
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
        return new Rows(order, new GqFile.Window(skip, limit, per));
    }

    private GqFile.Projection projection() {
        Span start = tokens.span();
        ExpressionSyntax expression = expressions.expression();
        Span span = tokens.spanFrom(start);
        String alias = null;
        if (tokens.acceptWord("as")) {
            if (tokens.at(TokenKind.STRING) || tokens.at(TokenKind.VARIABLE)) {
                throw tokens.expected(
                        "a column name after `as`",
                        tokens.at(TokenKind.STRING)
                                ? "a name stands without quotes: `as n`"
                                : "the name of a column has no `$`: write `as "
                                        + tokens.tokenText().substring(1) + "`");
            }
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
        boolean isDirected = descending || tokens.acceptWord("asc");
        return new GqFile.OrderKey(expression, descending, isDirected);
    }

    /** The items of a block, separated by commas or line breaks. */
    private <T> List<T> items(String what, Supplier<T> rule) {
        Span start = tokens.span();
        if (!tokens.at(TokenKind.LEFT_BRACE)) {
            throw tokens.expected(
                    "`{` after `" + what + "`",
                    "write the expressions in braces: `" + what + (what.equals("with") ? " { $x }`" : " { $x.name }`"));
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
            default -> ForeignWords.after(tokens);
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
