package service.projection.query.plan;

import java.util.List;
import service.core.gq.plan.Expression;
import service.core.value.Value;

/** Constant expressions: literals, arguments, and lists of them. */
final class Constants {
    private Constants() {}

    static boolean isConstant(Expression expression) {
        return switch (expression) {
            case Expression.Literal ignored -> true;
            case Expression.Argument ignored -> true;
            case Expression.ListOf list -> list.items().stream().allMatch(Constants::isConstant);
            default -> false;
        };
    }

    /** The value of a constant. */
    static Value value(Expression constant, List<Value> arguments) {
        if (Expressions.bind(constant, arguments) instanceof Expression.Literal literal) {
            return literal.value();
        }
        throw new IllegalArgumentException("no constant: " + constant);
    }

    /** The items of a constant list, or the value itself when it is not a list. */
    static List<Value> items(Expression constant, List<Value> arguments) {
        Value value = value(constant, arguments);
        return value instanceof Value.ListOf(List<Value> items) ? items : List.of(value);
    }
}
