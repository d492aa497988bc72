package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Expression.TextOperator;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/**
 * Parses expressions by recursive descent: connectives, comparisons and arithmetic; {@link AtomParser} parses what they
 * join. Two bounds on the depth keep this parser and all later recursion over the tree from overflowing the stack:
 * brackets and signs nest at most {@link #NESTING_MAX} deep, and one expression holds at most {@link #ARITHMETIC_MAX}
 * arithmetic operators, which nest to the left. {@code and} and {@code or} are flat lists.
 */
final class ExpressionParser {
    static final int NESTING_MAX = 100;
    static final int ARITHMETIC_MAX = 200;

    private static final Map<String, TextOperator> TEXT_OPERATORS = FunctionNames.byLowerName(TextOperator.values());

    private final TokenStream tokens;
    private final AtomParser atoms;
    private final WordUse words;
    private ValueBlocks blocks;
    private int nesting;
    private int arithmetic;

    ExpressionParser(TokenStream tokens, Literals literals) {
        this.tokens = tokens;
        this.atoms = new AtomParser(tokens, literals, this);
        this.words = new WordUse(tokens);
        this.blocks = new ValueBlocks(tokens, word -> {
            throw new IllegalStateException("no reader of blocks");
        });
    }

    /** A whole expression. */
    ExpressionSyntax expression() {
        return topLevel(this::or);
    }

    /**
     * A key of {@code order}.
     *
     * @param aliases the names of the columns, which a key may be before its direction
     */
    ExpressionSyntax key(Set<String> aliases) {
        if (words.isAliasAlone(aliases)) {
            Span span = tokens.span();
            String name = tokens.tokenText();
            tokens.advance();
            return new ExpressionSyntax.Word(name, span);
        }
        return expression();
    }

    /** An operand of a comparison. */
    ExpressionSyntax operand() {
        return topLevel(this::sum);
    }

    /** Resets the counters of depth, which a mistake within the last expression may have left above zero. */
    private ExpressionSyntax topLevel(Supplier<ExpressionSyntax> rule) {
        nesting = 0;
        arithmetic = 0;
        blocks.begin();
        ExpressionSyntax expression = rule.get();
        blocks.end(arithmetic);
        return expression;
    }

    /** Sets what reads the block of a value. Called once, before the first expression. */
    void readBlocksBy(ValueBlocks.Reader reader) {
        blocks = new ValueBlocks(tokens, reader);
    }

    /** The blocks that stand as values in the expression read last. */
    List<ExpressionSyntax.BlockValue> blocksOfLast() {
        return blocks.found();
    }

    /** The block after {@code exists}, {@code count} or an aggregate, which the cursor is after. */
    ExpressionSyntax blockValue(ExpressionSyntax.@Nullable Aggregate of, String word, Span start) {
        int outerNesting = nesting;
        int outerArithmetic = arithmetic;
        ClauseSyntax.Block block;
        try {
            block = blocks.read(word, nesting);
        } finally {
            nesting = outerNesting;
            arithmetic = outerArithmetic;
        }
        boolean exists = of == null && !word.equals("count");
        var value = new ExpressionSyntax.BlockValue(exists, of, block, tokens.spanFrom(start));
        blocks.add(value);
        return value;
    }

    /** An expression within another one. */
    ExpressionSyntax or() {
        Span start = tokens.span();
        List<ExpressionSyntax> operands = new ArrayList<>();
        do {
            operands.add(and());
        } while (acceptOperator("or"));
        return operands.size() == 1
                ? operands.getFirst()
                : new ExpressionSyntax.Or(List.copyOf(operands), tokens.spanFrom(start));
    }

    private ExpressionSyntax and() {
        Span start = tokens.span();
        List<ExpressionSyntax> operands = new ArrayList<>();
        do {
            operands.add(unary());
        } while (acceptOperator("and"));
        return operands.size() == 1
                ? operands.getFirst()
                : new ExpressionSyntax.And(List.copyOf(operands), tokens.spanFrom(start));
    }

    private ExpressionSyntax unary() {
        Span start = tokens.span();
        if (tokens.atWord("not") && !words.isOperand(0)) {
            tokens.advance();
            if (tokens.atWord("not") && !words.isOperand(0)) {
                throw tokens.fail(tokens.span(), "`not not`", "leave both out, or put the inner one in brackets");
            }
            if (tokens.at(TokenKind.LEFT_BRACE)) {
                ExpressionSyntax block = blockValue(null, "not", start);
                return new ExpressionSyntax.Not(block, tokens.spanFrom(start));
            }
            return new ExpressionSyntax.Not(comparison(), tokens.spanFrom(start));
        }
        return comparison();
    }

