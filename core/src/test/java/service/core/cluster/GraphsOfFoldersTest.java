package service.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.cluster.ClusterConfig.PolicyConfig;
import service.core.config.ConfigDiagnostic;
import service.core.gq.GqCompiler;
import service.core.policy.Action;

/** {@code graphs: { from: … }}: graphs that folders declare. */
final class GraphsOfFoldersTest {
    private static final String POLICY = """
            version: 1
            groups: { all: [%s] }
            rules: [ { id: all, allow: { actors: { group: all }, actions: [read] } } ]
            """;

    @TempDir
    Path directory;

    private ClusterDirectory cluster;

    @BeforeEach
    void writeTenants() {
        cluster = ClusterDirectory.at(directory)
                .file("tenant.pg", ClusterDirectory.SCHEMA)
                .file("tenant.gq", ClusterDirectory.QUERY)
                .file("tenant.yaml", POLICY.formatted("act-shared"))
                .file("tenants/acme/note.txt", "")
                .file("tenants/beta/tenant.pg", ClusterDirectory.SCHEMA + "node City { name: String @key }\n")
                .file("tenants/beta/tenant.gq", ClusterDirectory.QUERY.replace("everybody", "cities"))
                .file("tenants/beta/tenant.yaml", POLICY.formatted("act-beta"))
                .file("tenants/README", "not a folder")
                .file("tenants/.hidden/x", "");
        graphs("from: \"tenants/*/\", schema: tenant.pg, queries: tenant.gq, policy: tenant.yaml");
    }

    private void graphs(String keys) {
        cluster.file("cluster.yaml", "version: 1\ngraphs: { " + keys + " }\n");
    }

    private List<String> resources() {
        return cluster.plan().changes().stream()
                .map(ChangePlan.Change::resource)
                .toList();
    }

    @Test
    void eachFolderIsAGraphAndItsFilesGoBeforeSharedOnes() {
        assertThat(cluster.findings()).isEmpty();
        cluster.apply();
        assertThat(cluster.plan().changes()).isEmpty();
        AppliedCluster applied = cluster.applied();
        assertThat(applied.graphs().keySet()).containsExactly("acme", "beta");
        assertThat(applied.graphs().get("acme").schemaSource()).isEqualTo(ClusterDirectory.SCHEMA);
        assertThat(applied.graphs().get("beta").schemaSource()).contains("City");
        assertThat(applied.graphs().get("acme").queries())
                .singleElement()
                .satisfies(query -> assertThat(query.name()).isEqualTo("everybody"));
        assertThat(applied.graphs().get("beta").queries())
                .singleElement()
                .satisfies(query -> assertThat(query.name()).isEqualTo("cities"));
        assertThat(applied.policies().names()).containsExactly("tenant", "tenant-beta");
        assertThat(applied.policies()
                        .ofGraph("acme")
                        .decide("act-shared", Action.READ, "main")
                        .allows())
                .isTrue();
        assertThat(applied.policies()
                        .ofGraph("beta")
                        .decide("act-shared", Action.READ, "main")
                        .allows())
                .isFalse();
        assertThat(cluster.cluster().policy("beta").names("act-beta")).isTrue();
    }

    @Test
    void aNewFolderChangesItsOwnResourcesAndTheBindingsOfTheSharedPolicy() {
        cluster.apply();
        cluster.file("tenants/gamma/note.txt", "");
        assertThat(resources())
                .containsExactly("graph.gamma", "schema.gamma", "query.gamma.everybody", "policy.tenant");
    }

    @Test
    void graphsStandBesideFoldersAndListsNameFolders() {
        cluster.file("trial/delta/x", "").file("people.pg", ClusterDirectory.SCHEMA);
        graphs("from: [tenants/acme, \"tr*/d*a/\"], schema: tenant.pg, retention: { keep: 7 },"
                + " also: { people: { schema: people.pg } }");
        assertThat(cluster.findings()).isEmpty();
        cluster.apply();
        assertThat(cluster.applied().graphs().keySet()).containsExactly("acme", "delta", "people");
        assertThat(cluster.applied().graphs().get("delta").retention()).isNotNull();
        assertThat(cluster.applied().graphs().get("people").retention()).isNull();
    }

    @Test
    void aFolderOfQueriesAddsItsFilesToTheSharedOnes() {
        cluster.file("queries/a.gq", ClusterDirectory.QUERY.replace("everybody", "a"))
                .file("queries/b.gq", ClusterDirectory.QUERY.replace("everybody", "b"))
                .file("tenants/beta/queries/b.gq", ClusterDirectory.QUERY.replace("everybody", "mine"))
                .file("tenants/beta/queries/c.gq", ClusterDirectory.QUERY.replace("everybody", "c"));
        graphs("from: tenants/*, schema: tenant.pg, queries: queries/");
        assertThat(resources())
                .filteredOn(resource -> resource.startsWith("query."))
                .containsExactly("query.acme.a", "query.acme.b", "query.beta.a", "query.beta.c", "query.beta.mine");
    }

