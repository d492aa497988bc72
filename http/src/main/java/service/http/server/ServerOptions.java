package service.http.server;

import java.util.List;
import service.core.budget.ProcessBudget;
import service.http.auth.AllowedHosts;
import service.http.limit.Limits;

/**
 * How a server listens.
 *
 * @param host a name or address, without brackets
 * @param port 0 takes a free one
 * @param version what {@code /healthz} reports
 * @param process what its requests share with the graphs that it serves
 * @param allowedHosts further hosts for which it answers without authentication: {@link AllowedHosts#names}
 */
public record ServerOptions(
        String host, int port, String version, Limits limits, ProcessBudget process, List<String> allowedHosts) {
    /** Without further hosts. */
    public ServerOptions(String host, int port, String version, Limits limits, ProcessBudget process) {
        this(host, port, version, limits, process, List.of());
    }

    public ServerOptions {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("a port is from 0 to 65535, not " + port);
        }
    }
}
