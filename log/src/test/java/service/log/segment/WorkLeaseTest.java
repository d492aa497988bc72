package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import service.core.testkit.MemoryObjectStore;
import service.core.value.Ulid;

final class WorkLeaseTest {
    private static final Duration LENGTH = Duration.ofMinutes(1);

    private final SegmentStore segments = new SegmentStore(new MemoryObjectStore(), "g");
    private long now = 1_700_000_000_000L;

    private WorkLease lease(int holder, long aheadMillis) {
        return new WorkLease(segments, new Ulid(1, holder), LENGTH, () -> now + aheadMillis);
    }

    @Test
    void oneProcessHasItUntilItEndsOrIsGivenBack() {
        WorkLease one = lease(1, 0);
        WorkLease other = lease(2, 0);
        assertThat(one.take()).isTrue();
        assertThat(other.take()).isFalse();
        now += LENGTH.toMillis() * 3 / 4;
        assertThat(one.take()).as("renewed").isTrue();
        now += LENGTH.toMillis() * 3 / 4;
        assertThat(other.take()).isFalse();
        now += LENGTH.toMillis();
        assertThat(other.take()).isTrue();
        assertThat(one.take()).isFalse();
        other.release();
        assertThat(one.take()).isTrue();
        other.release();
        assertThat(other.take()).as("released only by its holder").isFalse();
    }

    @Test
    void aTimeFarAheadAndBytesThatAreNoLeaseDoNotCount() {
        assertThat(lease(1, Duration.ofDays(1).toMillis()).take()).isTrue();
        assertThat(lease(2, 0).take()).isTrue();
        String version = segments.lease().version();
        assertThat(segments.putLease(version, new byte[] {'x'})).isTrue();
        assertThat(lease(3, 0).take()).isTrue();
    }
}
