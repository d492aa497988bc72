package service.http.auth;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ServiceException;

final class CrossSiteTest {
    private static final String HOST = "graphs.example.org:8080";

    @Test
    void programsSendNeitherHeader() {
        assertThatCode(() -> CrossSite.refuse(List.of(), List.of(), HOST)).doesNotThrowAnyException();
        assertThatCode(() -> CrossSite.refuse(List.of(), List.of(), null)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"same-origin", "none"})
    void theOwnPageAndTheUserMayAsk(String site) {
        assertThatCode(() -> CrossSite.refuse(List.of(site), List.of("http://" + HOST), HOST))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "Cross-Site"})
    void otherSitesMayNot(String site) {
        assertThatThrownBy(() -> CrossSite.refuse(List.of("none", site), List.of("http://" + HOST), HOST))
                .isInstanceOf(ServiceException.class)
                .hasMessageContaining("Sec-Fetch-Site");
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:8080, localhost:8080",
        "http://LOCALHOST:8080, localhost.:8080",
        "http://localhost, localhost:80",
        "http://localhost:80, localhost",
        "https://graphs.example.org, graphs.example.org",
        "https://graphs.example.org, graphs.example.org:443",
        "http://[::1]:8080, [0:0::1]:8080"
    })
    void theOwnOriginMayAsk(String origin, String host) {
        assertThatCode(() -> CrossSite.refuse(List.of(), List.of(origin), host)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "null, localhost:8080",
        "'', localhost:8080",
        "http://evil.example, localhost:8080",
        "http://localhost, localhost:8080",
        "http://localhost:8081, localhost:8080",
        "https://localhost, localhost:80",
        "http://127.0.0.1:8080, localhost:8080",
        "localhost:8080, localhost:8080",
        "file://localhost:8080, localhost:8080",
        "http://localhost:8080/, localhost:8080",
        "http://user@localhost:8080, localhost:8080",
        "http://localhost:8080, 'localhost:8080, evil.example'"
    })
    void foreignOriginsMayNot(String origin, String host) {
        assertThatThrownBy(() -> CrossSite.refuse(List.of(), List.of(origin), host))
                .isInstanceOf(ServiceException.class)
                .hasMessageContaining("Origin");
    }

    @Test
    void oneForeignOriginAmongSeveralIsEnough() {
        assertThatThrownBy(() -> CrossSite.refuse(List.of(), List.of("http://" + HOST, "http://evil.example"), HOST))
                .isInstanceOf(ServiceException.class);
        assertThatThrownBy(() -> CrossSite.refuse(List.of(), List.of("http://" + HOST), null))
                .isInstanceOf(ServiceException.class);
    }
}
