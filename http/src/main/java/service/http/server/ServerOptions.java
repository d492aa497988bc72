package service.http.server;

import java.util.List;
import service.core.budget.ProcessBudget;
import service.http.auth.AllowedHosts;
import service.http.limit.Limits;
import service.http.observe.Observation;

/**
 * The options of one server.
 *
 * @param host a name or address, without brackets
 * @param port 0 for a free port
 * @param version what {@code /healthz} reports
 * @param process memory and computing time that its requests share with the served graphs
 * @param allowedHosts further hosts that a server without authentication accepts, as {@link AllowedHosts#names} returns
 *     them
 * @param observation what it reports of its requests
 */
public record ServerOptions(
        String host,
        int port,
        String version,
        Limits limits,
        ProcessBudget process,
        List<String> allowedHosts,
        Observation observation) {
    /** Options without further hosts, metrics and a log of slow queries. */
    public ServerOptions(String host, int port, String version, Limits limits, ProcessBudget process) {
        this(host, port, version, limits, process, List.of(), Observation.NONE);
    }

    public ServerOptions {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("a port is from 0 to 65535, not " + port);
        }
    }
}
