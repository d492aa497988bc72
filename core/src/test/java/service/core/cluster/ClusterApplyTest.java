package service.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.cluster.ChangePlan.Disposition;
import service.core.value.Ulid;

final class ClusterApplyTest {
    @TempDir
    Path directory;

    @Test
    void firstApplyInitialisesTheRoot() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        ChangePlan plan = cluster.apply();
        assertThat(ClusterJson.plan(plan).toString())
                .startsWith(
                        "{\"changes\":[{\"resource\":\"graph.knowledge\",\"change\":\"create\",\"disposition\":\"applied\"},"
                                + "{\"resource\":\"schema.knowledge\",\"change\":\"create\",\"disposition\":\"derived\"},"
                                + "{\"resource\":\"query.knowledge.everybody\",\"change\":\"create\",\"disposition\":\"applied\"}],"
                                + "\"approvals_required\":[],\"converged\":true,\"ledger_revision\":1,\"ledger_cas\":\"sha256:");
        ClusterStatus status = cluster.cluster().status();
        assertThat(Ulid.isUlid(status.clusterId())).isTrue();
        assertThat(Ulid.isUlid(status.incarnation())).isTrue();
        assertThat(status.ledgerCas()).isEqualTo(plan.ledgerCas());
        assertThat(status.appliedDigest()).isEqualTo(plan.configDigest());
        assertThat(status.pendingRecoveries()).isZero();
        assertThat(status.resources()).allMatch(resource -> resource.status().equals("applied"));
        assertThat(cluster.keys("__cluster/lock")).isEmpty();
        AppliedCluster applied = cluster.applied();
        assertThat(applied.quarantined()).isEmpty();
        assertThat(applied.graphs().get("knowledge").schemaSource()).isEqualTo(ClusterDirectory.SCHEMA);
        assertThat(applied.graphs().get("knowledge").queries()).hasSize(1);
    }

    @Test
    void convergedApplyWritesNothing() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        var before = cluster.versions();
        ChangePlan again = cluster.apply();
        assertThat(again.changes()).isEmpty();
        assertThat(again.converged()).isTrue();
        assertThat(again.ledgerRevision()).isEqualTo(1);
        assertThat(cluster.versions()).isEqualTo(before);
    }

    @Test
    void storedQueriesAreAddedChangedAndRemoved() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        String clusterId = cluster.cluster().status().clusterId();
        cluster.file("queries/people.gq", "query somebody() { match { $p: Person } return { $p.age } limit 1 }");
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes())
                .extracting(change -> change.kind().wireName() + " " + change.resource())
                .containsExactly("delete query.knowledge.everybody", "create query.knowledge.somebody");
        assertThat(plan.ledgerRevision()).isEqualTo(2);
        assertThat(cluster.cluster().status().clusterId()).isEqualTo(clusterId);
        assertThat(cluster.applied().graphs().get("knowledge").queries())
                .singleElement()
                .matches(query -> query.name().equals("somebody"));
    }

    @Test
    void aBlockedSchemaBlocksTheQueriesCheckedAgainstIt() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        cluster.file("knowledge.pg", "node Person { name: String @key born: Date? }\n")
                .file("queries/people.gq", "query everybody() { match { $p: Person } return { $p.born } }\n");
        ChangePlan plan = cluster.apply();
        assertThat(plan.blocked()).isTrue();
        assertThat(plan.converged()).isFalse();
        assertThat(plan.changes()).hasSize(2).allMatch(change -> change.disposition() == Disposition.BLOCKED);
        assertThat(plan.ledgerRevision()).isEqualTo(1);
        assertThat(cluster.applied().graphs().get("knowledge").queries())
                .singleElement()
                .matches(query -> query.source().equals(ClusterDirectory.QUERY));
    }

    @Test
    void aGraphIsNotDeletedAndKeepsItsQueries() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        cluster.file("cluster.yaml", "version: 1\n");
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes()).hasSize(3).allMatch(change -> change.disposition() == Disposition.BLOCKED);
        assertThat(cluster.applied().graphs().get("knowledge").queries()).hasSize(1);
    }

    @Test
    void aForeignDirectoryBlocksItsGraphAlone() throws IOException {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        Files.createDirectories(directory.resolve("graphs/knowledge"));
        cluster.file("graphs/knowledge/letters.txt", "not a graph");
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes()).hasSize(3).allMatch(change -> change.disposition() == Disposition.BLOCKED);
        assertThat(cluster.graphs().created).isEmpty();
        assertThat(cluster.applied().graphs()).isEmpty();
        assertThat(directory.resolve("graphs/knowledge/letters.txt")).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"before", "after"})
    void theNextApplyCompletesACrashedOne(String moment) {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        Runnable death = () -> {
            throw new IllegalStateException("killed");
        };
        if (moment.equals("before")) {
            cluster.graphs().beforeCreate = death;
        } else {
            cluster.graphs().afterCreate = death;
        }
        assertThatThrownBy(cluster::apply).hasMessage("killed");
        assertThat(cluster.keys("__cluster/recoveries/")).hasSize(1);
        assertThatThrownBy(() -> cluster.applied()).hasMessageContaining("cluster apply");
        cluster.graphs().beforeCreate = () -> {};
        cluster.graphs().afterCreate = () -> {};
        assertThat(cluster.apply().converged()).isTrue();
        assertThat(cluster.graphs().created).containsExactly("knowledge");
        assertThat(cluster.keys("__cluster/recoveries/")).isEmpty();
        assertThat(cluster.apply().changes()).isEmpty();
        assertThat(cluster.applied().graphs()).containsOnlyKeys("knowledge");
    }

    /** A machine that stops while the ledger is written leaves the old ledger; the next apply completes the work. */
    @Test
    void theNextApplyCompletesOneWhoseLedgerWasLost() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.graphs().afterCreate = () -> cluster.objects().beforeDurable(() -> {
            throw new IllegalStateException("killed");
        });
        assertThatThrownBy(cluster::apply).hasMessage("killed");
        ClusterDirectory after = new ClusterDirectory(
                directory, new DirectoryGraphs(), cluster.objects().afterCrash());
        assertThat(after.keys("__cluster/recoveries/")).hasSize(1);
        assertThat(after.keys("__cluster/state")).isEmpty();
        String lock = after.keys("__cluster/lock").getFirst();
        after.objects().delete(lock); // The lock of a process that runs; the lock of an ended one is taken over.
        assertThat(after.apply().converged()).isTrue();
        assertThat(after.applied().graphs()).containsOnlyKeys("knowledge");
        assertThat(after.keys("__cluster/recoveries/")).isEmpty();
    }

    @Test
    void aDamagedSecondGraphLeavesTheFirstServing() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        cluster.file("cluster.yaml", """
                version: 1
                graphs:
                  knowledge: { schema: knowledge.pg, queries: [queries/people.gq] }
                  other: { schema: knowledge.pg }
                """);
        cluster.graphs().beforeCreate = () -> {
            throw new IllegalStateException("killed");
        };
        assertThatThrownBy(cluster::apply).hasMessage("killed");
        assertThat(cluster.applied().graphs()).containsOnlyKeys("knowledge");
        cluster.graphs().beforeCreate = () -> {};
        cluster.apply();
        assertThat(cluster.applied().graphs()).containsOnlyKeys("knowledge", "other");
    }

    @Test
    void lostAndChangedPayloadsQuarantineUntilTheNextApply() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        for (String kind : List.of("schema", "query")) {
            String payload = payload(cluster, kind);
            cluster.object(payload, "node Robot {}");
            assertThat(cluster.applied().quarantined().get("knowledge")).contains("was changed");
            cluster.objects().delete(payload);
            assertThat(cluster.applied().quarantined().get("knowledge")).contains("lost");
            assertThat(cluster.applied().graphs()).isEmpty();
            assertThat(cluster.apply().changes()).isEmpty();
            assertThat(cluster.applied().quarantined()).isEmpty();
        }
    }

    private static String payload(ClusterDirectory cluster, String kind) {
        return cluster.keys("__cluster/resources/" + kind).getFirst();
    }

    @Test
    void aMissingGraphDirectoryQuarantines() throws IOException {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        Files.delete(directory.resolve("graphs/knowledge/schema"));
        Files.delete(directory.resolve("graphs/knowledge"));
        assertThat(cluster.applied().quarantined().get("knowledge")).contains("missing");
        assertThat(cluster.cluster().status().resources())
                .filteredOn(resource -> resource.resource().equals("graph.knowledge"))
                .singleElement()
                .matches(resource -> resource.status().equals("drifted"));
    }

    @Test
    void unappliedEditsChangeNothing() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        AppliedCluster before = cluster.applied();
        cluster.file("knowledge.pg", "node Nonsense {").file("queries/people.gq", "query");
        assertThat(cluster.applied()).isEqualTo(before);
    }

    @Test
    void anEmptyClusterApplies() {
        ClusterDirectory cluster = ClusterDirectory.at(directory).file("cluster.yaml", "version: 1\n");
        assertThat(cluster.apply().converged()).isTrue();
        assertThat(cluster.applied().graphs()).isEmpty();
    }

    @Test
    void theLockOfAnEndedProcessIsTakenOver() throws IOException {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        String lock =
                "{\"lock_id\":\"01JD0000000000000000000000\",\"operation\":\"apply\",\"host\":\"%s\",\"pid\":%d,\"created_at\":\"%s\",\"actor\":null}";
        String host = InetAddress.getLocalHost().getHostName();
        long mine = ProcessHandle.current().pid();
        cluster.object("__cluster/lock.json", lock.formatted(host, mine, Stamps.now()));
        assertThatThrownBy(cluster::apply)
                .isInstanceOf(ClusterConflictException.class)
                .hasMessageContaining("process " + mine);
        cluster.object("__cluster/lock.json", lock.formatted("elsewhere", 4_194_303, Stamps.now()));
        assertThatThrownBy(cluster::apply).hasMessageContaining("elsewhere");
        List<String> warnings = new ArrayList<>();
        cluster.object("__cluster/lock.json", lock.formatted(host, 4_194_303, Stamps.now()));
        assertThat(cluster.cluster().apply(null, warnings::add).converged()).isTrue();
        assertThat(warnings).singleElement().asString().contains("4194303");
        // A process that was started after the lock was taken has the number of the lock's process.
        cluster.object("__cluster/lock.json", lock.formatted(host, mine, "2001-01-01T00:00:00.000000Z"));
        assertThat(cluster.cluster().apply(null, warnings::add).converged()).isTrue();
        assertThat(warnings).hasSize(2);
        assertThat(cluster.keys("__cluster/lock")).isEmpty();
    }

    @Test
    void aDamagedPolicyRefusesTheBoot() {
        ClusterDirectory cluster =
                ClusterDirectory.example(directory).file("cluster.yaml", """
                                version: 1
                                graphs:
                                  knowledge: { schema: knowledge.pg }
                                policies:
                                  base: { file: base.policy.yaml, applies_to: [knowledge] }
                                """).file("base.policy.yaml", """
                                version: 1
                                groups: { all: [ada] }
                                rules:
                                  - { id: r, allow: { actors: { group: all }, actions: [read] } }
                                """);
        cluster.apply();
        assertThat(cluster.applied().policies()).containsExactly("base");
        String payload = payload(cluster, "policy");
        cluster.object(payload, "version: 2\n");
        assertThatThrownBy(() -> cluster.applied()).extracting("code").isEqualTo("catalog_payload_mismatch");
        cluster.objects().delete(payload);
        assertThatThrownBy(() -> cluster.applied()).extracting("code").isEqualTo("catalog_payload_missing");
    }

    @Test
    void bootNamesWhatIsMissing() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        assertThatThrownBy(() -> cluster.applied()).extracting("code").isEqualTo("cluster_state_missing");
        cluster.object("__cluster/state.json", "{\"version\":1,\"applied\":{\"resources\":{\"nonsense\":{}}}}");
        assertThatThrownBy(() -> cluster.applied()).extracting("code").isEqualTo("cluster_state_missing");
        cluster.file("cluster.yaml", "version: [");
        assertThatThrownBy(() -> cluster.applied()).extracting("code").isEqualTo("config_invalid");
    }
}
