package service.http.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.StartRefusedException;
import service.http.auth.token.SignedTokens;

final class StaticTokensTest {
    private static final String JSON = "SERVICE_SERVER_BEARER_TOKENS_JSON";

    @Test
    void eachTokenAuthenticatesItsActor(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("tokens.json"), "{\"ada\":\"t-1\",\"bob\":\"t-2\"}");
        StaticTokens tokens = StaticTokenSource.fromEnvironment(
                        Map.of("SERVICE_SERVER_BEARER_TOKENS_FILE", file.toString()), null)
                .current();
        assertThat(tokens.actorOf(StaticTokens.sha256("t-1"))).isEqualTo("ada");
        assertThat(tokens.actorOf(StaticTokens.sha256("t-2"))).isEqualTo("bob");
        assertThat(tokens.actorOf(StaticTokens.sha256("t-3"))).isNull();
        assertThat(StaticTokenSource.fromEnvironment(Map.of("SERVICE_SERVER_BEARER_TOKEN", "t"), null)
                        .current()
                        .actorOf(StaticTokens.sha256("t")))
                .isEqualTo("default");
        assertThat(StaticTokenSource.fromEnvironment(Map.of(), null)).isNull();
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
                "{\"a\":\"with one secret\"}",
                "{\"a\":\"with  two secret\"}",
                "{\"a\":\"secret\\n\"}",
                "{\"a\":\"secr\u00e9t\"}",
            })
    void faultyMapsRefuseStartWithoutShowingATokenOf(String json) {
        assertThatThrownBy(() -> StaticTokenSource.fromEnvironment(Map.of(JSON, json), null))
                .isInstanceOfSatisfying(
                        StartRefusedException.class, e -> assertThat(e.code()).isEqualTo("token_source_invalid"))
                .hasMessageContaining(JSON)
                .message()
                .doesNotContain("secret");
    }

    /** A pipe would hold the thread that opens it, and a device might never end. */
    @ParameterizedTest
    @ValueSource(strings = {"pipe", "folder", "/dev/zero", "link-to-pipe", "large", "nothing", "latin"})
    void aFileThatIsNoneRefusesTheStart(String name, @TempDir Path directory) throws Exception {
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.createDirectory(directory.resolve("folder"));
        Files.createSymbolicLink(directory.resolve("link-to-pipe"), directory.resolve("pipe"));
        Files.write(directory.resolve("large"), new byte[2 << 20]);
        Files.write(directory.resolve("latin"), new byte[] {'{', '"', (byte) 0xe9, '"', ':', '"', 't', '"', '}'});
        assertThatThrownBy(() -> StaticTokenSource.fromEnvironment(
                        Map.of(
                                "SERVICE_SERVER_BEARER_TOKENS_FILE",
                                directory.resolve(name).toString()),
                        null))
                .isInstanceOfSatisfying(
                        StartRefusedException.class, e -> assertThat(e.code()).isEqualTo("token_source_invalid"))
                .hasMessageContaining(name);
        assertThatThrownBy(() -> SignedTokens.read(directory.resolve(name).toString(), null, InstantSource.system(), 1))
                .isInstanceOfSatisfying(
                        StartRefusedException.class, e -> assertThat(e.code()).isEqualTo("trust_invalid"));
        assertThatThrownBy(() -> SignedTokens.read(null, directory.resolve(name).toString(), InstantSource.system(), 1))
                .isInstanceOfSatisfying(
                        StartRefusedException.class, e -> assertThat(e.code()).isEqualTo("trust_invalid"));
    }

    /** What takes the place of a file later is refused as well, and does not hold the thread that reads it. */
    @ParameterizedTest
    @ValueSource(strings = {"pipe", "folder", "/dev/zero", "nothing"})
    void aFileThatIsNoneAnyMoreChangesNothing(String name, @TempDir Path directory) throws Exception {
        Files.createDirectory(directory.resolve("folder"));
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        Path link = Files.createSymbolicLink(
                directory.resolve("link"), Files.writeString(directory.resolve("tokens.json"), "{\"ada\":\"t-1\"}"));
        StaticTokenSource source =
                StaticTokenSource.fromEnvironment(Map.of("SERVICE_SERVER_BEARER_TOKENS_FILE", link.toString()), null);
        Files.delete(link);
        Files.createSymbolicLink(link, directory.resolve(name));
        source.refresh();
        assertThat(source.current().actorOf(StaticTokens.sha256("t-1"))).isEqualTo("ada");
    }

    @Test
    void aLinkToAFileIsFollowed(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("tokens.json"), "{\"ada\":\"t-1\"}");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        StaticTokenSource source =
                StaticTokenSource.fromEnvironment(Map.of("SERVICE_SERVER_BEARER_TOKENS_FILE", link.toString()), null);
        Files.delete(link);
        Files.createSymbolicLink(link, Files.writeString(directory.resolve("next.json"), "{\"bob\":\"t-1\"}"));
        source.refresh();
        assertThat(source.current().actorOf(StaticTokens.sha256("t-1"))).isEqualTo("bob");
    }

    @Test
    void aFileThatEverybodyCanReadIsNoticed(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("tokens.json"), "{\"ada\":\"t-1\"}");
        for (String open : List.of("rw-r--r--", "rw----r--", "rw-rw-rw-")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
            assertThat(StaticTokenSource.canEverybodyRead(file.toString()))
                    .as(open)
                    .isTrue();
        }
        for (String closed : List.of("rw-r-----", "rw-------", "r--r-----")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(closed));
            assertThat(StaticTokenSource.canEverybodyRead(file.toString()))
                    .as(closed)
                    .isFalse();
        }
    }

    @Test
    void tokensFromTwoSourcesRefuseTheStart() {
        assertThatThrownBy(() -> StaticTokenSource.fromEnvironment(
                        Map.of(JSON, "{\"a\":\"t\"}", "SERVICE_SERVER_BEARER_TOKEN", "t"), null))
                .isInstanceOf(StartRefusedException.class);
        assertThatThrownBy(() -> StaticTokenSource.fromEnvironment(
                        Map.of("SERVICE_SERVER_BEARER_TOKENS_AWS_SECRET", "arn"), null))
                .hasMessageContaining("-Paws");
    }
}
