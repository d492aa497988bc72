package service.log.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;

final class ProbedStoreTest {
    /** The probe creates, finds its object, reads it, replaces it, finds it replaced, and deletes it. */
    private static final int REQUESTS_OF_A_PROBE = 6;

    private static final int WRITERS = 8;

    private final MemoryObjectStore bucket = new MemoryObjectStore();
    private final FaultyObjectStore requests = new FaultyObjectStore(bucket, 0);
    private final ObjectStore store = new ProbedStore(requests);

    @Test
    void readsSendNoMore() {
        assertThat(store.get("k")).isNull();
        assertThat(store.read("k", 0)).isNull();
        assertThat(store.list("", "", 1)).isEmpty();
        assertThat(requests.requests()).isEqualTo(3);
    }

    @Test
    void theFirstOfManyWritesProbes() throws Exception {
        List<Callable<Boolean>> writes = IntStream.range(0, WRITERS)
                .<Callable<Boolean>>mapToObj(i -> () -> store.putIfAbsent("k" + i, new byte[1]))
                .toList();
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            for (Future<Boolean> written : threads.invokeAll(writes)) {
                assertThat(written.get()).isTrue();
            }
        }
        store.delete("k0");
        assertThat(requests.requests()).isEqualTo(REQUESTS_OF_A_PROBE + WRITERS + 1);
        assertThat(bucket.list("__cluster/", "", 1)).isEmpty();
    }

    @Test
    void aProbeWithoutAnAnswerIsMadeAgain() {
        requests.unreachable(true);
        assertThatThrownBy(() -> store.putIfAbsent("k", new byte[1]))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class,
                        failure -> assertThat(failure.mayPass()).isTrue());
        requests.unreachable(false);
        assertThat(store.putIfAbsent("k", new byte[1])).isTrue();
    }
}
