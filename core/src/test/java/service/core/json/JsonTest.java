package service.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ServiceException;

final class JsonTest {
    private static final String WHAT = "the body";

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":[1,2.50,null]}", "\"ä\uFFFD\uD83D\uDE00\"", "[\"\\u00e4\"]", "7"})
    void bytesAndTextGiveTheSameValue(String text) {
        assertThat(Json.read(text.getBytes(StandardCharsets.UTF_8), WHAT)).isEqualTo(Json.read(text, WHAT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{\"a\":1,\"a\":2}",
                "{\"a\":1} x",
                "{\"a\"",
                "{\"a\":tru}",
                "[\"ä\" 1]",
                "[1e99999999999999999999]"
            })
    void bytesAndTextAreRefusedWithTheSameMessage(String text) {
        String message = refusal(() -> Json.read(text, WHAT));
        assertThat(refusal(() -> Json.read(text.getBytes(StandardCharsets.UTF_8), WHAT)))
                .isEqualTo(message);
    }

    @Test
    void anExponentOfManyDigitsIsInvalidWithinAStreamToo() throws IOException {
        try (JsonParser parser = Json.streamingFactory().createParser("[1e99999999999999999999]")) {
            parser.nextToken();
            assertThatThrownBy(() -> Json.tree(parser))
                    .isInstanceOf(JsonProcessingException.class)
                    .hasMessageContaining("exponent");
        }
    }

    private static String refusal(Runnable read) {
        try {
            read.run();
            throw new AssertionError("not refused");
        } catch (ServiceException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void bytesInAnotherEncodingAreRefused() {
        assertThatThrownBy(() -> Json.read("{\"a\":1}".getBytes(StandardCharsets.UTF_16LE), WHAT))
                .isInstanceOf(ServiceException.class);
        assertThatThrownBy(() -> Json.read(new byte[] {'"', (byte) 0xFF, '"'}, WHAT))
                .hasMessage("the body is not UTF-8 text");
        assertThatThrownBy(() -> Json.read(new byte[] {'"', (byte) 0xC3, '"'}, WHAT))
                .hasMessage("the body is not UTF-8 text");
    }
}
