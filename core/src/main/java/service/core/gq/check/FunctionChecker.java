package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import service.core.error.Suggestion;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.Function;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.text.Span;
import service.core.value.CalendarUnit;
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
        requireCount(syntax, arguments.size());
        List<Expression> converted = arguments;
        PropertyType type = switch (function) {
            case NOW -> PropertyType.DATETIME;
            case LOWER, UPPER -> {
                require(syntax, arguments, "String", Family.TEXT);
                yield PropertyType.STRING;
            }
            case LENGTH -> {
                require(syntax, arguments, "String or a list", Family.TEXT, Family.LIST);
                yield PropertyType.I64;
            }
            case ABS, ROUND ->
                Family.arithmeticType(number(
                        arguments.getFirst(), syntax.arguments().getFirst().span()));
            case DATE -> {
                require(syntax, arguments, "Date, DateTime or String", Family.DATE, Family.DATETIME, Family.TEXT);
                yield PropertyType.DATE;
            }
            case DATETIME -> {
                require(syntax, arguments, "Date, DateTime or String", Family.DATE, Family.DATETIME, Family.TEXT);
                yield PropertyType.DATETIME;
            }
            case YEAR, MONTH, DAY -> {
                requireCalendar(syntax, arguments, 0);
                yield PropertyType.I64;
            }
            case DATE_DIFF, DATETIME_DIFF -> {
                requireCalendar(syntax, arguments, 0);
                requireCalendar(syntax, arguments, 1);
                yield PropertyType.I64;
            }
            case TRUNCATE -> {
                requireCalendar(syntax, arguments, 0);
                require(syntax, arguments, 1, "a unit such as \"month\"", Family.TEXT);
                requireUnit(syntax, arguments);
                yield Family.of(arguments.getFirst()) == Family.DATE ? PropertyType.DATE : PropertyType.DATETIME;
            }
            case COALESCE -> {
                PropertyType common = common(syntax, arguments);
                converted = convertLiterals(arguments, common);
                yield common;
            }
        };
        return new Expression.Call(function, converted, type, findings.origin(syntax.span()));
    }

    private void requireCount(ExpressionSyntax.Call syntax, int given) {
        Function function = syntax.function();
        int least = switch (function) {
            case NOW -> 0;
            case DATE_DIFF, DATETIME_DIFF, TRUNCATE -> 2;
            default -> 1;
        };
        int most = function == Function.COALESCE ? Integer.MAX_VALUE : least;
        if (given < least || given > most) {
            String wanted = switch (function) {
                case NOW -> "no argument";
                case COALESCE -> "at least one argument";
                case DATE_DIFF, DATETIME_DIFF -> "two dates";
                case TRUNCATE -> "a date and a unit such as \"month\"";
                default -> "one argument";
            };
            throw findings.refuse(
                    "T4", syntax.span(), "`" + name(function) + "` takes " + wanted + ", not " + given, null);
        }
    }

    private void require(ExpressionSyntax.Call syntax, List<Expression> arguments, String wanted, Family... families) {
        require(syntax, arguments, 0, wanted, families);
    }

    private void require(
            ExpressionSyntax.Call syntax, List<Expression> arguments, int at, String wanted, Family... families) {
        Family given = Family.of(arguments.get(at));
        for (Family family : families) {
            if (family == given) {
                return;
            }
        }
        Span span = syntax.arguments().get(at).span();
        throw findings.refuse(
                "T4",
                span,
                "`"
                        + name(syntax.function())
                        + "` takes "
                        + wanted
                        + ", but `"
                        + findings.text(span)
                        + "` is "
                        + Family.name(arguments.get(at)),
                null);
    }

    private void requireCalendar(ExpressionSyntax.Call syntax, List<Expression> arguments, int at) {
        require(syntax, arguments, at, "Date or DateTime", Family.DATE, Family.DATETIME);
    }

    /** A written unit is checked here; the unit of a parameter or a property only when the query runs. */
    private void requireUnit(ExpressionSyntax.Call syntax, List<Expression> arguments) {
        if (!(arguments.get(1) instanceof Expression.Literal literal)
                || !(literal.value() instanceof Value.Text(String word))) {
            return;
        }
        Span span = syntax.arguments().get(1).span();
        CalendarUnit unit = CalendarUnit.of(word);
        if (unit == null) {
            String meant = Suggestion.didYouMean(word, CalendarUnit.words());
            throw findings.refuse(
                    "T4",
                    span,
                    "`" + word + "` is not a unit",
                    meant != null ? meant : "the units are " + String.join(", ", CalendarUnit.words()));
        }
        if (unit.isWithinDay() && Family.of(arguments.getFirst()) == Family.DATE) {
            throw findings.refuse("T4", span, "a Date has no `" + word + "`", "a DateTime has one");
        }
    }

    /** The type of a number; T4 for anything else. */
    PropertyType number(Expression operand, Span span) {
        PropertyType type = operand.type();
        if (type == null || Family.of(type) != Family.NUMBER) {
            throw findings.refuse(
                    "T4",
                    span,
                    "arithmetic takes numbers, but `" + findings.text(span) + "` is " + Family.name(operand),
                    Family.of(operand) == Family.TEXT ? "GQ does not join strings" : null);
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
        PropertyType common = null;
        for (int i = 0; i < arguments.size(); i++) {
            Expression argument = arguments.get(i);
            if (Family.of(argument) == Family.NULL) {
                continue;
            }
            PropertyType type = argument.type();
            Span span = syntax.arguments().get(i).span();
            if (type == null) {
                throw findings.refuse("T4", span, "`coalesce` cannot take " + Family.name(argument), null);
            }
            if (common == null || common.equals(type)) {
                common = type;
            } else if (Family.of(common) != Family.of(type)
                    || Family.of(type) == Family.LIST
                    || Family.of(type) == Family.VECTOR) {
                throw findings.refuse(
                        "T4", span, "`coalesce` mixes " + common + " and " + type, "all arguments are of one type");
            } else if (Family.of(type) == Family.TEXT) {
                common = PropertyType.STRING;
            } else {
                common = commonNumber(common, type, argument);
            }
        }
        if (common == null) {
            throw findings.refuse("T4", syntax.span(), "`coalesce` of nothing but null", "name at least one value");
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
            boolean number = argument instanceof Expression.Literal && Family.of(argument) == Family.NUMBER;
            converted.add(
                    number && argument instanceof Expression.Literal literal
                            ? new Expression.Literal(ValueConversion.convert(literal.value(), type), type)
                            : argument);
        }
        return List.copyOf(converted);
    }

    private static String name(Function function) {
        return function.name().toLowerCase(Locale.ROOT);
    }
}
