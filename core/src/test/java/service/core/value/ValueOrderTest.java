package service.core.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ValueOrderTest {
    private static final long[] LONGS = {
        Long.MIN_VALUE, Long.MIN_VALUE + 1, -(1L << 53) - 1, -1, 0, 1, (1L << 53), (1L << 53) + 1, Long.MAX_VALUE
    };
    private static final double[] DOUBLES = {
        -Double.MAX_VALUE, -0x1p63, -0x1p53, -1.5, -0.0, 0.0, 0.5, 1, 0x1p53, 0x1p63, 0x1p64, 1e300, Double.MIN_VALUE
    };

    @Test
    void numbersCompareByExactValue() {
        List<Value> values = new ArrayList<>();
        List<BigDecimal> exact = new ArrayList<>();
        for (long value : LONGS) {
            values.add(new Value.Int(value));
            exact.add(BigDecimal.valueOf(value));
            values.add(new Value.UInt(value));
            exact.add(new BigDecimal(Long.toUnsignedString(value)));
        }
        for (double value : DOUBLES) {
            values.add(new Value.Real(value));
            exact.add(new BigDecimal(value));
        }
        for (int i = 0; i < values.size(); i++) {
            for (int j = 0; j < values.size(); j++) {
                int expected = exact.get(i).compareTo(exact.get(j));
                assertThat(Integer.signum(ValueOrder.compare(values.get(i), values.get(j))))
                        .as("%s against %s", values.get(i), values.get(j))
                        .isEqualTo(expected);
                if (expected == 0) {
                    assertThat(ValueOrder.hash(values.get(i)))
                            .as("hash of %s and %s", values.get(i), values.get(j))
                            .isEqualTo(ValueOrder.hash(values.get(j)));
                }
            }
        }
    }

    @Test
    void textOrdersByCodePointWhereUtf16DoesNot() {
        String last = "\uFFFF";
        String beyond = new String(Character.toChars(0x10000));
        assertThat(last).isGreaterThan(beyond);
        assertThat(ValueOrder.compareText(last, beyond)).isNegative();
        assertThat(ValueOrder.compareText("a", "ab")).isNegative();
        assertThat(ValueOrder.compareText("b", "ab")).isPositive();
    }

    @Test
    void nullComesFirstAndListsCompareItemByItem() {
        assertThat(ValueOrder.compare(Value.NULL, new Value.Bool(false))).isNegative();
        assertThat(ValueOrder.equal(Value.NULL, Value.NULL)).isTrue();
        Value one = new Value.ListOf(List.of(new Value.Int(1)));
        Value oneReal = new Value.ListOf(List.of(new Value.Real(1)));
        Value oneTwo = new Value.ListOf(List.of(new Value.Int(1), new Value.Int(2)));
        assertThat(ValueOrder.equal(one, oneReal)).isTrue();
        assertThat(ValueOrder.hash(one)).isEqualTo(ValueOrder.hash(oneReal));
        assertThat(ValueOrder.compare(one, oneTwo)).isNegative();
    }
}