    private ExpressionSyntax comparison() {
        Span start = tokens.span();
        ExpressionSyntax left = sum();
        ComparisonOperator operator = comparisonOperator(tokens.kind());
        if (operator != null) {
            tokens.advance();
            ExpressionSyntax right = sum();
            rejectSecondComparison();
            return new ExpressionSyntax.Compare(operator, left, right, tokens.spanFrom(start));
        }
        if (!tokens.at(TokenKind.NAME) || tokens.kind(1) == TokenKind.COLON) {
            return left;
        }
        TextOperator textOperator = TEXT_OPERATORS.get(tokens.tokenText());
        if (textOperator != null) {
            tokens.advance();
            ExpressionSyntax right = sum();
            rejectSecondComparison();
            return new ExpressionSyntax.TextTest(textOperator, left, right, tokens.spanFrom(start));
        }
        String foreign = ForeignWords.operator(tokens);
        if (foreign != null) {
            throw tokens.fail(tokens.span(), "there is no operator `" + tokens.tokenText() + "`", foreign);
        }
        if (tokens.acceptWord("in")) {
            return new ExpressionSyntax.In(left, false, sum(), tokens.spanFrom(start));
        }
        if (tokens.atWord("not") && tokens.wordAhead(1, "in")) {
            tokens.advance();
            tokens.advance();
            return new ExpressionSyntax.In(left, true, sum(), tokens.spanFrom(start));
        }
        if (tokens.acceptWord("is")) {
            boolean negated = tokens.acceptWord("not");
            tokens.expectWord("null", "after `is`");
            return new ExpressionSyntax.IsNull(left, negated, tokens.spanFrom(start));
        }
        return left;
    }

    private void rejectSecondComparison() {
        if (comparisonOperator(tokens.kind()) != null) {
            throw tokens.fail(
                    tokens.span(),
                    "comparisons do not chain",
                    "write both and join them with `and`: `1 < $x.n and $x.n < 9`");
        }
    }

    static @Nullable ComparisonOperator comparisonOperator(TokenKind kind) {
        return switch (kind) {
            case EQUAL -> ComparisonOperator.EQUAL;
            case NOT_EQUAL -> ComparisonOperator.NOT_EQUAL;
            case LESS -> ComparisonOperator.LESS;
            case LESS_OR_EQUAL -> ComparisonOperator.LESS_OR_EQUAL;
            case GREATER -> ComparisonOperator.GREATER;
            case GREATER_OR_EQUAL -> ComparisonOperator.GREATER_OR_EQUAL;
            default -> null;
        };
    }

    /** An operand of a comparison within an expression. */
    ExpressionSyntax sum() {
        Span start = tokens.span();
        ExpressionSyntax left = product();
        while (true) {
            ArithmeticOperator operator = switch (tokens.kind()) {
                case PLUS -> ArithmeticOperator.ADD;
                case MINUS -> ArithmeticOperator.SUBTRACT;
                default -> null;
            };
            if (tokens.at(TokenKind.BAR) && tokens.kind(1) == TokenKind.BAR) {
                countOperator();
                tokens.advance();
                tokens.advance();
                left = new ExpressionSyntax.Concat(left, product(), tokens.spanFrom(start));
                continue;
            }
            // No number comes of `exists { … }`, so a minus after it begins the next clause.
            if (operator == null || ExpressionSyntax.BlockValue.isExists(left)) {
                return left;
            }
            countOperator();
            tokens.advance();
            left = new ExpressionSyntax.Arithmetic(operator, left, product(), tokens.spanFrom(start));
        }
    }

    private ExpressionSyntax product() {
        Span start = tokens.span();
        ExpressionSyntax left = atom();
        while (true) {
            ArithmeticOperator operator = switch (tokens.kind()) {
                case STAR -> ArithmeticOperator.MULTIPLY;
                case SLASH -> ArithmeticOperator.DIVIDE;
                case PERCENT -> ArithmeticOperator.REMAINDER;
                default -> null;
            };
            if (operator == null) {
                return left;
            }
            countOperator();
            tokens.advance();
            left = new ExpressionSyntax.Arithmetic(operator, left, atom(), tokens.spanFrom(start));
        }
    }

    /** Counts an operator that makes the tree of its expression deeper on the left side. */
    void countOperator() {
        if (++arithmetic > ARITHMETIC_MAX) {
            throw tokens.fail(
                    tokens.span(),
                    "the expression holds more than " + ARITHMETIC_MAX + " arithmetic operators",
                    "compute part of it beforehand and pass it as a parameter");
        }
    }

    private ExpressionSyntax atom() {
        if (nesting >= NESTING_MAX || blocks.isTooDeep(nesting)) {
            throw tokens.fail(
                    tokens.span(),
                    "the expression nests deeper than " + NESTING_MAX + " levels",
                    "remove brackets that are not needed, or split it");
        }
        nesting++;
        ExpressionSyntax atom = atoms.atom();
        nesting--;
        return atom;
    }

    /** The operand of a sign. */
    ExpressionSyntax signed() {
        return atom();
    }

    /** Takes a joining word, unless it is the name of the next field in a list of assignments. */
    private boolean acceptOperator(String word) {
        return tokens.kind(1) != TokenKind.COLON && tokens.acceptWord(word);
    }
}
