package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import service.core.gq.function.Family;
import service.core.gq.function.Function;
import service.core.gq.function.Misuse;
import service.core.gq.function.Parameter;
import service.core.gq.function.Signature;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.Origin;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.ValueConversion;
import service.core.value.ValueType;

/** Checks the arguments of functions and returns the type of the result. */
final class FunctionChecker {
    private final QueryFindings findings;

    FunctionChecker(QueryFindings findings) {
        this.findings = findings;
    }

    Expression call(ExpressionSyntax.Call syntax, List<Expression> arguments) {
        Function function = syntax.function();
        Origin origin = findings.origin(syntax.span());
        return switch (function.signature()) {
            case Signature.Alike alike -> {
                requireCount(syntax, alike, !arguments.isEmpty());
                ValueType common = common(syntax, arguments);
                if (alike.ordered() && !Family.of(common).ordered()) {
                    throw findings.refuse(
                            "T4", syntax.span(), "`" + function.word() + "` cannot compare " + common, null);
                }
                yield new Expression.Call(function, convertLiterals(arguments, common), common, origin);
            }
            case Signature.Each each -> {
                boolean fits = arguments.size() >= each.required()
                        && arguments.size() <= each.parameters().size();
                requireCount(syntax, each, fits);
                for (int i = 0; i < arguments.size(); i++) {
                    require(syntax, each.parameters().get(i), arguments, i);
                }
                ValueType first =
                        arguments.isEmpty() ? null : arguments.getFirst().type();
                yield new Expression.Call(function, arguments, each.type().of(first), origin);
            }
        };
    }

    private void requireCount(ExpressionSyntax.Call syntax, Signature signature, boolean fits) {
        if (!fits) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "`" + syntax.function().word() + "` takes " + signature.counted() + ", not "
                            + syntax.arguments().size(),
                    null);
        }
    }

    private void require(ExpressionSyntax.Call syntax, Parameter<?> parameter, List<Expression> arguments, int at) {
        Expression argument = arguments.get(at);
        Span span = syntax.arguments().get(at).span();
        if (parameter.families().equals(Set.of(Family.NUMBER))) {
            PropertyType type = number(argument, span);
            if (parameter.only() == Parameter.Only.WHOLE && !Family.isInteger(type)) {
                throw findings.refuse(
                        "T4",
                        span,
                        "`" + syntax.function().word() + "` takes " + parameter.wanted() + ", but `"
                                + findings.text(span) + "` is " + type,
                        "write `to_int(…)` around it");
            }
        } else if (!parameter.families().contains(argument.family()) || !takesItems(parameter, argument)) {
            throw findings.refuse(
                    "T4",
                    span,
                    "`"
                            + syntax.function().word()
                            + "` takes "
                            + parameter.wanted()
                            + ", but `"
                            + findings.text(span)
                            + "` is "
                            + argument.typeName(),
                    null);
        }
        if (argument instanceof Expression.Literal literal) {
            Misuse misuse =
                    parameter.check().of(literal.value(), arguments.getFirst().family());
            if (misuse != null) {
                throw findings.refuse("T4", span, misuse.message(), misuse.remedy());
            }
        }
    }

    private static boolean takesItems(Parameter<?> parameter, Expression argument) {
        Family items = argument.itemFamily();
        return items == null || parameter.only().takesItems(items);
    }

    /** The type of a number; T4 for anything else. */
    PropertyType number(Expression operand, Span span) {
        if (!(operand.type() instanceof PropertyType type) || Family.of(type) != Family.NUMBER) {
            throw findings.refuse(
                    "T4",
                    span,
                    "arithmetic takes numbers, but `" + findings.text(span) + "` is " + operand.typeName(),
                    switch (operand.family()) {
                        case TEXT, LIST -> "`||` joins strings and lists";
                        case DATE -> "write `date_add(…, 1, \"day\")`, or `date_diff(…, …)` for days between two";
                        case DATETIME ->
                            "write `datetime_add(…, 1, \"hour\")`, or `datetime_diff(…, …)` for milliseconds between two";
                        default -> null;
                    });
        }
        return type;
    }

    private ValueType common(ExpressionSyntax.Call syntax, List<Expression> arguments) {
        String name = syntax.function().word();
        ValueType common = null;
        boolean emptyList = false;
        for (int i = 0; i < arguments.size(); i++) {
            Expression argument = arguments.get(i);
            emptyList |= argument.type() == null && argument.family() == Family.LIST;
            try {
                common = ValueTypes.common(common, argument);
            } catch (ValueTypes.Unlike e) {
                throw findings.refuse(
                        "T4",
                        syntax.arguments().get(i).span(),
                        "`" + name + "` mixes " + e.pair(),
                        "all arguments are of one type");
            }
        }
        if (common == null || (emptyList && !ValueType.isList(common))) {
            throw findings.refuse("T4", syntax.span(), "`" + name + "` of nothing but null", "name at least one value");
        }
        return common;
    }

    private static List<Expression> convertLiterals(List<Expression> arguments, ValueType common) {
        if (!(common instanceof PropertyType type)) {
            return arguments;
        }
        List<Expression> converted = new ArrayList<>();
        for (Expression argument : arguments) {
            boolean number = argument instanceof Expression.Literal && argument.family() == Family.NUMBER;
            converted.add(
                    number && argument instanceof Expression.Literal literal
                            ? new Expression.Literal(ValueConversion.convert(literal.value(), type), type)
                            : argument);
        }
        return List.copyOf(converted);
    }
}
