package service.cli.lsp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the language server does with an editor that does not keep to the protocol or its bounds. */
final class LanguageServerTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static String message(String body) {
        return "Content-Length: " + body.getBytes(UTF_8).length + "\r\n\r\n" + body;
    }

    private static String serve(String input) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new LanguageServer(new ByteArrayInputStream(input.getBytes(UTF_8)), out, "test").run();
        return out.toString(UTF_8);
    }

    private static String opened(String uri, String text) throws IOException {
        ObjectNode message = JSON.createObjectNode().put("method", "textDocument/didOpen");
        message.putObject("params").putObject("textDocument").put("uri", uri).put("text", text);
        return message(JSON.writeValueAsString(message));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Content-Length: 16777217 | at most 16777216 bytes are read",
                "Content-Length: 99999999999999999999999 | at most 16777216 bytes are read",
                "Content-Length: -1 | at most 16777216 bytes are read",
                "Content-Length: 5 | the input ended inside a message",
                "Content-Type: x | a message has no Content-Length",
            })
    void aMessageThatCannotBeReadEndsIt(String header, String error) {
        assertThatThrownBy(() -> serve(header + "\r\n\r\n{}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(error);
    }

    @Test
    void aHeaderHasABound() {
        assertThatThrownBy(() -> serve("X: " + "y".repeat(9_000))).hasMessageContaining("8192 bytes");
        assertThatThrownBy(() -> serve("X: y\r\n".repeat(2_000))).hasMessageContaining("8192 bytes");
        assertThatThrownBy(() -> serve(message("{"))).hasMessageContaining("no JSON");
    }

    @Test
    void requestsAreAnsweredWhateverTheyAre() throws IOException {
        assertThat(serve(message("{\"id\":1,\"method\":\"textDocument/hover\"}")))
                .contains("\"id\":1,\"result\":null");
        assertThat(serve(message("{\"id\":\"a\",\"method\":\"x\"}"))).contains("\"code\":-32601");
        assertThat(serve(message("[]") + message("{\"method\":\"exit\"}"))).isEmpty();
        String shut = message("{\"id\":1,\"method\":\"shutdown\"}") + message("{\"id\":2,\"method\":\"x\"}");
        assertThat(serve(shut)).contains("the server was shut down");
        String hover =
                "{\"id\":3,\"method\":\"textDocument/hover\",\"params\":{\"textDocument\":{\"uri\":\"untitled:a.gq\"},"
                        + "\"position\":{\"line\":1000000,\"character\":-7}}}";
        assertThat(serve(opened("untitled:a.gq", "query q() {\n  return { 1 as x }\n}") + message(hover)))
                .contains("\"diagnostics\":[]", "\"id\":3,\"result\":null");
    }

    @Test
    void documentsHaveABoundTogether() throws IOException {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i <= LanguageServer.DOCUMENTS_MAX; i++) {
            many.append(opened("untitled:" + i + ".txt", ""));
        }
        assertThat(serve(many.toString()))
                .contains("close some: untitled:1000.txt")
                .doesNotContain("untitled:999.txt");
        String large = "x".repeat(12 << 20);
        assertThat(serve(opened("a.txt", large) + opened("b.txt", large) + opened("c.txt", large)))
                .contains("close some: c.txt")
                .doesNotContain("b.txt");
        // What is too long to be checked has no diagnostics, and is let go when it is closed.
        String closed =
                message("{\"method\":\"textDocument/didClose\",\"params\":{\"textDocument\":{\"uri\":\"a.txt\"}}}");
        assertThat(serve(opened("a.txt", large) + opened("b.txt", large) + closed + opened("c.gq", large)))
                .doesNotContain("close some")
                .contains("{\"uri\":\"c.gq\",\"diagnostics\":[]}");
    }
}
