package service.core.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BoundedPatternTest {
    @ParameterizedTest
    @ValueSource(strings = {"a+b", "[A-Z]{2}[0-9]{1,6}", "(?:x{10}){10}", "\\{1000}", "(a|b){1000}"})
    void compilesPatternsThatUnrollToFewInstructions(String expression) {
        assertThat(BoundedPattern.compile(expression).pattern()).isEqualTo(expression);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"(a{1000}){1000}", "((a{30}){30}){30}", "(a{999}b{0,999}){12}", "(((((a{9}){9}){9}){9}){9}"})
    void refusesRepetitionsThatMultiply(String expression) {
        assertThatThrownBy(() -> BoundedPattern.compile(expression)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesLongOrMalformedPatterns() {
        assertThatThrownBy(() -> BoundedPattern.compile("a".repeat(1_001))).hasMessageContaining("1000");
        assertThatThrownBy(() -> BoundedPattern.compile("(")).hasMessageContaining("missing");
    }
}
