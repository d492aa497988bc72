package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;

final class TurnRequestTest {
    private final MemoryObjectStore bucket = new MemoryObjectStore();

    private final FaultyObjectStore client = new FaultyObjectStore(bucket, 0);

    private final TurnRequest one = new TurnRequest(new SegmentStore(client, "g"));
    private final TurnRequest other = new TurnRequest(new SegmentStore(bucket, "g"));

    @Test
    void aRequestIsTakenOnce() {
        assertThat(other.take()).isFalse();
        one.make();
        other.make();
        assertThat(other.take()).isTrue();
        assertThat(one.take()).isFalse();
        one.make();
        assertThat(other.take()).isTrue();
    }

    @Test
    void aRequestMayFail() {
        client.unreachable(true);
        one.make();
        client.unreachable(false);
        assertThat(other.take()).isFalse();
        one.make();
        assertThat(other.take()).isTrue();
    }
}