    @Test
    void aGraphMayBeCalledFrom() {
        graphs("from: { schema: tenant.pg }, also: { schema: tenant.pg }");
        assertThat(resources()).containsExactly("graph.also", "graph.from", "schema.also", "schema.from");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "from: tenants/*, schema: tenant.pg, also: { acme: { schema: tenant.pg } } | CL-017",
                "from: [tenants/acme, tenants/a*], schema: tenant.pg | CL-017",
                "from: tenants/**, schema: tenant.pg | CL-017",
                "from: [tenants/nobody], schema: tenant.pg | CL-017",
                "from: [tenant.pg], schema: tenant.pg | CL-017",
                "from: '*/', schema: tenant.pg | CL-007",
                "from: tenants/* | CL-008",
                "from: tenants/a*, schema: missing.pg | CL-009",
                "from: [[a]], schema: tenant.pg | CL-003",
                "from: tenants/*, schema: tenant.pg, polizy: tenant.yaml | CL-005",
                "from: tenants/*, schema: tenant.pg, policy: [tenant.yaml] | CL-003",
                "from: tenants/*, schema: tenant.pg, policy: ä.yaml | CL-007",
            })
    void refusesFoldersThatCannotBeUsed(String keys, String code) {
        cluster.file("graphs/x", "");
        graphs(keys);
        assertThat(cluster.findings()).singleElement().asString().startsWith(code + " cluster.yaml:2:");
    }

    @Test
    void aScopeHasOneBundleAndABundleOneName() {
        String policies = "policies: { %s: { file: tenant.yaml, applies_to: [%s] } }\n";
        String graphs = "version: 1\ngraphs: { from: tenants/*, schema: tenant.pg, policy: tenant.yaml }\n";
        cluster.file("cluster.yaml", graphs + policies.formatted("other", "acme"));
        assertThat(cluster.findings()).singleElement().asString().startsWith("CL-011");
        cluster.file("cluster.yaml", graphs + policies.formatted("tenant", PolicyConfig.CLUSTER_SCOPE));
        assertThat(cluster.findings()).anyMatch(found -> found.startsWith("CL-011"));
    }

    @Test
    void aPatternWithoutAMatchIsAWarning() {
        graphs("from: [\"nobody/*\", tenants/acme], schema: tenant.pg");
        assertThat(cluster.findings()).isEmpty();
        assertThat(cluster.cluster().warnings()).singleElement().satisfies(found -> {
            assertThat(found.code()).isEqualTo("CL-018");
            assertThat(found.message()).contains("nobody/*");
            assertThat(found.line()).isEqualTo(2);
        });
    }

    @Test
    void resourcesHaveABound() {
        List<ConfigDiagnostic> found = new ArrayList<>();
        DesiredState.checkCount(DesiredState.RESOURCES_MAX, found);
        assertThat(found).isEmpty();
        DesiredState.checkCount(DesiredState.RESOURCES_MAX + 1, found);
        assertThat(found)
                .singleElement()
                .satisfies(each -> assertThat(each.code()).isEqualTo("CL-019"));
    }

    @Test
    void aFaultOfASharedFileIsOneFinding() {
        cluster.file("tenant.gq", "query a() { match { $p: Persn } return { $p.name } }")
                .file("tenants/gamma/x", "")
                .file("tenants/delta/x", "");
        assertThat(cluster.findings()).singleElement().asString().startsWith("T1 tenant.gq:1:");
    }

    @Test
    void aSharedFileIsCheckedOnceForAllGraphs() {
        IntStream.range(0, 50).forEach(n -> cluster.file("many/t" + n + "/x", ""));
        graphs("from: many/*, schema: tenant.pg, queries: tenant.gq");
        int[] checks = {0};
        ClusterConfig config = ClusterConfigReader.read(new TextFiles(directory), (source, catalog) -> {
            throw new AssertionError("only findings need a check");
        });
        DesiredState desired = DesiredState.of(config, (source, catalog) -> {
            checks[0]++;
            return new QueryValidation.Checked(
                    GqCompiler.queryPlaces(source).stream()
                            .map(query -> new QueryValidation.Declared(query.name(), query.line(), query.column()))
                            .toList(),
                    List.of());
        });
        assertThat(desired.resources()).hasSize(150);
        assertThat(checks[0]).isEqualTo(1);
        assertThat(desired.catalogs().values().stream().distinct()).hasSize(1);
    }
}
