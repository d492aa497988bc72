package service.core.json;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages about invalid JSON use our words, never the names of the parser's classes. */
final class JsonFaultsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"a\":1} x|unrecognized token 'x'",
                "{\"a\":1}{\"a\":1}|something follows the value; send one",
                "{\"a\":1|it ends before it is complete",
                "{\"a\":1,}|unexpected character '}'; expected a key in double quotes here",
                "{\"a\":1/*c*/}|unexpected character '/'; JSON has no comments",
                "{b:1}|unexpected character 'b'; expected a key in double quotes here",
                "{\"a\":}|unexpected character '}'; expected a value here",
                "{\"a\":1,\"a\":2}|the key `a` occurs twice",
                "{\"a\":nope}|unrecognized token 'nope'",
            })
    void faultsAreExplainedInOurWords(String text, String expected) {
        assertFault(text, expected);
    }

    @Test
    void limitsAreNamedByTheirObject() {
        assertFault("{\"a\":" + "[".repeat(70) + "]".repeat(70) + "}", "it is nested deeper than 64 levels");
        assertFault("{\"a\":" + "9".repeat(500) + "}", "a number in it has more than 400 digits");
        assertFault("{\"a\":\"x\ny\"}", "a string holds a control character");
    }

    private static void assertFault(String text, String expected) {
        assertThatThrownBy(() -> Json.read(text, "the body"))
                .hasMessageStartingWith("the body is not valid JSON: " + expected)
                .hasMessageNotContainingAny("Stream", "Deserialization", "jackson", "Feature", "NaN");
    }
}
