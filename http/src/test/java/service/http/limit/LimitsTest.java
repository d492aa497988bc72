package service.http.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.StartRefusedException;

final class LimitsTest {
    @Test
    void environmentVariablesSetLimits() {
        Limits limits = Limits.fromEnvironment(Map.of("SERVICE_MAX_INFLIGHT", "12"));
        assertThat(limits.get(Limit.MAX_INFLIGHT)).isEqualTo(12);
        assertThat(limits.get(Limit.MAX_WAITING)).isEqualTo(1_024);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "1e3", "12 ", "99999999999999999999", "65537"})
    void aValueOutsideItsBoundsRefusesTheStart(String text) {
        assertThatThrownBy(() -> Limits.fromEnvironment(Map.of("SERVICE_MAX_INFLIGHT", text)))
                .isInstanceOfSatisfying(
                        StartRefusedException.class, e -> assertThat(e.code()).isEqualTo("limit_invalid"))
                .hasMessageContaining("SERVICE_MAX_INFLIGHT");
    }
}
