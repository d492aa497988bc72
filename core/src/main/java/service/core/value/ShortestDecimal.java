package service.core.value;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

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
        if (value == 0 || !(Math.abs(value) < TINY)) {
            return printed;
        }
        BigDecimal one = oneDigit(printed);
        return one.doubleValue() == value ? text(one) : printed;
    }

    /** The same for a float. */
    public static String of(float value) {
        String printed = Float.toString(value);
        if (value == 0 || !(Math.abs(value) < TINY_FLOAT)) {
            return printed;
        }
        BigDecimal one = oneDigit(printed);
        return one.floatValue() == value ? text(one) : printed;
    }

    private static BigDecimal oneDigit(String printed) {
        return new BigDecimal(printed)
                .round(new MathContext(1, RoundingMode.HALF_EVEN))
                .stripTrailingZeros();
    }

    private static String text(BigDecimal digit) {
        return digit.unscaledValue() + ".0E" + -digit.scale();
    }
}
