package service.http.server;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import service.core.budget.ProcessBudget;
import service.core.cluster.ServedCluster;
import service.http.auth.AllowedHosts;
import service.http.auth.Authenticator;
import service.http.auth.Policies;
import service.http.limit.Admission;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.limit.Verifications;
import service.http.limit.WaitingConsumers;
import service.http.observe.Observation;
import service.http.observe.RequestCounters;
import service.http.route.RouteTable;
import service.http.stream.ClientDeadlines;

/** The objects that all conversations of one server share. Each of them may be used from any thread. */
record ServerContext(
        Content content,
        AccessRules access,
        Capacity capacity,
        RequestThreads threads,
        Heartbeats heartbeats,
        RequestIds ids,
        Observed observed,
        Lifecycle lifecycle) {
    /** The graphs, and the routes to them. */
    record Content(ServedCluster cluster, RouteTable routes) {}

    /**
     * Which credentials and which {@code Host} headers the server accepts, and what callers may do.
     *
     * @param watch ends the requests that wait for commits with their credentials
     */
    record AccessRules(
            Authenticator authenticator, Policies policies, AllowedHosts allowedHosts, CredentialWatch watch) {}

    /**
     * The limits of the server, and the objects that enforce them.
     *
     * @param process memory and computing time shared by all requests of the process
     * @param connections the open ones
     */
    record Capacity(
            Limits limits,
            ClientDeadlines deadlines,
            ProcessBudget process,
            Admission admission,
            WaitingConsumers consumers,
            Verifications verifications,
            Connections connections) {
        static Capacity of(Limits limits, boolean manyGraphs, ProcessBudget process, RequestThreads threads) {
            Admission admission = new Admission(limits, manyGraphs);
            return new Capacity(
                    limits,
                    ClientDeadlines.of(limits),
                    process,
                    admission,
                    new WaitingConsumers(limits, manyGraphs, admission.refusals()),
                    new Verifications(limits, threads.workers(), admission.refusals()),
                    new Connections(
                            FileDescriptors.connections(limits.getInt(Limit.MAX_CONNECTIONS)),
                            limits.getInt(Limit.SHARE_PERCENT),
                            admission.refusals(),
                            Unparsed::noPlace));
        }
    }

    /**
     * The state of the server between start and stop.
     *
     * @param draining set once, when the server begins to stop
     * @param present number of conversations that have begun and not finished
     */
    record Lifecycle(AtomicBoolean draining, AtomicInteger present) {}

    /** The counters of requests, and what is reported of them. */
    record Observed(RequestCounters counters, Observation observation) {
        /** Counts a request that has ended; {@code route} is null when no route fits. */
        void finished(String method, @Nullable String route, int status, long nanos) {
            String template = route == null ? "unknown" : route;
            counters.count(template, status, nanos);
            observation.meter().finished(method, template, status, nanos);
        }
    }

    static ServerContext of(
            ServerOptions options,
            ServedCluster cluster,
            Authenticator authenticator,
            Policies policies,
            RouteTable routes) {
        RequestThreads threads = new RequestThreads();
        return new ServerContext(
                new Content(cluster, routes),
                new AccessRules(
                        authenticator,
                        policies,
                        new AllowedHosts(options.host(), options.allowedHosts()),
                        new CredentialWatch()),
                Capacity.of(options.limits(), cluster.served().size() > 1, options.process(), threads),
                threads,
                new Heartbeats(),
                new RequestIds(),
                new Observed(new RequestCounters(), options.observation()),
                new Lifecycle(new AtomicBoolean(), new AtomicInteger()));
    }

    boolean isDraining() {
        return lifecycle.draining().get();
    }
}
