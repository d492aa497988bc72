package service.cli.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.config.Variable;
import service.core.error.StartRefusedException;
import service.http.limit.Limit;

final class ServiceConfigTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(SERVICE_[A-Z0-9_]+(?:<NAME>)?)` \\|.*$");

    static List<Variable> numbersAndWords() {
        return ServiceConfig.variables().stream()
                .filter(variable -> !(variable instanceof Variable.Text))
                .toList();
    }

    private static String row(Variable variable) {
        return switch (variable) {
            case Variable.WholeNumber number ->
                "| `%s` | %s | %s | %d–%d | %s |"
                        .formatted(
                                number.name(),
                                number.unit(),
                                number.defaultText(),
                                number.min(),
                                number.max(),
                                number.meaning());
            case Variable.Word word ->
                "| `%s` | %s | %s | %s |".formatted(word.name(), word.defaultText(), word.allowed(), word.meaning());
            case Variable.Flag flag ->
                "| `%s` | %s | %s | %s |".formatted(flag.name(), flag.defaultText(), flag.allowed(), flag.meaning());
            case Variable.Text text ->
                "| `%s` | %s | %s | %s |".formatted(text.name(), text.defaultText(), text.allowed(), text.meaning());
        };
    }

    @Test
    void theDocsHaveTheRowsOfAllVariablesAndNoOthers() throws IOException {
        String docs = Files.readString(Path.of(System.getProperty("service.root"), "docs", "limits.md"));
        assertThat(ServiceConfig.variables())
                .allSatisfy(variable -> assertThat(docs).contains("\n" + row(variable)));
        assertThat(ROW.matcher(docs).results().map((MatchResult found) -> found.group(1)))
                .containsExactlyInAnyOrderElementsOf(
                        ServiceConfig.variables().stream().map(Variable::name).toList());
    }

    @ParameterizedTest
    @MethodSource("numbersAndWords")
    void aBadValueIsRefusedWithItsVariableAndWhatIsAllowed(Variable variable) {
        String bad = variable instanceof Variable.WholeNumber number ? Long.toString(number.max() + 1) : "some";
        assertThatThrownBy(() -> ServiceConfig.of(Map.of(variable.name(), bad)))
                .isInstanceOf(StartRefusedException.class)
                .hasMessage("%s is `%s`; set it to %s, or unset it for %s"
                        .formatted(variable.name(), bad, variable.allowed(), variable.defaultText()));
    }

    @Test
    void everyFlagTakesOneZeroTrueAndFalse() {
        List<Variable> flags = ServiceConfig.variables().stream()
                .filter(variable -> variable instanceof Variable.Flag)
                .toList();
        assertThat(flags).hasSizeGreaterThan(3);
        for (Variable variable : flags) {
            Variable.Flag flag = (Variable.Flag) variable;
            assertThat(flag.read(Map.of())).isFalse();
            for (String yes : List.of("1", "true", "TRUE", "True")) {
                assertThat(flag.read(Map.of(flag.name(), yes))).isTrue();
            }
            for (String no : List.of("0", "false", "FALSE")) {
                assertThat(flag.read(Map.of(flag.name(), no))).isFalse();
            }
            for (String bad : List.of("", "yes", " 1", "2", "on")) {
                assertThatThrownBy(() -> flag.read(Map.of(flag.name(), bad)))
                        .isInstanceOf(StartRefusedException.class)
                        .hasMessageContaining("1, 0, true or false");
            }
        }
    }

    @Test
    void aDirectoryThatIsNoPathIsRefused() {
        for (String variable : List.of("SERVICE_SPILL_DIRECTORY", "SERVICE_CACHE_DIR")) {
            for (String bad : List.of("\0", "")) {
                assertThatThrownBy(() -> ServiceConfig.of(Map.of(variable, bad)))
                        .isInstanceOf(StartRefusedException.class)
                        .hasMessageContaining(variable);
            }
        }
    }

    @Test
    void aServerRefusesToStartWithoutTemporaryFiles(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        for (Path bad : List.of(folder.resolve("missing"), file, Path.of("/proc"))) {
            Map<String, String> environment = Map.of(
                    "SERVICE_SPILL_DIRECTORY", bad.toString(),
                    "SERVICE_CLUSTER", folder.resolve("cluster").toString(),
                    "SERVICE_SERVER_BEARER_TOKENS_JSON", "{\"act-a\":\"token\"}");
            ServiceConfig config = ServiceConfig.of(environment);
            assertThatThrownBy(() -> new Server(config, Server.credentials(environment, config), "test").start())
                    .isInstanceOfSatisfying(
                            StartRefusedException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo("config_invalid"))
                    .hasMessageContaining("`" + bad + "`")
                    .hasMessageContaining("set SERVICE_SPILL_DIRECTORY to a directory that the server can write");
        }
        ServiceConfig.of(Map.of("SERVICE_SPILL_DIRECTORY", folder.toString())).requireSpillDirectory();
    }

    @Test
    void valuesWithinBoundsAreTaken() {
        ServiceConfig config = ServiceConfig.of(Map.of(
                "SERVICE_MAX_INFLIGHT", "12",
                "SERVICE_QUERY_MEMORY_MAX", "1048576",
                "SERVICE_ROW_LIMIT", "7",
                "SERVICE_MERGE_GRANULARITY", "property",
                "SERVICE_BIND", "[::1]:0",
                "SERVICE_REQUIRE_ALL_GRAPHS", "true"));
        assertThat(config.limits().getInt(Limit.MAX_INFLIGHT)).isEqualTo(12);
        assertThat(config.memory().queryBytesMax()).isEqualTo(1 << 20);
        assertThat(config.settings().rowLimit()).isEqualTo(7);
        assertThat(config.settings().mergesProperties()).isTrue();
        assertThat(config.serving().address().getHostString()).isEqualTo("::1");
        assertThat(config.serving().requireAllGraphs()).isTrue();
        assertThat(config.serving().unauthenticated()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1", ":80", "host:", "host:65536", "host:http"})
    void anAddressIsAHostAndAPort(String bind) {
        assertThatThrownBy(() -> ServiceConfig.address(bind))
                .isInstanceOf(StartRefusedException.class)
                .hasMessageContaining("SERVICE_BIND is `" + bind + "`; set it to HOST:PORT");
    }
}
