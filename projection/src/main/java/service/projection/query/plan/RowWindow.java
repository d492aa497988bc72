package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.plan.Expression;
import service.core.value.Value;

/**
 * The skip and the limit of a read; both are constants.
 *
 * @param skip rows that are left out first, or null for none
 * @param limit rows at the most after those, or null for all
 */
public record RowWindow(@Nullable Expression skip, @Nullable Expression limit) {
    /** Expected limit when an argument gives it. */
    private static final double USUAL_LIMIT = 100;

    /** Rows to leave out. */
    public long skipped(List<Value> arguments) {
        return number(skip, "skip", 0, arguments);
    }

    /** Rows to give, −1 for all. */
    public long limited(List<Value> arguments) {
        return number(limit, "limit", -1, arguments);
    }

    /** Rows from the first to the last that is wanted, −1 for all. */
    public long needed(List<Value> arguments) {
        long most = limited(arguments);
        long first = skipped(arguments);
        return most < 0 || first > Long.MAX_VALUE - most ? -1 : first + most;
    }

    /** Expected number of rows after skip and limit. */
    double left(double rows) {
        return Math.min(guess(limit, rows), Math.max(0, rows - guess(skip, 0)));
    }

    /** Expected number of rows needed for skip and limit. */
    double needed(double rows) {
        return limit == null ? rows : Math.min(rows, guess(skip, 0) + guess(limit, rows));
    }

    private static double guess(@Nullable Expression expression, double absent) {
        if (expression == null) {
            return absent;
        }
        return expression instanceof Expression.Literal
                ? number(expression, "limit", Long.MAX_VALUE, List.of())
                : USUAL_LIMIT;
    }

    private static long number(@Nullable Expression expression, String what, long absent, List<Value> arguments) {
        if (expression == null) {
            return absent;
        }
        Value value = Constants.value(expression, arguments);
        if (value instanceof Value.Int(long n) && n >= 0) {
            return n;
        }
        if (value instanceof Value.UInt(long bits)) {
            return bits < 0 ? Long.MAX_VALUE : bits;
        }
        if (value instanceof Value.Null) {
            return absent;
        }
        throw ServiceException.badRequest(
                Reason.PARAMETER,
                (expression instanceof Expression.Argument argument
                                ? "parameter `" + argument.name() + "` of `" + what + "`"
                                : "`" + what + "`")
                        + " must not be negative");
    }
}
