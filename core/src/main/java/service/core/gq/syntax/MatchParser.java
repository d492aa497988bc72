package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import service.core.gq.syntax.ClauseSyntax.Block;
import service.core.gq.syntax.ClauseSyntax.Edges;
import service.core.gq.syntax.ClauseSyntax.Field;
import service.core.gq.syntax.ClauseSyntax.Hops;
import service.core.gq.syntax.ClauseSyntax.Mode;
import service.core.gq.syntax.ClauseSyntax.VariableSyntax;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/**
 * Parses match blocks and the fields in braces of bindings and mutations. Blocks nest at most {@link #NESTING_MAX}
 * deep, and one match holds at most {@link #PARTS_MAX} bindings, traversals and blocks. These limits bound the work of
 * the planner and the number of operators.
 */
final class MatchParser {
    static final int NESTING_MAX = 50;
    static final int PARTS_MAX = 200;

    /** Each may divide the match, and the parts of a query nest in its plan. */
    static final int GIVENS_MAX = 50;

    /** Words that join the operands of a condition or test the one before them. */
    private static final Set<String> OPERATORS =
            Set.of("in", "not", "is", "and", "or", "contains", "starts_with", "ends_with", "matches");

    private final TokenStream tokens;
    private final ExpressionParser expressions;
    private final EdgeParser edges;
    private final DrawnEdge drawn;
    private final Set<String> parameters = new HashSet<>();

    /** Variables that the stages before this one have bound to values, or that may be. */
    private final Set<String> values = new HashSet<>();

    private int nesting;
    private int parts;
    private int givens;

    MatchParser(TokenStream tokens, ExpressionParser expressions, Literals literals) {
        this.tokens = tokens;
        this.expressions = expressions;
        this.edges = new EdgeParser(tokens, expressions, literals);
        this.drawn = new DrawnEdge(tokens);
        expressions.readBlocksBy(this::valueBlock);
    }

    /** Sets the parameters of the query that begins here: a clause that starts with a parameter is a filter. */
    void begin(List<String> declared) {
        parameters.clear();
        parameters.addAll(declared);
        values.clear();
        nesting = 0;
        parts = 0;
        givens = 0;
    }

    /** Begins a part of a read, which sees no variable yet. */
    void beginPart() {
        values.clear();
    }

    /** Takes note of the variables that a {@code with} leaves: a clause may ask for the value of one. */
    void bound(List<GqFile.Projection> list) {
        Set<String> left = new HashSet<>();
        for (GqFile.Projection item : list) {
            boolean isEntity =
                    item.expression() instanceof ExpressionSyntax.Dollar variable && !values.contains(variable.name());
            if (!isEntity) {
                left.add(item.column());
            }
        }
        values.clear();
        values.addAll(left);
    }

    private void countPart(Span start) {
        if (++parts > PARTS_MAX) {
            throw tokens.stop(
                    start,
                    "the match holds more than " + PARTS_MAX + " bindings, traversals and blocks",
                    "split the query; a path of many steps is written with bounds, such as `$a knows{1,5} $b`");
        }
    }

    Block block(String what) {
        Span start = tokens.span();
        if (nesting >= NESTING_MAX) {
            throw tokens.fail(start, "blocks nest deeper than " + NESTING_MAX + " levels", null);
        }
        if (!tokens.accept(TokenKind.LEFT_BRACE)) {
            throw tokens.expected(
                    "`{` after `" + what + "`",
                    "what is matched stands in braces: `" + what + " { $a: Person $a knows $b }`");
        }
        if (tokens.at(TokenKind.RIGHT_BRACE)) {
            tokens.note(
                    start.start(),
                    "the block of `" + what + "` is empty",
                    "bind at least one variable, such as `$p: Person`");
        }
        List<ClauseSyntax> clauses = new ArrayList<>();
        nesting++;
        int depth = nesting;
        while (!tokens.accept(TokenKind.RIGHT_BRACE)) {
            int clauseStart = tokens.index();
            try {
                clauses.add(clause());
                tokens.accept(TokenKind.COMMA);
            } catch (TokenStream.Mistake mistake) {
                tokens.recover(mistake);
                nesting = depth;
                tokens.skipItem(clauseStart, false);
                if (tokens.at(TokenKind.END)) {
                    throw mistake;
                }
            }
        }
        nesting--;
        return new Block(List.copyOf(clauses), tokens.spanFrom(start));
    }

