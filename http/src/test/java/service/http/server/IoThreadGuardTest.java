package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static service.http.server.IoThreadGuard.PAUSE_NANOS;
import static service.http.server.IoThreadGuard.SLOW_NANOS;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IoThreadGuardTest {
    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MAX_VALUE - 3})
    void aSlowCallThatReadsFromDiskSendsLaterCallsToWorkersForAWhile(long now) {
        IoThreadGuard guard = new IoThreadGuard(() -> true);
        assertThat(guard.isOpen(now)).isTrue();
        guard.ran(now, now + SLOW_NANOS - 1);
        assertThat(guard.isOpen(now + SLOW_NANOS)).isTrue();
        long end = now + SLOW_NANOS;
        guard.ran(now, end);
        assertThat(guard.isOpen(end)).isFalse();
        assertThat(guard.isOpen(end + PAUSE_NANOS - 1)).isFalse();
        assertThat(guard.isOpen(end + PAUSE_NANOS)).isTrue();
        assertThat(guard.isOpen(end)).isTrue();
    }

    @Test
    void aCallThatIsSlowForAnotherReasonChangesNothing() {
        IoThreadGuard guard = new IoThreadGuard(() -> false);
        guard.ran(0, 100 * SLOW_NANOS);
        assertThat(guard.isOpen(100 * SLOW_NANOS)).isTrue();
    }
}
