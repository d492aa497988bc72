package service.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.cluster.ChangePlan.Disposition;
import service.core.error.ErrorCode;
import service.core.port.RootAddress;
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
        assertThat(Ulid.isUlid(status.cluster().clusterId())).isTrue();
        assertThat(Ulid.isUlid(status.cluster().incarnation())).isTrue();
        assertThat(status.ledger().cas()).isEqualTo(plan.ledger().cas());
        assertThat(status.ledger().appliedDigest()).isEqualTo(plan.configDigest());
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
        assertThat(again.ledger().revision()).isEqualTo(1);
        assertThat(cluster.versions()).isEqualTo(before);
    }

    @Test
    void storedQueriesAreAddedChangedAndRemoved() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        String clusterId = cluster.cluster().status().cluster().clusterId();
        cluster.file("queries/people.gq", "query somebody() { match { $p: Person } return { $p.age } limit 1 }");
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes())
                .extracting(change -> change.kind().wireName() + " " + change.resource())
                .containsExactly("delete query.knowledge.everybody", "create query.knowledge.somebody");
        assertThat(plan.ledger().revision()).isEqualTo(2);
        assertThat(cluster.cluster().status().cluster().clusterId()).isEqualTo(clusterId);
        assertThat(cluster.applied().graphs().get("knowledge").queries())
                .singleElement()
                .matches(query -> query.name().equals("somebody"));
    }

    @Test
    void aBlockedSchemaBlocksTheQueriesCheckedAgainstIt() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        cluster.file("knowledge.pg", "node Person { name: String @key born: Date? }\nedge Knows: Person -> Person\n")
                .file("queries/people.gq", "query everybody() { match { $p: Person } return { $p.born } }\n");
        ChangePlan plan = cluster.apply();
        assertThat(plan.blocked()).isTrue();
        assertThat(plan.converged()).isFalse();
        assertThat(plan.changes()).hasSize(2).allMatch(change -> change.disposition() == Disposition.BLOCKED);
        assertThat(plan.changes().getFirst().reason()).contains("PG-X");
        assertThat(plan.ledger().revision()).isEqualTo(1);
        assertThat(cluster.applied().graphs().get("knowledge").queries())
                .singleElement()
                .matches(query -> query.source().equals(ClusterDirectory.QUERY));
    }

    @Test
    void aSchemaIsMigratedWithItsQueries() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        cluster.file("knowledge.pg", ClusterDirectory.SCHEMA + "node Place { name: String @key }\n")
                .file("queries/people.gq", "query places() { match { $p: Place } return { $p.name } }\n");
        ChangePlan plan = cluster.plan();
        assertThat(plan.changes().getFirst().migration())
                .singleElement()
                .asString()
                .contains("add_type", "Place");
        assertThat(plan.converged()).isFalse();
        assertThat(cluster.graphs().migrated).isEmpty();
        assertThat(cluster.apply().converged()).isTrue();
        assertThat(cluster.graphs().migrated).containsExactly("knowledge");
        assertThat(cluster.applied().graphs().get("knowledge").schemaSource()).contains("Place");
        assertThat(cluster.plan().changes()).isEmpty();
    }

    @Test
    void deletingAGraphNeedsAnApprovalOfThisStateAndLedger() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        cluster.file("cluster.yaml", "version: 1\n");
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes()).hasSize(3).allMatch(change -> change.disposition() == Disposition.BLOCKED);
        assertThat(plan.approvalsRequired()).containsExactly("graph.knowledge");
        assertThat(plan.changes().getFirst().reason()).contains("service cluster approve graph.knowledge");
        assertThat(cluster.applied().graphs().get("knowledge").queries()).hasSize(1);
        assertThatThrownBy(() -> approve(cluster, "graph.other")).hasMessageContaining("graph.knowledge");

        Approval approval = approve(cluster, "graph.knowledge");
        assertThat(approve(cluster, "graph.knowledge")).isEqualTo(approval);
        cluster.file("cluster.yaml", "version: 1\ngraphs: { other: { schema: knowledge.pg } }\n");
        plan = cluster.apply();
        assertThat(plan.approvalsRequired()).containsExactly("graph.knowledge");
        assertThat(plan.changes().getFirst().reason()).contains("stale", "files have changed");
        assertThat(cluster.applied().graphs()).containsOnlyKeys("knowledge", "other");
        cluster.file("cluster.yaml", "version: 1\n");
        assertThat(cluster.plan().changes().getFirst().reason()).contains("stale", "revision 1 to 2");

        approve(cluster, "graph.knowledge");
        approve(cluster, "graph.other");
        assertThat(cluster.plan().approvalsRequired()).isEmpty();
        assertThat(cluster.apply().converged()).isTrue();
        assertThat(cluster.applied().graphs()).isEmpty();
        assertThat(directory.resolve("graphs/knowledge")).doesNotExist();
        assertThat(cluster.keys("__cluster/approvals/")).hasSize(3);
        assertThat(cluster.text("__cluster/state.json")).contains("\"resource\" : \"graph.other\"");
        assertThat(cluster.apply().changes()).isEmpty();
    }

    private static Approval approve(ClusterDirectory cluster, String resource) {
        return cluster.cluster().approve(resource, "act-ada", note -> {});
    }

    @Test
    void droppingATypeWithEntitiesNeedsAnApproval() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.file("knowledge.pg", ClusterDirectory.SCHEMA + "node Robot { name: String @key }\n");
        cluster.apply();
        cluster.graphs().full.add("Robot");
        cluster.file("knowledge.pg", ClusterDirectory.SCHEMA);
        ChangePlan plan = cluster.apply();
        assertThat(plan.approvalsRequired()).containsExactly("schema.knowledge");
        assertThat(plan.changes().getFirst().reason()).contains("`Robot` with 3 entities");
        approve(cluster, "schema.knowledge");
        assertThat(cluster.apply().converged()).isTrue();
        assertThat(cluster.graphs()
                        .observe(new RootAddress.Directory(directory).graph("knowledge"))
                        .schemaSource())
                .isEqualTo(ClusterDirectory.SCHEMA);
    }

    @Test
    void aRunningServerBlocksMigrationsAndDeletionsAndIsNamed() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        cluster.graphs().writers.put("knowledge", "process 7 on here");
        cluster.file("knowledge.pg", ClusterDirectory.SCHEMA + "node Place { name: String @key }\n");
        List<String> notes = new ArrayList<>();
        assertThat(cluster.cluster().plan(null, notes::add).blocked()).isFalse();
        assertThat(notes).singleElement().asString().contains("process 7", "knowledge");
        assertThat(cluster.apply().changes().getFirst().reason()).contains("process 7");
        cluster.file("cluster.yaml", "version: 1\n");
        approve(cluster, "graph.knowledge");
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes().getFirst().reason()).contains("process 7");
        assertThat(cluster.applied().graphs().get("knowledge").queries()).hasSize(1);
        assertThat(cluster.keys("__cluster/recoveries/")).isEmpty();
        cluster.graphs().writers.clear();
        assertThat(cluster.apply().converged()).isTrue();
    }

    @Test
    void aSavedPlanIsRefusedWhenSomethingHasMoved() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        SavedPlan first = saved(cluster);
        cluster.file("queries/people.gq", ClusterDirectory.QUERY.replace("everybody", "somebody"));
        assertThatThrownBy(() -> apply(cluster, first)).hasMessageContaining("the files have changed");
        assertThat(cluster.keys("")).isEmpty();
        SavedPlan second = saved(cluster);
        assertThat(apply(cluster, second).converged()).isTrue();
        assertThatThrownBy(() -> apply(cluster, second))
                .hasMessageContaining("the ledger has moved from revision 0 to 1")
                .extracting("code")
                .isEqualTo(ErrorCode.PRECONDITION_FAILED);
        assertThat(apply(cluster, saved(cluster)).changes()).isEmpty();
    }

    private static SavedPlan saved(ClusterDirectory cluster) {
        SavedPlan plan = cluster.cluster().save(cluster.plan());
        return SavedPlan.parse(plan.json().toString().getBytes(StandardCharsets.UTF_8));
    }

    private static ChangePlan apply(ClusterDirectory cluster, SavedPlan plan) {
        return cluster.cluster().apply(new Cluster.ApplyRequest(null, null, plan, null, null), note -> {});
    }

    private static void withPolicy(ClusterDirectory cluster) {
        cluster.file("cluster.yaml", """
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
    }

    @Test
    void aBootstrapCapabilityIsForTheFirstApplyOfOneState() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        assertThatThrownBy(() -> cluster.cluster().bootstrapCapability()).hasMessageContaining("no policy");
        withPolicy(cluster);
        BootstrapCapability early = cluster.cluster().bootstrapCapability();
        cluster.file("knowledge.pg", "node Person { name: String @key }\n");
        assertThatThrownBy(() -> bootstrap(cluster, early)).extracting("code").isEqualTo(ErrorCode.PRECONDITION_FAILED);
        assertThat(cluster.keys("")).isEmpty();
        BootstrapCapability capability = cluster.cluster().bootstrapCapability();
        assertThat(bootstrap(cluster, capability).converged()).isTrue();
        assertThatThrownBy(() -> bootstrap(cluster, capability)).hasMessageContaining("initialised already");
        assertThatThrownBy(() -> cluster.cluster().bootstrapCapability()).hasMessageContaining("initialised already");
    }

    private static ChangePlan bootstrap(ClusterDirectory cluster, BootstrapCapability capability) {
        BootstrapCapability read =
                BootstrapCapability.parse(capability.json().toString().getBytes(StandardCharsets.UTF_8));
        return cluster.cluster().apply(new Cluster.ApplyRequest("ada", null, null, read, null), note -> {});
    }

    @Test
    void aClusterWithAPolicyNeedsAnActor() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        withPolicy(cluster);
        cluster.apply();
        assertThat(cluster.cluster()
                        .apply(Cluster.ApplyRequest.by(null), note -> {})
                        .changes())
                .isEmpty();
        cluster.file("knowledge.pg", ClusterDirectory.SCHEMA + "node Place { name: String @key }\n");
        assertThatThrownBy(() -> cluster.cluster().apply(Cluster.ApplyRequest.by(null), note -> {}))
                .hasMessageContaining("--as");
    }

    /** A scope must not lose its bundle while its graph waits for an approval. */
    @Test
    void policiesWaitForAGraphThatTheyLeave() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        withPolicy(cluster);
        cluster.apply();
        cluster.file("cluster.yaml", "version: 1\n");
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes()).allMatch(change -> change.disposition() == Disposition.BLOCKED);
        assertThat(cluster.applied().policies().names()).containsExactly("base");
    }

    @Test
    void refreshMarksDriftAndTheNextApplyMendsIt() throws IOException {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        var before = cluster.versions();
        assertThat(cluster.cluster().refresh(null, note -> {}).ledger().revision())
                .isEqualTo(1);
        assertThat(cluster.versions()).isEqualTo(before);
        Files.writeString(directory.resolve("graphs/knowledge/schema"), "node Other { name: String @key }\n");
        ClusterStatus marked = cluster.cluster().refresh("ada", note -> {});
        assertThat(marked.ledger().revision()).isEqualTo(2);
        assertThat(marked.resources())
                .filteredOn(resource -> resource.status().equals("drifted"))
                .extracting(ClusterStatus.ResourceStatus::resource)
                .containsExactly("schema.knowledge");
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes())
                .singleElement()
                .matches(change -> change.resource().equals("schema.knowledge"));
        assertThat(cluster.graphs().migrated).containsExactly("knowledge");
        assertThat(cluster.cluster().status().resources())
                .allMatch(resource -> resource.status().equals("applied"));
        assertThat(cluster.apply().changes()).isEmpty();
    }

    @Test
    void importMakesALostLedgerOfTheGraphs() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.file("cluster.yaml", """
                version: 1
                graphs:
                  knowledge: { schema: knowledge.pg, queries: queries/ }
                  other: { schema: knowledge.pg }
                """);
        cluster.apply();
        assertThatThrownBy(() -> cluster.cluster().importLedger("ada", note -> {}))
                .hasMessageContaining("refresh");
        cluster.object("__cluster/state.json", "{ damaged");
        assertThatThrownBy(cluster::apply).hasMessageContaining("service cluster import");
        cluster.file(
                "cluster.yaml", "version: 1\ngraphs: { knowledge: { schema: knowledge.pg, queries: queries/ } }\n");
        List<String> notes = new ArrayList<>();
        ClusterStatus imported = cluster.cluster().importLedger("ada", notes::add);
        assertThat(notes).singleElement().asString().contains("`other`");
        assertThat(imported.resources()).hasSize(5);
        assertThat(cluster.applied().graphs()).containsOnlyKeys("knowledge", "other");
        assertThat(cluster.apply().approvalsRequired()).containsExactly("graph.other");
    }

    /** What a process that ends before or after a step leaves, and what the next command makes of it. */
    @ParameterizedTest
    @CsvSource({
        "create, before, apply", "create, after, apply", "migrate, before, apply", "migrate, after, apply",
        "delete, before, apply", "delete, after, apply", "migrate, before, refresh", "migrate, after, refresh",
        "delete, before, refresh", "delete, after, refresh", "delete, after, import", "migrate, after, import"
    })
    void theNextCommandSettlesAnInterruptedStep(String step, String moment, String next) {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        if (!step.equals("create")) {
            cluster.apply();
        }
        if (step.equals("migrate")) {
            cluster.file("knowledge.pg", ClusterDirectory.SCHEMA + "node Place { name: String @key }\n");
        }
        if (step.equals("delete")) {
            cluster.file("cluster.yaml", "version: 1\n");
            approve(cluster, "graph.knowledge");
        }
        Runnable death = () -> {
            throw new IllegalStateException("killed");
        };
        if (moment.equals("before")) {
            cluster.graphs().step.before = death;
        } else {
            cluster.graphs().step.after = death;
        }
        assertThatThrownBy(cluster::apply).hasMessage("killed");
        cluster.graphs().step.before = () -> {};
        cluster.graphs().step.after = () -> {};
        assertThat(cluster.keys("__cluster/recoveries/")).hasSize(1);
        List<String> notes = new ArrayList<>();
        switch (next) {
            case "refresh" -> cluster.cluster().refresh("ada", notes::add);
            case "import" -> {
                cluster.objects().delete("__cluster/state.json");
                cluster.cluster().importLedger("ada", note -> {});
                notes.add(moment.equals("after") ? "it is done" : "it was not done");
            }
            default -> assertThat(cluster.apply(notes::add).converged()).isTrue();
        }
        assertThat(notes)
                .singleElement()
                .asString()
                .endsWith(moment.equals("after") ? "it is done" : "it was not done");
        assertThat(cluster.keys("__cluster/recoveries/")).isEmpty();
        assertThat(cluster.apply().converged()).isTrue();
        assertThat(cluster.apply().changes()).isEmpty();
        assertThat(cluster.applied().graphs().keySet())
                .isEqualTo(step.equals("delete") ? Set.of() : Set.of("knowledge"));
        assertThat(cluster.cluster().status().resources())
                .allMatch(resource -> resource.status().equals("applied"));
    }

    /** The files may declare something else by the time of the next apply. */
    @Test
    void aGraphThatWasDeletedAndIsDeclaredAgainIsMadeEmpty() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        cluster.file("cluster.yaml", "version: 1\n");
        approve(cluster, "graph.knowledge");
        cluster.graphs().step.after = () -> {
            throw new IllegalStateException("killed");
        };
        assertThatThrownBy(cluster::apply).hasMessage("killed");
        cluster.graphs().step.after = () -> {};
        cluster.file("cluster.yaml", "version: 1\ngraphs: { knowledge: { schema: knowledge.pg } }\n");
        assertThat(cluster.apply().converged()).isTrue();
        assertThat(cluster.graphs().created).containsExactly("knowledge", "knowledge");
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
            cluster.graphs().step.before = death;
        } else {
            cluster.graphs().step.after = death;
        }
        assertThatThrownBy(cluster::apply).hasMessage("killed");
        assertThat(cluster.keys("__cluster/recoveries/")).hasSize(1);
        assertThatThrownBy(() -> cluster.applied()).hasMessageContaining("cluster apply");
        cluster.graphs().step.before = () -> {};
        cluster.graphs().step.after = () -> {};
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
        cluster.graphs().step.after = () -> cluster.objects().beforeDurable(() -> {
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
        cluster.graphs().step.before = () -> {
            throw new IllegalStateException("killed");
        };
        assertThatThrownBy(cluster::apply).hasMessage("killed");
        assertThat(cluster.applied().graphs()).containsOnlyKeys("knowledge");
        cluster.graphs().step.before = () -> {};
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
            assertThat(cluster.applied().quarantined().get("knowledge").reason())
                    .contains("was changed");
            cluster.objects().delete(payload);
            assertThat(cluster.applied().quarantined().get("knowledge").reason())
                    .contains("lost");
            assertThat(cluster.applied().graphs()).isEmpty();
            assertThat(cluster.apply().changes()).isEmpty();
            assertThat(cluster.applied().quarantined()).isEmpty();
        }
    }

    private static String payload(ClusterDirectory cluster, String kind) {
        return cluster.keys("__cluster/resources/" + kind).getFirst();
    }

    @Test
    void aMissingGraphDirectoryQuarantinesAndBlocks() throws IOException {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        cluster.apply();
        Files.delete(directory.resolve("graphs/knowledge/schema"));
        Files.delete(directory.resolve("graphs/knowledge"));
        assertThat(cluster.applied().quarantined().get("knowledge").reason()).contains("missing");
        assertThat(cluster.cluster().status().resources())
                .filteredOn(resource -> resource.resource().equals("graph.knowledge"))
                .singleElement()
                .matches(resource -> resource.status().equals("quarantined"));
        ChangePlan plan = cluster.apply();
        assertThat(plan.changes())
                .singleElement()
                .matches(change -> change.reason().contains("service restore"));
        assertThat(plan.ledger().revision()).isEqualTo(1);
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
        assertThat(cluster.cluster()
                        .apply(Cluster.ApplyRequest.by(null), warnings::add)
                        .converged())
                .isTrue();
        assertThat(warnings).singleElement().asString().contains("4194303");
        // A process that was started after the lock was taken has the number of the lock's process.
        cluster.object("__cluster/lock.json", lock.formatted(host, mine, "2001-01-01T00:00:00.000000Z"));
        assertThat(cluster.cluster()
                        .apply(Cluster.ApplyRequest.by(null), warnings::add)
                        .converged())
                .isTrue();
        assertThat(warnings).hasSize(2);
        assertThat(cluster.keys("__cluster/lock")).isEmpty();
    }

    @Test
    void aDamagedPolicyRefusesTheBoot() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        withPolicy(cluster);
        cluster.apply();
        assertThat(cluster.applied().policies().names()).containsExactly("base");
        String payload = payload(cluster, "policy");
        cluster.object(payload, "version: 2\n");
        assertThatThrownBy(() -> cluster.applied()).extracting("code").isEqualTo("catalog_payload_mismatch");
        cluster.objects().delete(payload);
        assertThatThrownBy(() -> cluster.applied()).extracting("code").isEqualTo("catalog_payload_missing");
    }

    @Test
    void appliedPoliciesAreThoseOfTheLedger() {
        ClusterDirectory cluster = ClusterDirectory.example(directory);
        AppliedPolicies before = AppliedPolicies.read(new RootAddress.Directory(directory), root -> cluster.objects());
        assertThat(before.isEmpty()).isTrue();
        withPolicy(cluster);
        cluster.apply();
        cluster.file("base.policy.yaml", "version: 2\n");
        AppliedPolicies applied = cluster.applied().policies();
        assertThat(applied)
                .isEqualTo(AppliedPolicies.read(new RootAddress.Directory(directory), root -> cluster.objects()));
        assertThat(applied.graphs().keySet()).containsExactly("knowledge");
        assertThat(applied.cluster()).isNull();
        cluster.object("__cluster/state.json", "{}");
        assertThatThrownBy(() -> AppliedPolicies.read(new RootAddress.Directory(directory), root -> cluster.objects()))
                .extracting("code")
                .isEqualTo("cluster_state_missing");
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
