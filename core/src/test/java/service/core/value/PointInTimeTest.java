package service.core.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PointInTimeTest {
    private static final Instant NOW = Instant.parse("2026-11-25T12:00:00.123456789Z");

    @ParameterizedTest
    @CsvSource({
        "2026-11-25, 2026-11-25T00:00:00Z",
        "0000-01-01, 0000-01-01T00:00:00Z",
        "0s, 2026-11-25T12:00:00.123456Z",
        "5m, 2026-11-25T11:55:00.123456Z",
        "36h, 2026-11-24T00:00:00.123456Z",
        "30d, 2026-10-26T12:00:00.123456Z",
        "999999999d, 0000-01-01T00:00:00Z",
        "2026-11-25T12:00:00+01:00, 2026-11-25T12:00:00+01:00",
        "2026-11-25T12:00:00, 2026-11-25T12:00:00",
        "yesterday, yesterday",
        "5, 5",
        "-5m, -5m",
        "5w, 5w"
    })
    void aDayAndAnAgeAreTimes(String typed, String meant) {
        assertThat(PointInTime.of(typed, NOW)).isEqualTo(meant);
    }
}
