package service.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.SourceText;
import service.core.port.EmbeddingSource;

final class ClusterConfigTest {
    @TempDir
    Path directory;

    private ClusterDirectory cluster;

    @BeforeEach
    void writeTheExample() {
        cluster = ClusterDirectory.example(directory);
    }

    private void yaml(String graphKeys) {
        cluster.file("cluster.yaml", "version: 1\ngraphs:\n  g: { " + graphKeys + " }\n");
    }

    @Test
    void theExampleIsValid() {
        assertThat(cluster.findings()).isEmpty();
        assertThat(cluster.cluster().validate()).isEmpty();
        assertThat(cluster.cluster().warnings()).isEmpty();
    }

    @Test
    void namesUnknownAndDuplicateKeysWithTheirPlace() {
        cluster.file("cluster.yaml", """
                version: 1
                graphs:
                  g:
                    shema: knowledge.pg
                    schema: knowledge.pg
                    schema: knowledge.pg
                """);
        assertThat(cluster.findings()).contains("CL-004 cluster.yaml:6:5", "CL-005 cluster.yaml:4:5");
        assertThat(cluster.cluster().validate()).anyMatch(found -> "did you mean `schema`?".equals(found.hint()));
    }

    @Test
    void refusesAliasesTagsAndOtherThanOneDocument() {
        cluster.file("cluster.yaml", "version: 1\nmetadata: { name: !!str x }\n");
        assertThat(cluster.findings()).containsExactly("CL-002 cluster.yaml:2:19");
        cluster.file("cluster.yaml", "version: 1\nmetadata: &m { name: x }\ngraphs: *m\n");
        assertThat(cluster.findings()).containsExactly("CL-002 cluster.yaml:3:9");
        cluster.file("cluster.yaml", "a: &a [ *a ]\n");
        assertThat(cluster.findings()).containsExactly("CL-002 cluster.yaml:1:9");
        cluster.file("cluster.yaml", "version: 1\n---\nversion: 1\n");
        assertThat(cluster.findings()).hasSize(1).allMatch(found -> found.startsWith("CL-001"));
        cluster.file("cluster.yaml", "[".repeat(100_000));
        assertThat(cluster.findings()).hasSize(1).allMatch(found -> found.startsWith("CL-001"));
        cluster.file("cluster.yaml", "");
        assertThat(cluster.findings()).hasSize(1);
    }

    @Test
    void refusesFilesThatAreMissing() throws IOException {
        yaml("schema: nothing.pg");
        assertThat(cluster.findings()).containsExactly("CL-009 cluster.yaml:3:16");
        yaml("schema: queries");
        assertThat(cluster.findings()).containsExactly("CL-009 cluster.yaml:3:16");
        yaml("schema: knowledge.pg, queries: knowledge.pg");
        assertThat(cluster.findings()).hasSize(1).allMatch(found -> found.startsWith("CL-009"));
        Files.delete(directory.resolve("cluster.yaml"));
        assertThat(cluster.findings()).hasSize(1);
    }

    @Test
    void checksSchemasAndStoredQueriesAndNamesTheirFiles() {
        cluster.file("knowledge.pg", "node Person {\n  name: Strin\n}\n");
        assertThat(cluster.findings()).singleElement().asString().contains("knowledge.pg:2:9");
        cluster.file("knowledge.pg", ClusterDirectory.SCHEMA)
                .file("queries/people.gq", "query a() {\n  match { $p: Persn }\n  return { $p.name }\n}\n");
        assertThat(cluster.findings()).singleElement().asString().startsWith("T1 queries/people.gq:2:");
    }

    @Test
    void takesQueriesFromAListAndFromAMap() {
        String two = ClusterDirectory.QUERY + ClusterDirectory.QUERY.replace("everybody", "somebody");
        cluster.file("two.gq", two);
        yaml("schema: knowledge.pg, queries: [two.gq]");
        assertThat(cluster.apply().changes()).hasSize(4);
        yaml("schema: knowledge.pg, queries: { everybody: { file: two.gq }, somebody: { file: two.gq } }");
        assertThat(cluster.apply().changes()).isEmpty();
        yaml("schema: knowledge.pg, queries: { nobody: { file: two.gq } }");
        assertThat(cluster.findings()).containsExactly("CL-014 cluster.yaml:3:41");
        yaml("schema: knowledge.pg, queries: [two.gq, queries/people.gq]");
        assertThat(cluster.findings()).containsExactly("CL-014 queries/people.gq:1:7");
    }