    private ClauseSyntax clause() {
        Span start = tokens.span();
        if (tokens.at(TokenKind.ANONYMOUS)) {
            return tokens.kind(1) == TokenKind.DOT ? filter() : bindingOrTraversal();
        }
        if (tokens.at(TokenKind.VARIABLE)) {
            boolean isParameter = parameters.contains(tokens.tokenText().substring(1));
            if (isParameter && tokens.kind(1) == TokenKind.COLON) {
                throw tokens.fail(
                        start,
                        "`" + tokens.tokenText() + "` is a parameter and cannot be bound",
                        "give the variable or the parameter another name");
            }
            return isParameter || asksForValue() ? filter() : bindingOrTraversal();
        }
        if (tokens.kind(1) == TokenKind.LEFT_BRACE && tokens.at(TokenKind.NAME)) {
            return blockClause(start);
        }
        if (tokens.kind(1) == TokenKind.VARIABLE && (tokens.atWord("let") || tokens.atWord("for"))) {
            return given(start);
        }
        if (tokens.at(TokenKind.LEFT_PAREN) && drawn.isNode()) {
            throw tokens.fail(start, "an edge is not drawn with arrows", "write `" + drawn.spelledOut() + "`");
        }
        boolean isFilter = tokens.atWord("filter") && tokens.kind(1) == TokenKind.VARIABLE;
        if (isFilter || (tokens.atWord("where") && ExpressionParser.comparisonOperator(tokens.kind(1)) == null)) {
            tokens.note(
                    start.start(),
                    "a match has no `" + tokens.tokenText() + "`",
                    "conditions stand beside the other clauses: leave `" + tokens.tokenText() + "` out");
            tokens.advance();
            return clause();
        }
        if (tokens.at(TokenKind.TYPE)) {
            String foreign = ForeignWords.capitals(tokens);
            foreign = foreign != null ? foreign : ForeignWords.smallLetters(tokens);
            if (foreign != null) {
                throw tokens.expected("a clause", foreign);
            }
            throw tokens.expected("a clause", "bind a variable of the type: `$x: " + tokens.tokenText() + "`");
        }
        if (tokens.atWord("unwind") && tokens.kind(1) != TokenKind.DOT) {
            throw tokens.expected("a clause", ForeignWords.hint(tokens));
        }
        String mode = ForeignWords.mode(tokens);
        if (mode != null) {
            throw tokens.expected("a clause", mode);
        }
        String pattern = ForeignClauses.remedy(tokens, OPERATORS);
        if (pattern != null) {
            throw tokens.fail(start, "`" + tokens.tokenText() + "` cannot stand before this", pattern);
        }
        return filter();
    }

    /** {@code let $n = e} or {@code for $x in e}. */
    private ClauseSyntax given(Span start) {
        countPart(start);
        if (++givens > GIVENS_MAX) {
            throw tokens.stop(
                    start,
                    "the query has more than " + GIVENS_MAX + " `let` and `for`",
                    "write a value that is used once where it is used");
        }
        boolean let = tokens.acceptWord("let");
        if (!let) {
            tokens.advance();
        }
        VariableSyntax variable = variable("a variable");
        values.add(String.valueOf(variable.name()));
        if (let) {
            tokens.expect(TokenKind.EQUAL, "`=` after the variable, as in `let $n = $x.age + 1`");
            ExpressionSyntax value = expressions.expression();
            return new ClauseSyntax.Let(variable, value, tokens.spanFrom(start));
        }
        tokens.expectWord("in", "after the variable, as in `for $x in $list`");
        ExpressionSyntax list = expressions.operand();
        return new ClauseSyntax.For(variable, list, tokens.spanFrom(start));
    }

