package service.projection.query.plan;

import org.jspecify.annotations.Nullable;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.schema.EntityType;
import service.core.value.CalendarText;
import service.core.value.CalendarUnit;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/**
 * How far a limit in an index of dates is from a constant. A filter such as {@code date_diff(now(), $p.born) < 7} says
 * how old a date is; as a limit it is {@code $p.born} at or after the day that is six days before today.
 *
 * @param filter the filter that says so
 * @param amount the constant number of days or milliseconds
 * @param before whether the limit is so long before the constant, not after it
 * @param inDays whether the amount counts days of UTC, not milliseconds
 * @param next whether the limit is one unit later, because the filter excludes the moment itself
 */
public record Distance(Expression filter, Expression amount, boolean before, boolean inDays, boolean next) {
    private static final long DAY_MILLIS = 86_400_000;

    /** A limit at a distance, and on which side of it the property is. */
    record Side(Seek.Limit limit, boolean low) {}

    /** The limit that a comparison of a distance sets to a property, or null. */
    static @Nullable Side of(Expression filter, EntityType type, int member) {
        ConstantComparison comparison = ConstantComparison.of(filter);
        if (comparison == null
                || !(comparison.left() instanceof Expression.Call call)
                || !isInteger(comparison.constant().type())
                || (call.function() != Function.DATE_DIFF && call.function() != Function.DATETIME_DIFF)) {
            return null;
        }
        boolean inDays = call.function() == Function.DATE_DIFF;
        Expression later = call.arguments().getFirst();
        Expression earlier = call.arguments().get(1);
        // later - earlier < n: the earlier one is after later - n, the later one is before earlier + n.
        boolean before = ConstantComparison.isProperty(earlier, type, member) && Constants.isConstant(later);
        if (!before && !(ConstantComparison.isProperty(later, type, member) && Constants.isConstant(earlier))) {
            return null;
        }
        ComparisonOperator operator = before ? comparison.operator().mirror() : comparison.operator();
        Expression constant = before ? later : earlier;
        Expression amount = comparison.constant();
        return switch (operator) {
            case GREATER -> side(constant, true, new Distance(filter, amount, before, inDays, true));
            case GREATER_OR_EQUAL -> side(constant, true, new Distance(filter, amount, before, inDays, false));
            case LESS -> side(constant, false, new Distance(filter, amount, before, inDays, false));
            case LESS_OR_EQUAL -> side(constant, false, new Distance(filter, amount, before, inDays, true));
            case EQUAL, NOT_EQUAL -> null;
        };
    }

    private static boolean isInteger(@Nullable ValueType type) {
        return type instanceof PropertyType.Scalar scalar && scalar.scalar().isInteger();
    }

    /** In whole units, "after" is "at or after the next" and "at or before" is "before the next". */
    private static Side side(Expression constant, boolean low, Distance distance) {
        return new Side(new Seek.Limit(constant, low, distance), low);
    }

    /**
     * The limit for a property of a type.
     *
     * @return the null of the language when the constant or the amount is null; null for what no property can hold
     */
    @Nullable
    Value from(Value constant, Value amount, PropertyType type) {
        if (constant instanceof Value.Null || amount instanceof Value.Null) {
            return Value.NULL;
        }
        if (!(amount instanceof Value.Int(long count))) {
            return null;
        }
        long limit;
        try {
            long start = inDays ? CalendarUnit.epochDay(constant) : CalendarUnit.epochMillis(constant);
            limit = before ? Math.subtractExact(start, count) : Math.addExact(start, count);
            limit = next ? Math.addExact(limit, 1) : limit;
        } catch (ArithmeticException e) {
            return null;
        }
        boolean ofDays = type.equals(PropertyType.DATE);
        long day = inDays ? limit : Math.ceilDiv(limit, DAY_MILLIS);
        if (!CalendarText.isDay(day)) {
            return null;
        }
        return ofDays ? new Value.Date((int) day) : new Value.DateTime(inDays ? day * DAY_MILLIS : limit);
    }
}