    @Test
    void findingsInTheConfigurationHideNeitherQueriesNorPolicies() {
        cluster.file("p.yaml", "version: 2\n").file("queries/people.gq", """
                        query a() { match { $p: Persn } return { $p.name } }
                        query b() { match { $p: Person } return { $p.nmae } }
                        """);
        cluster.file("cluster.yaml", """
                version: 1
                shape: x
                graphs: { g: { schema: knowledge.pg, queries: queries } }
                policies: { a: { file: p.yaml, applies_to: [g] } }
                """);
        assertThat(cluster.findings())
                .contains("CL-005 cluster.yaml:2:1", "T1 queries/people.gq:1:25", "T2 queries/people.gq:2:46")
                .anyMatch(finding -> finding.startsWith("PL-"));
    }

    @Test
    void checksBindingsOfPolicies() {
        String start = "version: 1\ngraphs: { g: { schema: knowledge.pg } }\npolicies:\n";
        cluster.file("p.yaml", "version: 1\n");
        cluster.file("cluster.yaml", start + "  a: { file: p.yaml, applies_to: [g, cluster] }\n");
        assertThat(cluster.findings())
                .filteredOn(finding -> finding.startsWith("CL"))
                .containsExactly("CL-011 cluster.yaml:4:6");
        cluster.file("cluster.yaml", start + "  a: { file: p.yaml, applies_to: [h] }\n");
        assertThat(cluster.findings())
                .filteredOn(finding -> finding.startsWith("CL"))
                .containsExactly("CL-011 cluster.yaml:4:35");
        cluster.file(
                "cluster.yaml",
                start + "  a: { file: p.yaml, applies_to: [g] }\n  b: { file: p.yaml, applies_to: [g] }\n");
        assertThat(cluster.findings())
                .filteredOn(finding -> finding.startsWith("CL"))
                .containsExactly("CL-011 cluster.yaml:5:35");
        cluster.file("cluster.yaml", start + "  \"a/b\": { applies_to: [g] }\n");
        assertThat(cluster.findings()).containsExactlyInAnyOrder("CL-007 cluster.yaml:4:3", "CL-008 cluster.yaml:4:10");
    }

    @Test
    void checksGraphIdsRetentionAndVersion() {
        cluster.file("cluster.yaml", "version: 2\ngraphs:\n  healthz: { schema: knowledge.pg }\n  a_b: {}\n");
        assertThat(cluster.findings())
                .contains("CL-006 cluster.yaml:1:10", "CL-007 cluster.yaml:3:3", "CL-007 cluster.yaml:4:3");
        yaml("schema: knowledge.pg, retention: { keep: 0 }");
        assertThat(cluster.findings()).hasSize(1).allMatch(found -> found.startsWith("CL-010"));
        yaml("schema: knowledge.pg, fast_forward: sometimes");
        assertThat(cluster.findings()).hasSize(1).allMatch(found -> found.startsWith("CL-010"));
        yaml("schema: knowledge.pg, fast_forward: never");
        assertThat(cluster.findings()).isEmpty();
        yaml(
                "schema: knowledge.pg, retention: { keep: 10, older_than: 30d }, external_blobs: { allow: [ { base: \"s3://a/\" } ] }");
        assertThat(cluster.findings()).isEmpty();
    }

