package service.core.value;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Integer arithmetic of GQ: exact, and an error when the result does not fit its type. The type is I64, or where a U64
 * takes part an integer that fits I64 or U64 ({@link PropertyType#ANY_INTEGER}). Any thread.
 */
public final class ExactIntegers {
    /** What an error says of a result that does not fit; {@link #misfit} says why. */
    public static final String OVERFLOW = "overflow of 64-bit arithmetic";

    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(Long.SIZE);

    private ExactIntegers() {}

    /** An exact integer, of any length. */
    public static BigInteger exact(Value value) {
        return switch (value) {
            case Value.Int v -> BigInteger.valueOf(v.value());
            case Value.UInt v -> unsigned(v.bits());
            default -> throw new IllegalStateException("not an integer: " + value);
        };
    }

    /** The integer of unsigned bits. */
    public static BigInteger unsigned(long bits) {
        BigInteger signed = BigInteger.valueOf(bits);
        return bits < 0 ? signed.add(TWO_64) : signed;
    }

    /** The integer as a value of an integer type: an Int where it fits I64. Null when it does not fit the type. */
    public static @Nullable Value fitting(BigInteger exact, PropertyType type) {
        boolean fitsI64 = exact.bitLength() < Long.SIZE;
        if (type.equals(PropertyType.U64)) {
            return exact.signum() >= 0 && exact.bitLength() <= Long.SIZE ? new Value.UInt(exact.longValue()) : null;
        }
        if (fitsI64) {
            return new Value.Int(exact.longValue());
        }
        boolean fitsU64 = exact.signum() > 0 && exact.bitLength() <= Long.SIZE;
        return type.equals(PropertyType.ANY_INTEGER) && fitsU64 ? new Value.UInt(exact.longValue()) : null;
    }

    /** Why an integer is no value of a type, for the message of an overflow. */
    public static String misfit(BigInteger exact, PropertyType type) {
        return exact + (type.equals(PropertyType.ANY_INTEGER) ? " fits neither I64 nor U64" : " does not fit " + type);
    }
}
