package service.http.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.StartRefusedException;

final class StaticTokensTest {
    private static final String JSON = "SERVICE_SERVER_BEARER_TOKENS_JSON";

    @Test
    void eachTokenAuthenticatesItsActor(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("tokens.json"), "{\"ada\":\"t-1\",\"bob\":\"t-2\"}");
        StaticTokens tokens =
                StaticTokens.fromEnvironment(Map.of("SERVICE_SERVER_BEARER_TOKENS_FILE", file.toString()), null);
        assertThat(tokens.actorOf(StaticTokens.sha256("t-1"))).isEqualTo("ada");
        assertThat(tokens.actorOf(StaticTokens.sha256("t-2"))).isEqualTo("bob");
        assertThat(tokens.actorOf(StaticTokens.sha256("t-3"))).isNull();
        assertThat(StaticTokens.fromEnvironment(Map.of("SERVICE_SERVER_BEARER_TOKEN", "t"), null)
                        .actorOf(StaticTokens.sha256("t")))
                .isEqualTo("default");
        assertThat(StaticTokens.fromEnvironment(Map.of(), null)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]",
                "{\"a\":1}",
                "{\"a\":\"\"}",
                "{\"\":\"t\"}",
                "{\"a\":\"t\",\"a\":\"u\"}",
                "{\"a\":\"t\",\"b\":\"t\"}",
                "{\"a\":\"secret\"",
                "{\"a\":\"secret\"} {}",
                "{\"a\":\" secret\"}",
                "{\"a\":\"secret\\n\"}",
                "{\"a\":\"secr\u00e9t\"}",
            })
    void faultyMapsRefuseStartWithoutShowingATokenOf(String json) {
        assertThatThrownBy(() -> StaticTokens.fromEnvironment(Map.of(JSON, json), null))
                .isInstanceOfSatisfying(
                        StartRefusedException.class, e -> assertThat(e.code()).isEqualTo("token_source_invalid"))
                .hasMessageContaining(JSON)
                .message()
                .doesNotContain("secret");
    }

    @Test
    void tokensFromTwoSourcesRefuseTheStart() {
        assertThatThrownBy(() -> StaticTokens.fromEnvironment(
                        Map.of(JSON, "{\"a\":\"t\"}", "SERVICE_SERVER_BEARER_TOKEN", "t"), null))
                .isInstanceOf(StartRefusedException.class);
        assertThatThrownBy(() ->
                        StaticTokens.fromEnvironment(Map.of("SERVICE_SERVER_BEARER_TOKENS_AWS_SECRET", "arn"), null))
                .hasMessageContaining("-Paws");
    }
}