    @Test
    void aBaseIsForServers() {
        yaml("schema: knowledge.pg, external_blobs: { allow: [ { base: \"s3://a/\", scope: server_safe } ] }");
        assertThat(cluster.findings()).isEmpty();
        yaml("schema: knowledge.pg, external_blobs: { allow: [ { base: \"s3://a/\", scope: embedded_only } ] }");
        assertThat(cluster.findings()).hasSize(1).allMatch(found -> found.startsWith("CL-010"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "assets/",
                "https://user@cdn.example/",
                "https://cdn.example/a/../",
                "https://cdn.example/?a",
                "https://cdn.example/%2e/"
            })
    void reportsABaseThatIsNotALocationOnItsLine(String base) {
        yaml("schema: knowledge.pg, external_blobs: { allow: [ { base: \"" + base + "\" } ] }");
        assertThat(cluster.findings()).hasSize(1).allMatch(found -> found.startsWith("CL-010"));
    }

    private static final String OPENAI = "kind: openai-compatible, model: m";

    private void provider(String keys, String named) {
        cluster.file(
                "cluster.yaml",
                "version: 1\ngraphs:\n  g: { schema: knowledge.pg, embedding_provider: " + named
                        + " }\nproviders:\n  embedding:\n    default: { " + keys + " }\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                OPENAI + ", base_url: \"https://e.example/v1\", api_key: \"${EMBED_KEY}\"",
                OPENAI + ", base_url: \"https://e.example:8443/\"",
                OPENAI + ", base_url: \"http://127.0.0.1:11434/v1\"",
                OPENAI + ", base_url: \"http://localhost/v1\"",
                OPENAI + ", base_url: \"http://[::1]:1/v1\"",
                "kind: mock, dimensions: 4096",
                "kind: mock, dimensions: 3, model: bge-small"
            })
    void takesProvidersOfEmbeddings(String keys) {
        provider(keys, "default");
        assertThat(cluster.findings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "model: m, base_url: \"https://e.example/v1\"",
                "kind: openai, model: m, base_url: \"https://e.example/v1\"",
                "kind: openai-compatible, model: m",
                "kind: openai-compatible, base_url: \"https://e.example/v1\"",
                OPENAI + ", base_url: \"http://e.example/v1\"",
                OPENAI + ", base_url: \"http://127.0.0.1.e.example/v1\"",
                OPENAI + ", base_url: \"https://u:secret@e.example/v1\"",
                OPENAI + ", base_url: \"https://e.example/v1?key=secret\"",
                OPENAI + ", base_url: \"ftp://e.example/v1\"",
                OPENAI + ", base_url: \"e.example\"",
                OPENAI + ", base_url: \"https://e.example/v1\", api_key: sk-secret",
                OPENAI + ", base_url: \"https://e.example/v1\", api_key: \"$EMBED_KEY\"",
                OPENAI + ", base_url: \"https://e.example/v1\", api_key: \"sk-secret${EMBED_KEY}\"",
                OPENAI + ", base_url: \"https://e.example/v1\", dimensions: 3",
                "kind: mock",
                "kind: mock, dimensions: 4097",
                "kind: mock, dimensions: 0",
                "kind: mock, dimensions: 3, api_key: \"${K}\""
            })
    void refusesProvidersThatCannotBeUsed(String keys) {
        provider(keys, "default");
        assertThat(cluster.findings()).hasSize(1).allMatch(found -> found.startsWith("CL-016"));
    }

    @Test
    void aGraphNamesADeclaredProvider() {
        provider("kind: mock, dimensions: 3", "defautl");
        assertThat(cluster.cluster().validate()).singleElement().satisfies(found -> {
            assertThat(found.code()).isEqualTo("CL-016");
            assertThat(found.hint()).isEqualTo("did you mean `default`?");
        });
    }

    /** Neither the finding itself nor another one on the same line prints the line. */
    @ParameterizedTest
    @ValueSource(
            strings = {"api_key: sk-secret", "api_key: [sk-secret]", "base_url: \"https://u:sk-secret@e.example/v1\""})
    void noFindingShowsAWrittenKey(String written) throws IOException {
        provider("kind: openai-compatible, mdoel: m, shape: x, " + written, "default");
        SourceText source = new SourceText(Files.readString(directory.resolve("cluster.yaml")));
        assertThat(cluster.cluster().validate())
                .hasSizeGreaterThan(2)
                .allSatisfy(found -> assertThat(found.render(source)).doesNotContain("secret"));
    }

    @Test
    void theLedgerHoldsTheVariableOfAKeyAndAChangeOfAProviderIsOneOfItsGraphs() {
        provider(OPENAI + ", base_url: \"https://e.example/v1\", api_key: \"${EMBED_KEY}\"", "default");
        cluster.apply();
        assertThat(cluster.text("__cluster/state.json")).contains("${EMBED_KEY}");
        assertThat(cluster.applied().graphs().get("g").rules().embeddings())
                .isEqualTo(new EmbeddingSource(
                        "default",
                        EmbeddingSource.Kind.OPENAI_COMPATIBLE,
                        "https://e.example/v1",
                        "m",
                        "EMBED_KEY",
                        0));
        assertThat(cluster.plan().changes()).isEmpty();
        provider("kind: mock, dimensions: 3", "default");
        assertThat(cluster.plan().changes())
                .singleElement()
                .satisfies(change -> assertThat(change.resource()).isEqualTo("graph.g"));
    }
}
