package service.log.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.FaultyObjectStore.Fault;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.Seed;

/** Requests are repeated unless they would hide a lost answer, and the probe finds stores without conditions. */
final class RepeatedReadsTest {
    private final MemoryObjectStore bucket = new MemoryObjectStore();

    @Test
    void aStreamContinuesWhereItWasCut(@Seed long seed) throws Exception {
        byte[] bytes = new byte[100_000];
        new Random(seed).nextBytes(bytes);
        bucket.putIfAbsent("large", bytes);
        FaultyObjectStore client = new FaultyObjectStore(bucket, seed);
        client.fail(Fault.SLOW_DOWN, Fault.HALF_BODY, Fault.LOST_AFTER, Fault.HALF_BODY);
        try (InputStream read = Objects.requireNonNull(new RepeatedReads(client).read("large", 0))) {
            assertThat(read.readAllBytes()).isEqualTo(bytes);
        }
        assertThat(client.requests()).isEqualTo(5);
    }

    @Test
    void readsAreRepeatedAndConditionalWritesAreNot(@Seed long seed) {
        FaultyObjectStore client = new FaultyObjectStore(bucket, seed);
        ObjectStore store = new RepeatedReads(client);
        client.fail(Fault.LOST_AFTER);
        assertThatThrownBy(() -> store.putIfAbsent("k", new byte[1])).isInstanceOf(ObjectStoreException.class);
        client.fail(Fault.SERVER_ERROR, Fault.STALL);
        assertThat(Objects.requireNonNull(store.get("k")).bytes()).isEqualTo(new byte[1]);
        client.fail(Fault.LOST_BEFORE);
        assertThat(store.list("", "", 1)).containsExactly("k");
        client.fail(Fault.LOST_AFTER);
        store.delete("k");
        assertThat(bucket.get("k")).isNull();
        client.unreachable(true);
        assertThatThrownBy(() -> store.get("k")).isInstanceOf(ObjectStoreException.class);
    }

    @Test
    void theProbeRefusesAStoreThatIgnoresAConditionAndLeavesNothing() {
        StoreProbe.run(bucket, "01J");
        for (boolean absent : new boolean[] {true, false}) {
            assertThatThrownBy(() -> StoreProbe.run(new Careless(bucket, absent), "01J"))
                    .isInstanceOfSatisfying(
                            ObjectStoreException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(ObjectStoreException.Kind.UNSUITABLE))
                    .hasMessageContaining(absent ? "ignores If-None-Match" : "ignores If-Match");
        }
        assertThat(bucket.list("", "", 1)).isEmpty();
    }

    /** Ignores one of the conditions. */
    private record Careless(ObjectStore store, boolean absent) implements ObjectStore {
        @Override
        public String location() {
            return store.location();
        }

        @Override
        public StoredObject get(String key) {
            return store.get(key);
        }

        @Override
        public InputStream read(String key, long from) {
            return store.read(key, from);
        }

        @Override
        public boolean putIfAbsent(String key, byte[] bytes) {
            return store.putIfAbsent(key, bytes) || absent;
        }

        @Override
        public boolean putIfAbsent(String key, Content content) {
            return store.putIfAbsent(key, content) || absent;
        }

        @Override
        public boolean putIfMatch(String key, String version, byte[] bytes) {
            return store.putIfMatch(key, version, bytes) || !absent;
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
}
