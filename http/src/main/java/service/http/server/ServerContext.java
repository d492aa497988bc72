package service.http.server;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import service.core.budget.ProcessBudget;
import service.core.cluster.ServedCluster;
import service.http.auth.AllowedHosts;
import service.http.auth.Authenticator;
import service.http.limit.Admission;
import service.http.limit.Limits;
import service.http.limit.WaitingConsumers;
import service.http.observe.RequestCounters;
import service.http.route.RouteTable;
import service.http.stream.ClientDeadlines;

/**
 * What all conversations of one server share.
 *
 * @param draining set once, when the server begins to stop
 * @param present conversations begun and not yet finished
 */
record ServerContext(
        Limits limits,
        ServedCluster cluster,
        Authenticator authenticator,
        AllowedHosts allowedHosts,
        RouteTable routes,
        Admission admission,
        WaitingConsumers consumers,
        Heartbeats heartbeats,
        ClientDeadlines deadlines,
        RequestCounters counters,
        ProcessBudget process,
        RequestThreads threads,
        RequestIds ids,
        AtomicBoolean draining,
        AtomicInteger present) {}
