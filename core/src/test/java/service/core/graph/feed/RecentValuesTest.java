package service.core.graph.feed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RecentValuesTest {
    private final RecentValues<Integer, String> values = new RecentValues<>();

    @Test
    void aKeyThatEqualsAnotherFindsItsValue() {
        values.put(100_000, "value");
        assertThat(values.get(Integer.parseInt("100000"))).isEqualTo("value");
        assertThat(values.get(1)).isNull();
    }

    @Test
    void aLaterKeyTakesThePlaceOfAnEarlierOne() {
        for (int key = 0; key < 1_000; key++) {
            values.put(key, "v" + key);
        }
        int kept = 0;
        for (int key = 0; key < 1_000; key++) {
            String value = values.get(key);
            if (value != null) {
                assertThat(value).isEqualTo("v" + key);
                kept++;
            }
        }
        assertThat(kept).isEqualTo(16);
        assertThat(values.get(999)).isNotNull();
        assertThat(values.get(0)).isNull();
    }
}
