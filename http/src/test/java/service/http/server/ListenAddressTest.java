package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.StartRefusedException;
import service.core.testkit.Seed;
import service.http.limit.Limits;

final class ListenAddressTest {
    /** The examples of RFC 5952 and the edges of a run of zeros. */
    @ParameterizedTest
    @CsvSource({
        "0:0:0:0:0:0:0:1,[::1]",
        "0:0:0:0:0:0:0:0,[::]",
        "2001:db8:0:0:1:0:0:1,[2001:db8::1:0:0:1]",
        "2001:DB8:0:0:0:0:2:1,[2001:db8::2:1]",
        "2001:db8:0:1:1:1:1:1,[2001:db8:0:1:1:1:1:1]",
        "2001:0:0:1:0:0:0:1,[2001:0:0:1::1]",
        "1:0:0:0:0:0:0:0,[1::]",
        "0:0:1:0:0:0:0:0,[0:0:1::]",
        "127.0.0.1,127.0.0.1",
        "0.0.0.0,0.0.0.0"
    })
    void isTheShortText(String given, String text) throws Exception {
        assertThat(ListenAddress.of(new InetSocketAddress(InetAddress.getByName(given), 25020)))
                .isEqualTo(text + ":25020");
    }

    @Test
    void parsersOfUrlsReadTheSameAddress(@Seed long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            byte[] bytes = new byte[16];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = random.nextBoolean() ? 0 : (byte) random.nextInt(256);
            }
            InetAddress address = InetAddress.getByAddress(bytes);
            URI url = URI.create("http://" + ListenAddress.of(new InetSocketAddress(address, 8080)) + "/healthz");
            assertThat(InetAddress.getByName(url.getHost())).isEqualTo(address);
            assertThat(url.getPort()).isEqualTo(8080);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "0.0.0.0", "::", "localhost"})
    void isTheOneThatWasAskedFor(String host) throws Exception {
        try (TestServer server = new TestServer(Limits.DEFAULTS, host, java.util.List.of())) {
            InetAddress bound = server.server.address().getAddress();
            assertThat(bound).isEqualTo(InetAddress.getByName(host));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "no-such-host.invalid", "http://127.0.0.1", "[::1", "1.2.3.4.5", "a b", "192.0.2.1"})
    void anAddressThatIsNotOfThisMachineIsNamed(String host) {
        assertThatThrownBy(() -> new TestServer(Limits.DEFAULTS, host, java.util.List.of()))
                .isInstanceOfSatisfying(
                        StartRefusedException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo("config_invalid"))
                .hasMessageContaining(host)
                .hasMessageContaining("--bind");
    }
}
