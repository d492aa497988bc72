package service.log.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import service.core.port.ObjectStoreException;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.FaultyObjectStore.Fault;
import service.core.testkit.MemoryObjectStore;
import service.core.testkit.Seed;

/** A write whose answer is lost has one outcome, which the caller sees. */
final class SettledWritesTest {
    private static final byte[] OURS = "ours".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] THEIRS = "theirs".getBytes(StandardCharsets.US_ASCII);

    private final MemoryObjectStore bucket = new MemoryObjectStore();

    @Test
    void aLostAnswerIsSettled(@Seed long seed) {
        FaultyObjectStore client = new FaultyObjectStore(bucket, seed);
        SettledWrites store = new SettledWrites(client);
        client.fail(Fault.LOST_AFTER, Fault.SERVER_ERROR, Fault.LOST_BEFORE);
        assertThat(store.putIfAbsent("k", OURS)).isTrue();
        client.fail(Fault.LOST_BEFORE, Fault.STALL);
        assertThat(store.putIfMatch("k", version(), THEIRS)).isTrue();
        client.fail(Fault.LOST_AFTER);
        assertThat(store.putIfMatch("k", version(), OURS)).isTrue();
        assertThat(store.putIfAbsent("k", OURS))
                .as("a first answer is believed")
                .isFalse();
        client.fail(Fault.LOST_AFTER);
        assertThat(store.putIfAbsent("k", THEIRS)).isFalse();
        client.unreachable(true);
        assertThatThrownBy(() -> store.putIfMatch("k", version(), THEIRS)).isInstanceOf(ObjectStoreException.class);
    }

    private String version() {
        return Objects.requireNonNull(bucket.get("k")).version();
    }

    @Test
    void aDeleteIsRepeatedWhileItsObjectIsThere(@Seed long seed) {
        FaultyObjectStore client = new FaultyObjectStore(bucket, seed);
        SettledWrites store = new SettledWrites(client);
        bucket.putIfAbsent("k", OURS);
        store.delete("none");
        assertThat(client.requests()).as("one look").isEqualTo(1);
        store.delete("k");
        assertThat(client.requests()).as("a look and a delete").isEqualTo(3);
        assertThat(bucket.get("k")).isNull();
        client.unreachable(true);
        assertThatThrownBy(() -> store.delete("k")).isInstanceOf(ObjectStoreException.class);
    }

    /** A fault at the start of a server is no reason to refuse the store. */
    @ParameterizedTest
    @EnumSource(Fault.class)
    void theProbePassesAfterAFault(Fault fault, @Seed long seed) {
        FaultyObjectStore client = new FaultyObjectStore(bucket, seed).fail(fault, fault);
        StoreProbe.run(client, "01J");
        assertThat(bucket.list("", "", 10)).isEmpty();
    }
}
