package service.core.gq.function;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.regex.Pattern;
import service.core.value.ExactIntegers;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Values of functions of numbers: {@link Value.Int}, {@link Value.UInt} or a finite {@link Value.Real}. */
final class NumberFunctions {
    private static final double TWO_63 = 0x1p63;

    /** Characters of an I64 at the most. */
    private static final int LONGEST_INTEGER = 20;

    /** Characters of a number that is read; a shortest one has 24. */
    private static final int LONGEST_FLOAT = 400;

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");
    private static final Pattern FLOAT = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

    private NumberFunctions() {}

    static Value abs(Value number, ValueType type) throws ValueFault {
        return switch (number) {
            case Value.Int(long value) ->
                value == Long.MIN_VALUE
                        ? fitting(ExactIntegers.exact(number).negate(), (PropertyType) type)
                        : new Value.Int(Math.abs(value));
            case Value.Real(double value) -> new Value.Real(Math.abs(value));
            default -> number;
        };
    }

    private static Value fitting(BigInteger exact, PropertyType type) throws ValueFault {
        Value fitting = ExactIntegers.fitting(exact, type);
        if (fitting == null) {
            throw new ValueFault(ExactIntegers.OVERFLOW, ExactIntegers.misfit(exact, type));
        }
        return fitting;
    }

    static Value floor(Value number) {
        return number instanceof Value.Real(double real) ? new Value.Real(Math.floor(real) + 0.0) : number;
    }

    static Value ceil(Value number) {
        // The sum turns -0.0 into 0.0.
        return number instanceof Value.Real(double real) ? new Value.Real(Math.ceil(real) + 0.0) : number;
    }

    static long sign(Value number) {
        return switch (number) {
            case Value.Int(long value) -> Long.signum(value);
            case Value.UInt(long bits) -> bits == 0 ? 0 : 1;
            default -> (long) Math.signum(toReal(number));
        };
    }

    static double toReal(Value number) {
        return number instanceof Value.Real(double real)
                ? real
                : ExactIntegers.exact(number).doubleValue();
    }

    /** An integer; the greatest I64 for one that exceeds it. */
    static long clamped(Value integer) {
        return integer instanceof Value.UInt(long bits)
                ? bits < 0 ? Long.MAX_VALUE : bits
                : ((Value.Int) integer).value();
    }

    /** A result that is a number. */
    static double real(double result) throws ValueFault {
        if (!Double.isFinite(result)) {
            throw new ValueFault("no real result", Double.isNaN(result) ? "it is not a number" : "it is infinite");
        }
        return result;
    }

    static Value toInt(Value value) {
        return switch (value) {
            case Value.Int ignored -> value;
            case Value.UInt(long bits) -> bits < 0 ? Value.NULL : new Value.Int(bits);
            case Value.Real(double real) -> real >= -TWO_63 && real < TWO_63 ? new Value.Int((long) real) : Value.NULL;
            case Value.Text(String text) -> {
                boolean isShort = text.length() <= LONGEST_INTEGER
                        && INTEGER.matcher(text).matches();
                BigInteger exact = isShort ? new BigInteger(text) : null;
                yield exact == null || exact.bitLength() >= Long.SIZE ? Value.NULL : new Value.Int(exact.longValue());
            }
            default -> Value.NULL;
        };
    }

    static Value toFloat(Value value) {
        if (!(value instanceof Value.Text(String text))) {
            return new Value.Real(toReal(value));
        }
        if (text.length() > LONGEST_FLOAT || !FLOAT.matcher(text).matches()) {
            return Value.NULL;
        }
        double real = Double.parseDouble(text);
        return Double.isFinite(real) ? new Value.Real(real + 0.0) : Value.NULL;
    }

    static Value round(Value number) {
        return number instanceof Value.Real(double real)
                ? new Value.Real(
                        new BigDecimal(real).setScale(0, RoundingMode.HALF_UP).doubleValue())
                : number;
    }
}
