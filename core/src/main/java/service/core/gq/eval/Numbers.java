package service.core.gq.eval;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.core.gq.plan.Expression.Origin;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueConversion;

/** Arithmetic on 64-bit integers, where an overflow is an error, and on floats, which must stay finite. */
final class Numbers {
    private static final String OVERFLOW = "overflow of 64-bit arithmetic";

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
        return integer(integers(operator, exact(left), exact(right)), type, origin, entity);
    }

    static Value negate(Value value, PropertyType type, Origin origin, @Nullable EntityRow entity) {
        return value instanceof Value.Real(double real)
                ? new Value.Real(-real)
                : integer(exact(value).negate(), type, origin, entity);
    }

    static Value abs(Value value, PropertyType type, Origin origin, @Nullable EntityRow entity) {
        return value instanceof Value.Real(double real)
                ? new Value.Real(Math.abs(real))
                : integer(exact(value).abs(), type, origin, entity);
    }

    private static Value integer(BigInteger result, PropertyType type, Origin origin, @Nullable EntityRow entity) {
        boolean unsigned = type instanceof PropertyType.Scalar scalar && scalar.scalar() == ScalarType.U64;
        boolean fits =
                unsigned ? result.signum() >= 0 && result.bitLength() <= Long.SIZE : result.bitLength() < Long.SIZE;
        if (!fits) {
            throw RuntimeFault.at(OVERFLOW, origin, entity);
        }
        return unsigned ? new Value.UInt(result.longValue()) : new Value.Int(result.longValue());
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

    private static BigInteger integers(ArithmeticOperator operator, BigInteger left, BigInteger right) {
        return switch (operator) {
            case ADD -> left.add(right);
            case SUBTRACT -> left.subtract(right);
            case MULTIPLY -> left.multiply(right);
            case DIVIDE -> left.divide(right);
            case REMAINDER -> left.remainder(right);
        };
    }

    private static boolean isZero(Value value) {
        return switch (value) {
            case Value.Int v -> v.value() == 0;
            case Value.UInt v -> v.bits() == 0;
            default -> real(value) == 0;
        };
    }

    private static BigInteger exact(Value value) {
        return switch (value) {
            case Value.Int v -> BigInteger.valueOf(v.value());
            case Value.UInt v -> new BigInteger(Long.toUnsignedString(v.bits()));
            default -> throw new IllegalStateException("not an integer: " + value);
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
