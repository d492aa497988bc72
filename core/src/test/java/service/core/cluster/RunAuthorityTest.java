package service.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.cluster.Cluster.ApplyRequest;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.ObjectStore;

/** The edge cases of applies that act by a credential. The door test has the matrix of permissions. */
final class RunAuthorityTest {
    private static final Principal ADA = new Principal("principal:ada", cluster -> {});
    private static final Principal BOB = new Principal("principal:bob", cluster -> {});
    private static final String NEW_SCHEMA = ClusterDirectory.SCHEMA + "node Place { name: String @key }\n";

    @TempDir
    Path directory;

    /** One graph; both principals manage the cluster, Ada may migrate. */
    private ClusterDirectory governed() {
        ClusterDirectory cluster = ClusterDirectory.at(directory)
                .file("knowledge.pg", ClusterDirectory.SCHEMA)
                .file("graph.yaml", bundle("[\"principal:ada\"]", "[read, schema_apply]"))
                .file("cluster.yaml", """
                        version: 1
                        graphs:
                          knowledge: { schema: knowledge.pg }
                        policies:
                          graph: { file: graph.yaml, applies_to: [knowledge] }
                          admin: { file: admin.yaml, applies_to: [cluster] }
                        """);
        managers(cluster, "[\"principal:ada\", \"principal:bob\"]");
        cluster.apply();
        return cluster;
    }

    private static void managers(ClusterDirectory cluster, String actors) {
        cluster.file("admin.yaml", bundle(actors, "[config_manage]"));
    }

    private static String bundle(String actors, String actions) {
        return """
                version: 1
                groups: { all: %s }
                rules:
                  - { id: r, allow: { actors: { group: all }, actions: %s } }
                """.formatted(actors, actions);
    }

    private static ChangePlan apply(ClusterDirectory cluster, Principal principal) {
        return cluster.cluster().apply(new ApplyRequest(null, principal, null, null, null), note -> {});
    }

    private static AbstractThrowableAssert<?, ?> refused(ClusterDirectory cluster, Principal principal) {
        Map<String, String> before = cluster.versions();
        AbstractThrowableAssert<?, ?> refusal =
                assertThatThrownBy(() -> apply(cluster, principal)).isInstanceOf(ServiceException.class);
        assertThat(cluster.versions()).isEqualTo(before);
        return refusal;
    }

    /** Ada revokes Bob's right after Bob's apply has read its files, and before it has the lock. */
    @Test
    void theLedgerUnderTheLockDecides() {
        ClusterDirectory cluster = governed();
        Path other = directory.resolve("bob");
        ClusterDirectory.at(other)
                .file("knowledge.pg", ClusterDirectory.SCHEMA)
                .file("admin.yaml", bundle("[\"principal:bob\"]", "[config_manage]"))
                .file("cluster.yaml", """
                        version: 1
                        storage: %s
                        graphs: { knowledge: { schema: knowledge.pg } }
                        policies: { admin: { file: admin.yaml, applies_to: [cluster] } }
                        """.formatted(directory));
        managers(cluster, "[\"principal:ada\"]");
        AtomicBoolean revoked = new AtomicBoolean();
        Runnable revocation = () -> {
            if (revoked.compareAndSet(false, true)) {
                assertThat(apply(cluster, ADA).converged()).isTrue();
            }
        };
        Cluster bobs = new Cluster(
                other,
                (source, catalog) -> new QueryValidation.Checked(List.of(), List.of()),
                new ClusterPorts(
                        root -> new BeforeLock(cluster.objects(), revocation), cluster.graphs(), TextFiles::new));
        assertThatThrownBy(() -> bobs.apply(new ApplyRequest(null, BOB, null, null, null), note -> {}))
                .hasMessageContaining("config_manage for policy.admin, policy.graph");
        assertThat(revoked).isTrue();
        assertThat(cluster.text("__cluster/state.json")).contains("\"applied_by\" : \"principal:ada\"");
        assertThat(cluster.keys("__cluster/lock")).isEmpty();
    }

    /** Runs a step before the lock is taken. */
    private record BeforeLock(ObjectStore store, Runnable step) implements ObjectStore {
        @Override
        public String location() {
            return store.location();
        }

        @Override
        public @Nullable StoredObject get(String key) {
            return store.get(key);
        }

        @Override
        public @Nullable InputStream read(String key, long from) {
            return store.read(key, from);
        }

        @Override
        public boolean putIfAbsent(String key, Content content) {
            return store.putIfAbsent(key, content);
        }

        @Override
        public boolean putIfAbsent(String key, byte[] bytes) {
            if (key.equals(ClusterRoot.LOCK)) {
                step.run();
            }
            return store.putIfAbsent(key, bytes);
        }

