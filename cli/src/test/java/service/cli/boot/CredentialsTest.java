package service.cli.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.cli.client.CommandFailure;

/** Whose token goes where, and what the configuration may say. */
final class CredentialsTest {
    @TempDir
    private Path home;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void configure() throws IOException {
        environment.put("SERVICE_HOME", home.toString());
        config("""
                servers: { work-1: { url: "http://work" }, play: { url: "http://play" } }
                profiles:
                  daily: { server: work-1, graph: people, output: jsonl }
                  both: { server: play, store: x }
                """);
    }

    private void config(String yaml) throws IOException {
        Files.writeString(home.resolve("config.yaml"), yaml);
    }

    private ClientConfig read() {
        return ClientConfig.read(environment);
    }

    @Test
    void aNamedServersTokenGoesToThatServerOnly() {
        Credentials.of(environment).put("work-1", "kept");
        assertThat(read().token("work-1")).isEqualTo("kept");
        assertThat(read().token("play")).isNull();
        assertThat(read().token("http://work")).isNull();
        environment.put("SERVICE_TOKEN_WORK_1", "given");
        assertThat(read().token("work-1")).isEqualTo("given");
        assertThat(read().token("play")).isNull();
        environment.put("SERVICE_BEARER_TOKEN", "general");
        assertThat(read().token("work-1")).isEqualTo("given");
        assertThat(read().token("play")).isEqualTo("general");
        assertThat(read().token("http://work")).isEqualTo("general");
    }

    @Test
    void onlyTheOwnerReadsTheFile() throws IOException {
        Credentials credentials = Credentials.of(environment);
        credentials.put("work-1", "a");
        credentials.put("play", "b");
        Path file = home.resolve("credentials");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(credentials.remove("play")).isTrue();
        assertThat(credentials.remove("play")).isFalse();
        assertThat(credentials.token("work-1")).isEqualTo("a");
        for (String open : new String[] {"rw-r-----", "rw----r--", "rw--w----"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
            assertThatThrownBy(() -> read().token("work-1"))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("chmod 600");
        }
    }

    @Test
    void whatCannotBeATokenIsRefused() {
        Credentials credentials = Credentials.of(environment);
        for (String token : new String[] {"", "a b", "a\nb", "\u00e9"}) {
            assertThatThrownBy(() -> credentials.put("work-1", token)).isInstanceOf(CommandFailure.class);
        }
        assertThatThrownBy(() -> credentials.put("a b", "t")).isInstanceOf(CommandFailure.class);
        assertThat(Files.exists(home.resolve("credentials"))).isFalse();
    }

    @Test
    void profilesAddressOneThing() {
        assertThat(read().profile("daily"))
                .isEqualTo(new ClientConfig.Profile("daily", "work-1", null, null, "people", "jsonl"));
        assertThatThrownBy(() -> read().profile("both")).hasMessageContaining("more than one");
        assertThatThrownBy(() -> read().profile("none")).hasMessageContaining("profile list");
        assertThatThrownBy(() -> read().serverUrl("nobody")).hasMessageContaining("config.yaml");
    }

    @Test
    void aBrokenFileIsToldInOneLine() throws IOException {
        config("servers: [\n  a: {");
        assertThatThrownBy(this::read)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("config.yaml: line ")
                .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
        config("just words");
        assertThatThrownBy(this::read).hasMessageContaining("mapping");
    }
}
