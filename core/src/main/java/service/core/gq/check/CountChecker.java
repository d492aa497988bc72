package service.core.gq.check;

import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Checks what {@code skip} and {@code limit} count to. */
final class CountChecker {
    private final QueryFindings findings;
    private final ParameterTable parameters;

    CountChecker(QueryFindings findings, ParameterTable parameters) {
        this.findings = findings;
        this.parameters = parameters;
    }

    /** A literal or an argument; null without one, or when it is refused. */
    @Nullable
    Expression count(@Nullable ExpressionSyntax syntax, String what) {
        if (syntax == null) {
            return null;
        }
        return switch (syntax) {
            case ExpressionSyntax.Literal literal
            when literal.value() instanceof Value.Int -> {
                yield new Expression.Literal(literal.value(), PropertyType.I64);
            }
            case ExpressionSyntax.Dollar dollar -> {
                Expression.Argument argument = parameters.use(dollar.name());
                if (argument == null) {
                    findings.note(
                            "T6",
                            dollar.span(),
                            "`$" + dollar.name() + "` after `" + what + "` is not a parameter",
                            "declare it: `$" + dollar.name() + ": I64`");
                    yield null;
                }
                if (argument.family() == Family.NUMBER && Family.isInteger(argument.type())) {
                    yield argument;
                }
                findings.note(
                        "T4",
                        dollar.span(),
                        "`" + what + "` takes an integer, but `$" + dollar.name() + "` is " + argument.type(),
                        null);
                yield null;
            }
            default -> {
                findings.note(
                        "T4",
                        syntax.span(),
                        "`" + what + "` takes an integer from 0 to 9223372036854775807 or an integer parameter",
                        null);
                yield null;
            }
        };
    }
}
