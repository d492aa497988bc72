package service.core.gq.eval;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.core.gq.plan.Expression.Origin;
import service.core.value.ExactIntegers;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueConversion;

/** Arithmetic on 64-bit integers, where an overflow is an error, and on floats, which must stay finite. */
final class Numbers {
    private Numbers() {}

    static Value compute(
            ArithmeticOperator operator,
            Value left,
            Value right,
            PropertyType type,
            Origin origin,
            @Nullable EntityRow entity) {
        boolean divides = operator == ArithmeticOperator.DIVIDE || operator == ArithmeticOperator.REMAINDER;
        if (divides && isZero(right)) {
            throw RuntimeFault.at("division by zero", origin, entity);
        }
        if (type.equals(PropertyType.F64)) {
            double result = reals(operator, real(left), real(right));
            if (!Double.isFinite(result)) {
                throw RuntimeFault.at("overflow of floating-point arithmetic", origin, entity);
            }
            return new Value.Real(result);
        }
        return integer(operator.exact(ExactIntegers.exact(left), ExactIntegers.exact(right)), type, origin, entity);
    }

    static Value negate(Value value, PropertyType type, Origin origin, @Nullable EntityRow entity) {
        return value instanceof Value.Real(double real)
                ? new Value.Real(-real)
                : integer(ExactIntegers.exact(value).negate(), type, origin, entity);
    }

    private static Value integer(BigInteger result, PropertyType type, Origin origin, @Nullable EntityRow entity) {
        Value fitting = ExactIntegers.fitting(result, type);
        if (fitting == null) {
            throw RuntimeFault.at(ExactIntegers.OVERFLOW, ExactIntegers.misfit(result, type), origin, entity);
        }
        return fitting;
    }

    private static double reals(ArithmeticOperator operator, double left, double right) {
        return switch (operator) {
            case ADD -> left + right;
            case SUBTRACT -> left - right;
            case MULTIPLY -> left * right;
            case DIVIDE -> left / right;
            case REMAINDER -> left % right;
        };
    }

    private static boolean isZero(Value value) {
        return switch (value) {
            case Value.Int v -> v.value() == 0;
            case Value.UInt v -> v.bits() == 0;
            default -> real(value) == 0;
        };
    }

    static double real(Value value) {
        return switch (value) {
            case Value.Int v -> v.value();
            case Value.UInt v -> ValueConversion.unsignedToDouble(v.bits());
            case Value.Real v -> v.value();
            default -> throw new IllegalStateException("not a number: " + value);
        };
    }
}
