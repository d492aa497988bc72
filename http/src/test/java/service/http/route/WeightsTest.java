package service.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WeightsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip | 1",
                "GZIP;Q=0.5 | 0.5",
                "br, gzip;q=0.001 | 0.001",
                "br;q=1.0,gzip ; q=0 | 0",
                "gzip;q=0.000, * | 0",
                "gzip;level=9;q=0.2 | 0.2",
                "gzip;q=high | 1",
                "gzip;q=1. | 1",
                "x-gzip, br;q=1 | -1",
                "* | -1",
                "'' | -1",
            })
    void readsTheWeightOfAName(String header, double weight) {
        assertThat(Weights.of(List.of(header), "gzip")).isEqualTo(weight);
    }

    @Test
    void repeatedHeadersAreJoined() {
        assertThat(Weights.of(List.of("br", "gzip;q=0.3"), "gzip")).isEqualTo(0.3);
        assertThat(Weights.of(List.of(), "gzip")).isEqualTo(-1);
    }
}