        @Override
        public boolean putIfMatch(String key, String version, byte[] bytes) {
            return store.putIfMatch(key, version, bytes);
        }

        @Override
        public void deleteAll(List<String> keys) {
            store.deleteAll(keys);
        }

        @Override
        public void delete(String key) {
            store.delete(key);
        }

        @Override
        public List<String> list(String prefix, String after, int keysMax) {
            return store.list(prefix, after, keysMax);
        }
    }

    /** What an apply writes besides the changes needs permission as a change does. */
    @Test
    void anInterruptedStepNeedsItsPermission() {
        ClusterDirectory cluster = governed();
        cluster.file("knowledge.pg", NEW_SCHEMA);
        cluster.graphs().step.before = () -> {
            throw new IllegalStateException("crash");
        };
        assertThatThrownBy(() -> apply(cluster, ADA)).hasMessage("crash");
        cluster.graphs().step.before = () -> {};
        cluster.file("knowledge.pg", ClusterDirectory.SCHEMA);
        assertThat(cluster.plan().changes()).isEmpty();
        refused(cluster, BOB)
                .hasMessageContaining("read on main for schema.knowledge; schema_apply on main for schema.knowledge");
        assertThat(apply(cluster, ADA).changes()).isEmpty();
        assertThat(cluster.keys("__cluster/recoveries")).isEmpty();
    }

    @Test
    void aRecordThatCannotBeReadNeedsTheCluster() {
        ClusterDirectory cluster = governed();
        cluster.file("graph.yaml", bundle("[\"principal:cleo\"]", "[read, schema_apply]"));
        apply(cluster, ADA);
        Principal cleo = new Principal("principal:cleo", any -> {});
        cluster.object("__cluster/recoveries/01JD0000000000000000000000.json", "{ damaged");
        refused(cluster, cleo).hasMessageContaining("config_manage for the interrupted step");
        cluster.objects().delete("__cluster/recoveries/01JD0000000000000000000000.json");
        assertThat(apply(cluster, cleo).changes()).isEmpty();
    }

    @Test
    void aMarkOfDriftNeedsThePermissionOfItsResource() {
        ClusterDirectory cluster = governed();
        cluster.objects()
                .delete(cluster.keys("__cluster/resources/schema/knowledge").getFirst());
        cluster.cluster().refresh("ada", note -> {});
        assertThat(cluster.plan().changes()).isEmpty();
        refused(cluster, BOB).hasMessageContaining("schema_apply on main for schema.knowledge");
        assertThat(apply(cluster, ADA).ledger().revision()).isEqualTo(3);
    }

    @Test
    void aLostPolicyDecidesNothing() {
        ClusterDirectory cluster = governed();
        String payload = cluster.keys("__cluster/resources/policy/admin").getFirst();
        cluster.object(payload, bundle("[\"principal:bob\"]", "[config_manage]"));
        assertThatThrownBy(() -> apply(cluster, ADA)).extracting("code").isEqualTo("catalog_payload_mismatch");
        cluster.objects().delete(payload);
        assertThatThrownBy(() -> apply(cluster, ADA)).extracting("code").isEqualTo("catalog_payload_missing");
        assertThat(cluster.apply().converged()).isTrue();
        assertThat(apply(cluster, ADA).converged()).isTrue();
    }

    @Test
    void theCredentialMustBeForTheClusterOfTheLedger() {
        ClusterDirectory cluster = governed();
        Principal elsewhere = new Principal("principal:ada", at -> {
            assertThat(at.canonicalRoot()).isEqualTo("memory://objects");
            throw new ServiceException(ErrorCode.UNAUTHORIZED, at.clusterId() + " " + at.incarnation());
        });
        var identity = cluster.applied().cluster();
        refused(cluster, elsewhere).hasMessage(identity.clusterId() + " " + identity.incarnation());
        assertThatThrownBy(() -> cluster.cluster().plan(elsewhere, note -> {}))
                .extracting("code")
                .isEqualTo(ErrorCode.UNAUTHORIZED);
    }

    @Test
    void aPrincipalOfNoRuleIsRefusedEvenWhenNothingChanges() {
        ClusterDirectory cluster = governed();
        Principal stranger = new Principal("principal:eve", any -> {});
        refused(cluster, stranger).extracting("code").isEqualTo(ErrorCode.FORBIDDEN);
        assertThatThrownBy(() -> cluster.cluster().plan(stranger, note -> {})).hasMessageContaining("principal:eve");
        assertThat(apply(cluster, BOB).changes()).isEmpty();
    }
}