    /**
     * Whether the clause that begins with this variable is a condition. A word after the variable is an edge, unless
     * the variable may be bound to a value and the word is an operator.
     */
    private boolean asksForValue() {
        boolean mayBeValue = values.contains(tokens.tokenText().substring(1));
        return switch (tokens.kind(1)) {
            case COLON, VARIABLE, ANONYMOUS, LEFT_PAREN, TYPE -> false;
            case LESS -> {
                boolean word = tokens.kind(2) == TokenKind.NAME || tokens.kind(2) == TokenKind.TYPE;
                boolean edges = tokens.kind(3) == TokenKind.GREATER || tokens.kind(3) == TokenKind.BAR;
                yield !(word && edges) && tokens.kind(2) != TokenKind.STAR;
            }
            case STAR -> mayBeValue && tokens.kind(2) != TokenKind.VARIABLE && tokens.kind(2) != TokenKind.LEFT_BRACE;
            case NAME -> {
                boolean isNull = tokens.wordAhead(1, "is")
                        && (tokens.wordAhead(2, "null") || (tokens.wordAhead(2, "not") && tokens.wordAhead(3, "null")));
                boolean isIn = tokens.wordAhead(1, "in")
                        ? isListAt(2)
                        : tokens.wordAhead(1, "not") && tokens.wordAhead(2, "in") && isListAt(3);
                yield isNull || isIn || (mayBeValue && OPERATORS.contains(tokens.tokenText(1)));
            }
            case DOT, EQUAL, NOT_EQUAL, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, PLUS, SLASH, PERCENT -> true;
            default -> mayBeValue;
        };
    }

    /** Whether a list begins that many places ahead; {@code $a in $b} follows an edge where {@code $b} is a node. */
    private boolean isListAt(int ahead) {
        if (tokens.kind(ahead) == TokenKind.VARIABLE) {
            String name = tokens.tokenText(ahead).substring(1);
            return values.contains(name) || parameters.contains(name);
        }
        boolean isCall = tokens.kind(ahead) == TokenKind.NAME && tokens.kind(ahead + 1) == TokenKind.LEFT_PAREN;
        return isCall || tokens.kind(ahead) == TokenKind.LEFT_BRACKET;
    }

    private ClauseSyntax filter() {
        ExpressionSyntax expression = expressions.expression();
        return new ClauseSyntax.Filter(expression, expressions.blocksOfLast());
    }

    private ClauseSyntax blockClause(Span start) {
        String word = tokens.tokenText();
        return switch (word) {
            case "optional" -> {
                countPart(start);
                tokens.advance();
                Block block = block(word);
                yield new ClauseSyntax.OptionalBlock(block, tokens.spanFrom(start));
            }
            case "not", "exists", "count" -> filter();
            case "sum", "avg", "min", "max", "collect" -> {
                tokens.advance();
                throw tokens.expected(
                        "`(` after `" + word + "`", "name what it runs over: `" + word + "($x.size) { … } >= 100`");
            }
            case "return", "order" ->
                throw tokens.fail(
                        start,
                        "`" + word + "` must come after the match block",
                        "close the block with `}` before `" + word + "`");
            default ->
                throw tokens.fail(
                        start,
                        "there is no block `" + word + " { … }`",
                        tokens.kind(2) == TokenKind.INT
                                ? "a traversal begins with its node, and a path is named before the edges: `$a $p:"
                                        + word + "{1,3} $b`"
                                : word.equals("match")
                                        ? "a block holds what is matched without the word: `count { $a knows $b }`"
                                        : "the blocks are `optional`, `not`, `exists`, `count`, and `sum(…)`, `avg(…)`,"
                                                + " `min(…)`, `max(…)`, `collect(…)` before a block");
        };
    }

    /** The block of a value in an expression. */
    private Block valueBlock(String word) {
        countPart(tokens.span());
        return block(word);
    }

    private VariableSyntax variable(String what) {
        Span span = tokens.span();
        if (tokens.accept(TokenKind.ANONYMOUS)) {
            return new VariableSyntax(null, span);
        }
        String text = tokens.expect(TokenKind.VARIABLE, what);
        return new VariableSyntax(text.substring(1), span);
    }

