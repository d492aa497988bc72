package service.core.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;

class ShortestDecimalTest {
    /** The smallest numbers: no decimal of fewer digits reads back, found by trying all of one digit. */
    @Test
    void theSmallestNumbersHaveOneDigitWhereItIsEnough() {
        for (int ulps = 1; ulps <= 300; ulps++) {
            double value = ulps * Double.MIN_VALUE;
            String text = ShortestDecimal.of(value);
            assertThat(Double.parseDouble(text)).isEqualTo(value);
            assertThat(digits(text) == 1)
                    .as(text)
                    .isEqualTo(oneDigitReads(-325, -320, decimal -> Double.parseDouble(decimal) == value));
            assertThat(ShortestDecimal.of(-value)).isEqualTo("-" + text);
            float single = ulps * Float.MIN_VALUE;
            String ofFloat = ShortestDecimal.of(single);
            assertThat(Float.parseFloat(ofFloat)).isEqualTo(single);
            assertThat(digits(ofFloat) == 1)
                    .as(ofFloat)
                    .isEqualTo(oneDigitReads(-46, -41, decimal -> Float.parseFloat(decimal) == single));
        }
        assertThat(ShortestDecimal.of(Double.MIN_VALUE)).isEqualTo("5.0E-324");
        assertThat(ShortestDecimal.of(2 * Double.MIN_VALUE)).isEqualTo("1.0E-323");
        assertThat(ShortestDecimal.of(Float.MIN_VALUE)).isEqualTo("1.0E-45");
    }

    @Test
    void allOthersAreWrittenAsJavaDoes(@Seed long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (!(Math.abs(value) < 1e-321)) {
                assertThat(ShortestDecimal.of(value)).isEqualTo(Double.toString(value));
            }
            float single = Float.intBitsToFloat(random.nextInt());
            if (!(Math.abs(single) < 1e-42f)) {
                assertThat(ShortestDecimal.of(single)).isEqualTo(Float.toString(single));
            }
        }
        assertThat(ShortestDecimal.of(0.0)).isEqualTo("0.0");
        assertThat(ShortestDecimal.of(-0.0f)).isEqualTo("-0.0");
        assertThat(ShortestDecimal.of(Double.NaN)).isEqualTo("NaN");
    }

    private static int digits(String text) {
        return new BigDecimal(text).stripTrailingZeros().precision();
    }

    private static boolean oneDigitReads(int least, int most, Predicate<String> readsBack) {
        for (int exponent = least; exponent <= most; exponent++) {
            for (int digit = 1; digit <= 9; digit++) {
                if (readsBack.test(digit + "E" + exponent)) {
                    return true;
                }
            }
        }
        return false;
    }
}
