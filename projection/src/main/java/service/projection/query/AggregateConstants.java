package service.projection.query;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Refinement;
import service.core.value.Value;
import service.projection.query.operator.Aggregation;
import service.projection.query.plan.RowWindow;
import service.projection.query.vector.ColumnValues;

/** The constants of aggregates, from literals and arguments. */
final class AggregateConstants {
    private AggregateConstants() {}

    /**
     * The constants of one aggregate.
     *
     * @throws ServiceException BAD_REQUEST when the argument of {@code percentile} is not from 0 to 1, or that of a
     *     limit is negative
     */
    static Aggregation.Constants of(Refinement refinement, List<Value> arguments) {
        long limit = new RowWindow(null, refinement.limit()).limited(arguments);
        return new Aggregation.Constants(fraction(refinement.fraction(), arguments), limit);
    }

    private static double fraction(@Nullable Expression fraction, List<Value> arguments) {
        Value value = switch (fraction) {
            case null -> Value.NULL;
            case Expression.Literal literal -> literal.value();
            case Expression.Argument argument -> arguments.get(argument.index());
            default -> throw new IllegalStateException("no constant: " + fraction);
        };
        if (value instanceof Value.Null) {
            return Double.NaN;
        }
        double place = ColumnValues.toDouble(value);
        if (!(place >= 0 && place <= 1)) {
            throw ServiceException.badRequest(
                    Reason.PARAMETER,
                    (fraction instanceof Expression.Argument argument
                                    ? "parameter `" + argument.name() + "` of `percentile`"
                                    : "the place of `percentile`")
                            + " must be from 0 to 1");
        }
        return place;
    }
}