    private ClauseSyntax bindingOrTraversal() {
        Span start = tokens.span();
        countPart(start);
        VariableSyntax left = variable("a variable");
        if (tokens.accept(TokenKind.COLON)) {
            return binding(left, start);
        }
        VariableSyntax edge = null;
        if (tokens.at(TokenKind.VARIABLE) || tokens.at(TokenKind.ANONYMOUS)) {
            edge = variable("a variable");
            tokens.expect(TokenKind.COLON, "`:` and an edge after the edge variable, as in `$a $w:knows $b`");
        }
        Mode mode = edges.mode();
        Edges followed = edges.edges(left);
        Hops hops = tokens.at(TokenKind.LEFT_BRACE) ? edges.hops() : null;
        if (!tokens.at(TokenKind.VARIABLE) && !tokens.at(TokenKind.ANONYMOUS)) {
            throw tokens.expected(
                    "the variable at the other end of the traversal", ForeignClauses.otherEnd(tokens, edge != null));
        }
        VariableSyntax right = variable("a variable");
        if (tokens.at(TokenKind.LEFT_BRACE)) {
            String name = right.name() == null ? "$x" : "$" + right.name();
            throw tokens.fail(
                    tokens.span(),
                    "the end of a traversal takes no values",
                    "bind it in a separate clause: `" + name + ": Type { … }`");
        }
        if (tokens.at(TokenKind.COLON)) {
            String name = right.name() == null ? "$x" : "$" + right.name();
            throw tokens.fail(
                    tokens.span(),
                    "the end of a traversal is a variable alone",
                    "give its type in a separate clause: `" + name + ": "
                            + (tokens.kind(1) == TokenKind.TYPE ? tokens.tokenText(1) : "Type") + "`");
        }
        if (ForeignClauses.isNextStep(tokens)) {
            throw tokens.fail(
                    tokens.span(),
                    "a traversal has one step",
                    "each step begins with its node: `" + (right.name() == null ? "$x" : "$" + right.name()) + " "
                            + tokens.tokenText() + " " + tokens.tokenText(1) + "`");
        }
        return new ClauseSyntax.Traversal(left, edge, mode, followed, hops, right, tokens.spanFrom(start));
    }

    private ClauseSyntax binding(VariableSyntax variable, Span start) {
        Span typeSpan = tokens.span();
        if (!tokens.at(TokenKind.TYPE)) {
            throw tokens.expected(
                    "a type name after `:`", "type names start with an upper-case letter, as in `$p: Person`");
        }
        String type = tokens.tokenText();
        tokens.advance();
        if (tokens.at(TokenKind.BAR) || tokens.at(TokenKind.QUESTION)) {
            throw tokens.fail(
                    tokens.span(),
                    "a variable is bound to one type",
                    tokens.at(TokenKind.BAR)
                            ? "name an interface that the types implement, or join two reads by `union`"
                            : "what may be missing stands in `optional { … }`");
        }
        List<Field> fields = tokens.at(TokenKind.LEFT_BRACE) ? fields("property", expressions::operand) : List.of();
        return new ClauseSyntax.Binding(variable, type, typeSpan, fields, tokens.spanFrom(start));
    }

    /** {@code { name: value, … }}; commas may be left out. */
    List<Field> fields(String what, Supplier<ExpressionSyntax> value) {
        if (!tokens.at(TokenKind.LEFT_BRACE)) {
            throw tokens.expected("`{`", "values stand in braces: `{ name: \"ada\", age: 36 }`");
        }
        tokens.advance();
        List<Field> fields = new ArrayList<>();
        while (!tokens.accept(TokenKind.RIGHT_BRACE)) {
            int fieldStart = tokens.index();
            try {
                fields.add(field(what, value));
                if (!tokens.accept(TokenKind.COMMA)
                        && !tokens.at(TokenKind.RIGHT_BRACE)
                        && tokens.kind(1) != TokenKind.COLON) {
                    throw tokens.expected("`,` or `}` after the value", null);
                }
            } catch (TokenStream.Mistake mistake) {
                tokens.recover(mistake);
                tokens.skipItem(fieldStart, true);
                if (tokens.at(TokenKind.END)) {
                    throw mistake;
                }
            }
        }
        return List.copyOf(fields);
    }

    private Field field(String what, Supplier<ExpressionSyntax> value) {
        Span nameSpan = tokens.span();
        if (tokens.at(TokenKind.AT_NAME) || tokens.at(TokenKind.TYPE)) {
            throw tokens.expected(
                    "a " + what + " name",
                    tokens.at(TokenKind.AT_NAME)
                            ? "`" + tokens.tokenText() + "` is asked for in a filter: `$x.@id = \"…\"`"
                            : "property names start with a lower-case letter");
        }
        if (!tokens.at(TokenKind.NAME)) {
            throw tokens.expected("a " + what + " name", ForeignClauses.fieldName(tokens));
        }
        String name = tokens.expect(TokenKind.NAME, "a " + what + " name");
        if (!tokens.at(TokenKind.COLON)) {
            throw tokens.expected("`:` after `" + name + "`", ForeignClauses.afterField(tokens, name));
        }
        tokens.advance();
        return new Field(name, nameSpan, value.get());
    }
}
