package service.http.auth;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.config.Variable;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;

/**
 * The {@code Host} headers that an address accepts at which no credential is asked for: a server without
 * authentication, and the metrics. Thread rule: any thread.
 *
 * <p>The check refuses requests from web pages of other sites. A page may resolve its own name to the address of this
 * server (DNS rebinding). The browser then treats the server as the site of the page and lets the page read the
 * answers, but the header contains the name of the page. An address cannot be rebound, so the addresses of the server
 * are always allowed.
 */
public final class AllowedHosts {
    public static final Variable.Text VARIABLE = new Variable.Text(
            "SERVICE_ALLOWED_HOSTS",
            "none",
            "names such as graphs.example.org, and addresses, without scheme and port, separated by commas",
            "further hosts for which a server without authentication, and the address of metrics, answers"
                    + " (`--allowed-host`)");

    private final Set<String> hosts = new HashSet<>(Set.of("localhost"));
    private final String subject;

    /** The hosts of a server without authentication. */
    public AllowedHosts(String bound, List<String> names) {
        this("this server runs without authentication", bound, names);
    }

    /**
     * @param subject why hosts are checked, as the first part of a sentence
     * @param bound the name or address at which the server listens, without brackets
     * @param names further hosts, as {@link #names} returns them
     */
    public AllowedHosts(String subject, String bound, List<String> names) {
        this.subject = subject;
        HostPort parsed = parse(bound);
        if (parsed != null) {
            hosts.add(parsed.host());
        }
        names.forEach(name -> hosts.add(canonical(name)));
    }

    /**
     * The hosts of {@code SERVICE_ALLOWED_HOSTS}.
     *
     * @throws StartRefusedException {@code config_invalid}; the message names the value that is no host
     */
    public static List<String> names(Map<String, String> environment) {
        return Stream.of(environment.getOrDefault(VARIABLE.name(), "").split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .map(AllowedHosts::canonical)
                .toList();
    }

    private static String canonical(String name) {
        HostPort parsed = parse(name);
        if (parsed == null || parsed.port() >= 0) {
            throw VARIABLE.refusal(name);
        }
        return parsed.host();
    }

    /** An IPv6 address may lack its brackets here. */
    private static @Nullable HostPort parse(String name) {
        boolean bare = !name.startsWith("[") && name.indexOf(':') != name.lastIndexOf(':');
        return HostPort.parse(bare ? "[" + name + "]" : name);
    }

    /**
     * Checks the host that a request names.
     *
     * @param header the value of {@code Host}, or null when it is absent
     * @param local the local address of the connection: the bound address, or an address that a wildcard such as
     *     {@code 0.0.0.0} covers
     * @throws ServiceException FORBIDDEN; the message names the remedy
     */
    public void require(@Nullable String header, @Nullable InetAddress local) {
        HostPort named = header == null ? null : HostPort.parse(header);
        if (named == null) {
            throw ServiceException.of(
                    ErrorCode.FORBIDDEN,
                    Reason.HOST,
                    subject + " and answers requests only whose header `Host` names it, such as `Host: localhost`");
        }
        if (!hosts.contains(named.host()) && !isOwn(named.address(), local)) {
            throw ServiceException.of(
                    ErrorCode.FORBIDDEN,
                    Reason.HOST,
                    subject + " and does not answer for host `" + named.host()
                            + "`, only for localhost, loopback addresses and the address that it is bound to; start the"
                            + " server with --allowed-host " + named.host() + " (or " + VARIABLE.name()
                            + ") if that name is its own");
        }
    }

    private static boolean isOwn(@Nullable InetAddress named, @Nullable InetAddress local) {
        return named != null && (named.isLoopbackAddress() || named.equals(local));
    }
}
