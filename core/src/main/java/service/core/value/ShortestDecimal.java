package service.core.value;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.function.Predicate;

/**
 * The shortest decimal that reads back as the same number, in the form of {@link Double#toString}. Java takes two
 * digits where one is enough, as in 4.9E-324 for 5.0E-324. That makes a difference for the smallest numbers only: all
 * others have two digits at least, or a zero as their second digit. Any thread.
 */
public final class ShortestDecimal {
    private static final double TINY = 1e-321;
    private static final float TINY_FLOAT = 1e-42f;

    private ShortestDecimal() {}

    /** Also of NaN and the infinities, as Java writes them. */
    public static String of(double value) {
        String printed = Double.toString(value);
        return value != 0 && Math.abs(value) < TINY ? shorter(printed, one -> one.doubleValue() == value) : printed;
    }

    /** The same for a float. */
    public static String of(float value) {
        String printed = Float.toString(value);
        return value != 0 && Math.abs(value) < TINY_FLOAT
                ? shorter(printed, one -> one.floatValue() == value)
                : printed;
    }

    /** The decimal of one digit next to a printed one, if it reads back. */
    private static String shorter(String printed, Predicate<BigDecimal> readsBack) {
        BigDecimal one = new BigDecimal(printed)
                .round(new MathContext(1, RoundingMode.HALF_EVEN))
                .stripTrailingZeros();
        return readsBack.test(one) ? one.unscaledValue() + ".0E" + -one.scale() : printed;
    }
}
