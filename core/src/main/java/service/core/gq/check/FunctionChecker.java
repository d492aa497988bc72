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
import service.core.value.Value;
import service.core.value.ValueConversion;

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
                PropertyType common = common(syntax, arguments);
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
                PropertyType first =
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
            if (parameter.whole() && !Family.isInteger(type)) {
                throw findings.refuse(
                        "T4",
                        span,
                        "`" + syntax.function().word() + "` takes " + parameter.wanted() + ", but `"
                                + findings.text(span) + "` is " + type,
                        "write `to_int(…)` around it");
            }
        } else if (!parameter.families().contains(argument.family())) {
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

    /** The type of a number; T4 for anything else. */
    PropertyType number(Expression operand, Span span) {
        PropertyType type = operand.type();
        if (type == null || Family.of(type) != Family.NUMBER) {
            throw findings.refuse(
                    "T4",
                    span,
                    "arithmetic takes numbers, but `" + findings.text(span) + "` is " + operand.typeName(),
                    operand.family() == Family.TEXT ? "GQ does not join strings" : null);
        }
        return type;
    }

    /** The result type of arithmetic on two numbers. */
    static PropertyType arithmeticType(PropertyType left, PropertyType right) {
        PropertyType one = Family.arithmeticType(left);
        PropertyType two = Family.arithmeticType(right);
        if (one.equals(PropertyType.F64) || two.equals(PropertyType.F64)) {
            return PropertyType.F64;
        }
        return PropertyType.exceedsI64(one) || PropertyType.exceedsI64(two)
                ? PropertyType.ANY_INTEGER
                : PropertyType.I64;
    }

    private PropertyType common(ExpressionSyntax.Call syntax, List<Expression> arguments) {
        String name = syntax.function().word();
        PropertyType common = null;
        for (int i = 0; i < arguments.size(); i++) {
            Expression argument = arguments.get(i);
            if (argument.family() == Family.NULL) {
                continue;
            }
            PropertyType type = argument.type();
            Span span = syntax.arguments().get(i).span();
            if (type == null) {
                throw findings.refuse("T4", span, "`" + name + "` cannot take " + argument.typeName(), null);
            }
            if (common == null || common.equals(type)) {
                common = type;
            } else if (Family.of(common) != Family.of(type)
                    || Family.of(type) == Family.LIST
                    || Family.of(type) == Family.VECTOR) {
                throw findings.refuse(
                        "T4", span, "`" + name + "` mixes " + common + " and " + type, "all arguments are of one type");
            } else if (Family.of(type) == Family.TEXT) {
                common = PropertyType.STRING;
            } else {
                common = commonNumber(common, type, argument);
            }
        }
        if (common == null) {
            throw findings.refuse("T4", syntax.span(), "`" + name + "` of nothing but null", "name at least one value");
        }
        return common;
    }

    /** A literal that is not negative is of the type of the numbers before it. */
    private static PropertyType commonNumber(PropertyType common, PropertyType type, Expression argument) {
        boolean isNatural = argument instanceof Expression.Literal written
                && written.value() instanceof Value.Int number
                && number.value() >= 0;
        return common.equals(PropertyType.U64) && isNatural ? common : arithmeticType(common, type);
    }

    private static List<Expression> convertLiterals(List<Expression> arguments, PropertyType type) {
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
