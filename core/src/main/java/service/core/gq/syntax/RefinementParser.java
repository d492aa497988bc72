package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** Parses what follows the operand of an aggregate: the place of a percentile, a condition, an order, a limit. */
final class RefinementParser {
    private static final int KEYS_MAX = 1000;

    private final TokenStream tokens;
    private final Supplier<ExpressionSyntax> expression;
    private final Supplier<ExpressionSyntax> operand;

    /**
     * @param expression reads an expression within another one
     * @param operand reads an operand of a comparison
     */
    RefinementParser(TokenStream tokens, Supplier<ExpressionSyntax> expression, Supplier<ExpressionSyntax> operand) {
        this.tokens = tokens;
        this.expression = expression;
        this.operand = operand;
    }

    /** The rest of an aggregate, up to its closing bracket. */
    ExpressionSyntax.Refinement refinement(AggregateFunction function) {
        ExpressionSyntax fraction = null;
        if (function == AggregateFunction.PERCENTILE) {
            tokens.expect(TokenKind.COMMA, "`,` and the place from 0 to 1: `percentile($x.size, 0.9)`");
            fraction = expression.get();
        }
        ExpressionSyntax where = tokens.acceptWord("where") ? expression.get() : null;
        List<GqFile.OrderKey> order = List.of();
        if (tokens.atWord("order")) {
            rejectUnlessList(function, "order");
            tokens.advance();
            order = keys();
        }
        ExpressionSyntax limit = null;
        if (tokens.atWord("limit")) {
            rejectUnlessList(function, "limit");
            tokens.advance();
            limit = operand.get();
        }
        return fraction == null && where == null && order.isEmpty() && limit == null
                ? ExpressionSyntax.Refinement.NONE
                : new ExpressionSyntax.Refinement(fraction, where, order, limit);
    }

    private void rejectUnlessList(AggregateFunction function, String word) {
        if (function != AggregateFunction.COLLECT) {
            throw tokens.fail(
                    tokens.span(),
                    "`" + function.name().toLowerCase(Locale.ROOT) + "` takes no `" + word + "`",
                    "only `collect` does: `collect($x.name order { $x.age } limit 3)`");
        }
    }

    private List<GqFile.OrderKey> keys() {
        tokens.expect(TokenKind.LEFT_BRACE, "`{` after `order`, as in `collect($x.name order { $x.age desc })`");
        List<GqFile.OrderKey> keys = new ArrayList<>();
        while (!tokens.accept(TokenKind.RIGHT_BRACE)) {
            if (!keys.isEmpty() && !tokens.accept(TokenKind.COMMA) && !tokens.firstOnLine()) {
                throw tokens.expected("`,` or `}` after the key", null);
            }
            if (keys.size() == KEYS_MAX) {
                throw tokens.stop(tokens.span(), "`order` holds more than " + KEYS_MAX + " expressions", null);
            }
            ExpressionSyntax key = expression.get();
            boolean descending = tokens.acceptWord("desc");
            boolean isDirected = descending || tokens.acceptWord("asc");
            keys.add(new GqFile.OrderKey(key, descending, isDirected));
        }
        return List.copyOf(keys);
    }
}
