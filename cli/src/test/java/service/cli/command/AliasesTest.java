package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.cli.boot.ClientConfig;

/** The aliases and the keys of config.yaml. */
final class AliasesTest {
    private static final String CONFIG = """
            servers: { work: { url: "http://127.0.0.1:1" } }
            aliases:
              who: { query: person_by_name, args: [name], params: { limit: 5 }, format: kv, server: work, graph: g }
              load: { query: other }
              broken: { args: [name] }
            """;

    @TempDir
    private Path home;

    private String[] expand(String config, String... words) throws IOException {
        Path directory = Files.createDirectories(home.resolve(".service"));
        Files.writeString(directory.resolve("config.yaml"), config);
        return Aliases.expand(words, Set.of("load", "query"), ClientConfig.read(Map.of("HOME", home.toString())));
    }

    @Test
    void anAliasIsAQueryWithItsArguments() throws IOException {
        assertThat(String.join(" ", expand(CONFIG, "who", "Ada", "--json")))
                .isEqualTo("query person_by_name -p limit=5 -p name=Ada --server work --graph g --json");
        assertThat(String.join(" ", expand(CONFIG, "who", "Ada", "--graph", "h")))
                .isEqualTo("query person_by_name -p limit=5 -p name=Ada --server work --format kv --graph h");
    }

    @Test
    void anOptionAfterTheArgumentsReplacesThatOfTheAlias() throws IOException {
        assertThat(String.join(" ", expand(CONFIG, "who", "Ada", "--graph=h", "--format=csv")))
                .isEqualTo("query person_by_name -p limit=5 -p name=Ada --server work --graph=h --format=csv");
        assertThat(String.join(" ", expand(CONFIG, "who", "Ada", "--format", "kv", "--json")))
                .endsWith("--format kv --json");
        assertThat(String.join(" ", expand(CONFIG, "who", "Ada", "--json"))).doesNotContain("--format");
    }

    @Test
    void aCommandGoesBeforeAnAliasOfItsName() throws IOException {
        assertThat(expand(CONFIG, "load", "x")).containsExactly("load", "x");
        assertThat(expand(CONFIG, "nothing", "x")).containsExactly("nothing", "x");
    }

    @Test
    void anAliasWithoutItsArgumentsIsRefused() {
        assertThatThrownBy(() -> expand(CONFIG, "who")).hasMessage("give `who` its arguments: service who NAME");
        assertThatThrownBy(() -> expand(CONFIG, "broken", "x"))
                .hasMessage("alias `broken` of config.yaml names no query; add aliases.broken.query");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "servrs: {}                        | has an unknown key `servrs`; did you mean `servers`?",
                "servers: { work: { uri: x } }     | has an unknown key `uri` in servers.work; did you mean `url`?",
                "operator: { actr: x }             | has an unknown key `actr` in operator; did you mean `actor`?",
                "defaults: { graph: x }            | has an unknown key `graph` in defaults; the keys are",
                "profiles: { p: { sever: x } }     | has an unknown key `sever` in profiles.p; did you mean `server`?",
                "aliases: { w: { qury: x } }       | has an unknown key `qury` in aliases.w; did you mean `query`?",
                "clusters: { c: { rot: x } }       | has an unknown key `rot` in clusters.c; did you mean `root`?",
                "servers: work                     | servers must be a mapping"
            })
    void anUnknownKeyIsRefused(String config, String message) {
        assertThatThrownBy(() -> expand(config, "who")).hasMessageContaining(message);
    }
}
