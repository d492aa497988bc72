package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import service.core.gq.syntax.ExpressionSyntax.BlockValue;
import service.core.text.TokenStream;

/**
 * Reads the blocks that stand as values in expressions. Expressions and blocks nest within each other, so it also
 * bounds what lies on one way from the outermost expression to a leaf: twice as many brackets and arithmetic operators
 * as one expression may hold. This bounds the depth of all later recursion.
 */
final class ValueBlocks {
    /** Reads a block from its brace on. */
    interface Reader {
        ClauseSyntax.Block read(String word);
    }

    private final TokenStream tokens;
    private final Reader reader;

    /** The blocks of the current expression, without those within them. */
    private List<BlockValue> found = new ArrayList<>();

    /** Brackets that are open around the innermost block. */
    private int open;

    /** The most arithmetic operators on a way through the blocks of the current expression. */
    private int within;

    /** The most arithmetic operators on a way through the expressions of the innermost block. */
    private int deepest;

    ValueBlocks(TokenStream tokens, Reader reader) {
        this.tokens = tokens;
        this.reader = reader;
    }

    /** Begins an expression. */
    void begin() {
        found = new ArrayList<>();
        within = 0;
    }

    /** Ends an expression that holds so many arithmetic operators itself. */
    void end(int arithmetic) {
        deepest = Math.max(deepest, arithmetic + within);
        if (deepest > 2 * ExpressionParser.ARITHMETIC_MAX) {
            throw tokens.fail(
                    tokens.span(),
                    "the blocks in the expression hold more than " + 2 * ExpressionParser.ARITHMETIC_MAX
                            + " arithmetic operators within each other",
                    "compute part of it in a stage before: `with { $x, … as $n }`");
        }
    }

    /** The blocks of the expression that has ended last. */
    List<BlockValue> found() {
        return List.copyOf(found);
    }

    boolean isTooDeep(int nesting) {
        return open + nesting >= 2 * ExpressionParser.NESTING_MAX;
    }

    /** Reads the block after a word, with that many brackets open in the current expression. */
    ClauseSyntax.Block read(String word, int nesting) {
        List<BlockValue> before = found;
        int withinBefore = within;
        int deepestBefore = deepest;
        open += nesting;
        deepest = 0;
        int inner = 0;
        try {
            ClauseSyntax.Block block = reader.read(word);
            inner = deepest;
            return block;
        } finally {
            found = before;
            within = Math.max(withinBefore, inner);
            deepest = deepestBefore;
            open -= nesting;
        }
    }

    /** Takes note of a block of the current expression. */
    void add(BlockValue value) {
        found.add(value);
    }
}
