package service.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
        for (Charset other : List.of(
                StandardCharsets.UTF_16,
                StandardCharsets.UTF_16LE,
                StandardCharsets.UTF_16BE,
                Charset.forName("UTF-32LE"),
                Charset.forName("UTF-32BE"))) {
            for (String json : List.of("{\"a\":1}", "[]", "{\"é\":\"€\"}", "7")) {
                assertThatThrownBy(() -> Json.read(json.getBytes(other), WHAT))
                        .hasMessage("the body is not UTF-8 text");
            }
        }
        for (String nul : List.of("{\"a\":\u0000 1}", "{\"a\":1}\u0000", "[1,\u0001]")) {
            assertThatThrownBy(() -> Json.read(nul.getBytes(StandardCharsets.UTF_8), WHAT))
                    .isInstanceOf(ServiceException.class)
                    .hasMessageContaining("it holds a control character")
                    .hasMessageNotContaining("white space");
        }
        assertThatThrownBy(() -> Json.read(new byte[] {'"', (byte) 0xFF, '"'}, WHAT))
                .hasMessage("the body is not UTF-8 text");
        assertThatThrownBy(() -> Json.read(new byte[] {'"', (byte) 0xC3, '"'}, WHAT))
                .hasMessage("the body is not UTF-8 text");
    }
}
