package service.core.gq.function;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import service.core.value.ExactIntegers;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Values of functions of numbers: {@link Value.Int}, {@link Value.UInt} or a finite {@link Value.Real}. */
final class NumberFunctions {
    private NumberFunctions() {}

    static Value abs(Value number, PropertyType type) throws ValueFault {
        return switch (number) {
            case Value.Int(long value) ->
                value == Long.MIN_VALUE
                        ? fitting(ExactIntegers.exact(number).negate(), type)
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

    static Value round(Value number) {
        return number instanceof Value.Real(double real)
                ? new Value.Real(
                        new BigDecimal(real).setScale(0, RoundingMode.HALF_UP).doubleValue())
                : number;
    }
}
