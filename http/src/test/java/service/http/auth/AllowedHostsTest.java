package service.http.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;

final class AllowedHostsTest {
    private static final InetAddress LOCAL = address("192.0.2.7");
    private static final InetAddress LOCAL_IPV6 = address("2001:db8::7");

    private final AllowedHosts hosts =
            new AllowedHosts("0.0.0.0", List.of("Graphs.Example.ORG.", "203.0.113.9", "2001:DB8:0::1"));

    private static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LocalHost:8080",
                "localhost.:8080",
                "localhost:",
                "127.0.0.1",
                "127.9.8.7:80",
                "127.0.0.1.",
                "[::1]",
                "[::1]:8080",
                "[0:0:0:0:0:0:0:1]:8080",
                "[::ffff:127.0.0.1]",
                "192.0.2.7:8080",
                "[::ffff:192.0.2.7]",
                "graphs.example.org",
                "GRAPHS.example.org.:443",
                "203.0.113.9:8080",
                "[2001:db8::1]:8080",
                "0.0.0.0:8080"
            })
    void ownNamesAndAddressesAreAnswered(String header) {
        assertThatCode(() -> hosts.require(header, LOCAL)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                ":8080",
                ".",
                "evil.example",
                "evil.example:8080",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "evil-localhost",
                "sub.graphs.example.org",
                "192.0.2.8",
                "[2001:db8::7]",
                "10.1",
                "127.1",
                "0x7f.0.0.1",
                "127.0.0.01",
                "127.0.0.256",
                "localhost..",
                "localhost:99999",
                "localhost:port",
                "localhost:1:2",
                "::1",
                "[::1",
                "[::1]8080",
                "[localhost]",
                "[fe80::1%eth0]",
                "user@localhost",
                "localhost/",
                "localhost, evil.example"
            })
    void otherHostsAreRefused(String header) {
        assertThatThrownBy(() -> hosts.require(header, LOCAL))
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    }

    @Test
    void theAddressThatTheClientReachedIsAllowedInEverySpelling() {
        assertThatCode(() -> hosts.require("[2001:0DB8:0:0::7]:80", LOCAL_IPV6)).doesNotThrowAnyException();
    }

    @Test
    void theBoundNameIsAllowed() {
        assertThatCode(() -> new AllowedHosts("box.internal", List.of()).require("BOX.internal:1", LOCAL))
                .doesNotThrowAnyException();
        assertThatCode(() -> new AllowedHosts("::1", List.of()).require("[::1]:1", null))
                .doesNotThrowAnyException();
    }

    @Test
    void theErrorNamesTheRemedy() {
        assertThatThrownBy(() -> hosts.require("Evil.example:80", LOCAL))
                .hasMessageContaining("--allowed-host evil.example")
                .hasMessageContaining("SERVICE_ALLOWED_HOSTS");
    }

    @Test
    void namesComeFromTheOptionsElseFromTheVariable() {
        Map<String, String> environment = Map.of("SERVICE_ALLOWED_HOSTS", "a.example, [::2] ,,B.example.");
        assertThat(AllowedHosts.names(environment)).containsExactly("a.example", "0:0:0:0:0:0:0:2", "b.example");
        assertThat(AllowedHosts.names(Map.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://a.example", "a.example:8080", "a example", "*", "*.example.org", "a/b"})
    void anInvalidHostRefusesStart(String name) {
        assertThatThrownBy(() -> AllowedHosts.names(Map.of("SERVICE_ALLOWED_HOSTS", name)))
                .isInstanceOfSatisfying(
                        StartRefusedException.class, e -> assertThat(e.code()).isEqualTo("config_invalid"))
                .hasMessageContaining(name);
    }
}
