package service.core.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyTextTest {
    @ParameterizedTest
    @CsvSource({
        "1.0, 1",
        "-0.0, 0",
        "0.0, 0",
        "1e21, 1e+21",
        "1e20, 100000000000000000000",
        "0.000001, 0.000001",
        "1e-7, 1e-7",
        "1.5e-7, 1.5e-7",
        "123.456, 123.456",
        "-2.5, -2.5",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "5e-324, 5e-324",
        "1234567890123456789012, 1.2345678901234568e+21"
    })
    void printsDoublesAsEcmaScriptDoes(double value, String text) {
        assertThat(KeyText.ecmaScript(value)).isEqualTo(text);
    }

    @Test
    void anF32PrintsAsAFloat() {
        assertThat(KeyText.of(new PropertyType.Scalar(ScalarType.F32), new Value.Real((double) 0.1f)))
                .isEqualTo("0.1");
        assertThat(KeyText.of(new PropertyType.Scalar(ScalarType.F32), new Value.Real((double) Float.MIN_VALUE)))
                .isEqualTo("1e-45");
    }

    @Test
    void refusesValuesWithoutCanonicalText() {
        assertThatThrownBy(() -> KeyText.ecmaScript(Double.NaN)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> KeyText.of(PropertyType.STRING, Value.NULL)).hasMessageContaining("null");
    }

    @Test
    void severalMembersMakeACompactArrayOfTexts() {
        assertThat(KeyText.id(
                        List.of(PropertyType.STRING, PropertyType.I64, PropertyType.DATE),
                        List.of(new Value.Text("a\"b\n"), new Value.Int(-7), new Value.Date(0))))
                .isEqualTo("[\"a\\\"b\\n\",\"-7\",\"1970-01-01\"]");
    }

    @Test
    void idsAreTextOfOneToAThousandBytesWithoutControls() {
        assertThat(KeyText.fault("é".repeat(512))).isNull();
        assertThat(KeyText.fault("é".repeat(512) + "x")).contains("1024");
        assertThat(KeyText.fault("")).contains("empty");
        assertThat(KeyText.fault("a\u0000")).contains("position 1");
        assertThat(KeyText.fault("a\u0085")).contains("control");
        assertThat(KeyText.fault("\ud800")).contains("surrogate");
        assertThat(KeyText.fault("😀")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "2024-01-01T12:34:56Z, 2024-01-01T12:34:56Z",
        "2024-01-01T12:34:56.7Z, 2024-01-01T12:34:56.700Z",
        "2024-01-01T12:34:56.789999+02:00, 2024-01-01T10:34:56.789Z",
        "1960-02-29t00:00:00.001, 1960-02-29T00:00:00.001Z"
    })
    void readsAndPrintsInstants(String text, String printed) {
        assertThat(CalendarText.dateTime(CalendarText.parseDateTime(text))).isEqualTo(printed);
    }

    @ParameterizedTest
    @CsvSource({
        "2024-01-01", "2024-01-01T24:00:00Z", "2024-02-30T00:00:00Z", "2024-01-01T00:00:00+2:00",
        "2024-01-01T00:00:00.Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00ZZ", "2024-01-01T00:00"
    })
    void refusesOtherInstants(String text) {
        assertThatThrownBy(() -> CalendarText.parseDateTime(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void microsecondsArePrintedInFull() {
        assertThat(CalendarText.micros(1_000_001L)).isEqualTo("1970-01-01T00:00:01.000001Z");
        assertThat(CalendarText.micros(-1L)).isEqualTo("1969-12-31T23:59:59.999999Z");
    }
}
