package service.http.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import io.undertow.util.Methods;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.cluster.Quarantine;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.graph.Graph;
import service.core.graph.GraphAccess;
import service.core.graph.request.StoredQueries;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.http.auth.Credential;
import service.http.auth.CrossSite;
import service.http.auth.Everyone;
import service.http.auth.ResourceGate;
import service.http.auth.Rights;
import service.http.route.Accept;
import service.http.route.Call;
import service.http.route.MinimumCommit;
import service.http.route.Percent;
import service.http.route.Representation;
import service.http.route.Route;
import service.http.route.RouteTable;

/**
 * The checks of a request before its body is read, in the order of {@code docs/http.md}: host, credential, site,
 * permission, graph, method and media types, size. A refusal is thrown. Runs on the I/O thread.
 */
final class RequestChecks {
    static final HttpString CONDITION = new HttpString("Service-If-Graph-Commit");
    private static final HttpString MINIMUM_COMMIT = new HttpString(MinimumCommit.HEADER);
    private static final HttpString FETCH_SITE = new HttpString("Sec-Fetch-Site");
    private static final HttpString IDEMPOTENCY_KEY = new HttpString("Idempotency-Key");

    private final ServerContext context;
    private final HttpServerExchange exchange;

    /** The checks of the body, by what the headers say of it. */
    final BodyChecks body;

    private @Nullable Matching matching;

    /** Set by the checks, some only when they get that far. The request log and refusals read them. */
    @Nullable
    Credential credential;

    @Nullable
    Route route;

    @Nullable
    String graphId;

    @Nullable
    String allow;

    RequestChecks(ServerContext context, HttpServerExchange exchange) {
        this.context = context;
        this.exchange = exchange;
        this.body = new BodyChecks(exchange, context.capacity().limits());
    }

    /** A request whose headers are checked. Parameters and body are checked later. */
    record Passed(
            Route route,
            Representation form,
            Rights rights,
            List<String> segments,
            @Nullable Graph graph) {
        /** The graph for the caller. */
        @Nullable
        GraphAccess access() {
            return graph == null ? null : graph.as(rights.on(graph.id()));
        }
    }

    /**
     * The routes that the path of the request has.
     *
     * @param segments null when the path is malformed
     * @param badPath why it is; null otherwise
     * @param routes those of the path, with any method
     * @param selected the one of the method; null when there is none
     */
    private record Matching(
            @Nullable List<String> segments,
            @Nullable ServiceException badPath,
            List<Route> routes,
            @Nullable Route selected) {}

    private Matching match() {
        List<String> segments = null;
        ServiceException badPath = null;
        try {
            segments = Percent.segments(rawPath());
        } catch (ServiceException e) {
            badPath = e;
        }
        List<Route> routes =
                segments == null ? List.of() : context.content().routes().match(segments);
        return new Matching(
                segments,
                badPath,
                routes,
                RouteTable.select(routes, exchange.getRequestMethod().toString()));
    }

    /**
     * Runs the checks before the credential, and finds it; throws the first refusal.
     *
     * @return whether the credential is known. If not, its signature has to be verified: call {@link #authenticate}
     *     before {@link #pass}
     */
    boolean begin() {
        new RequestFraming(exchange, context.capacity().limits()).check();
        refuseForeignHost();
        Matching found = match();
        matching = found;
        Route selected = found.selected;
        route = selected != null ? selected : found.routes.isEmpty() ? null : found.routes.getFirst();
        boolean isOpen =
                !found.routes.isEmpty() && found.routes.getFirst().access().isOpen();
        credential =
                isOpen ? Credential.ANONYMOUS : context.access().authenticator().authenticateAtOnce(authorization());
        return credential != null;
    }

    /** Verifies the credential, which takes about a millisecond, on a thread that may block. */
    void authenticate() {
        credential = context.access().authenticator().authenticate(authorization());
    }

    /** Runs the checks after the credential; throws the first refusal. */
    Passed pass() {
        Matching found = Objects.requireNonNull(matching, "the first checks come first");
        Credential verified = Objects.requireNonNull(credential, "the credential comes before");
        List<String> segments = found.segments;
        List<Route> matched = found.routes;
        Route selected = found.selected;
        Rights rights = new Rights(verified, context.access().policies());
        ResourceGate gate =
                matched.isEmpty() ? null : matched.getFirst().access().gate();
        if (gate == null) {
            refuseOtherSites();
        }
        if (found.badPath != null) {
            throw found.badPath;
        }
        if (segments == null || matched.isEmpty()) {
            String meant = segments == null ? null : context.content().routes().meant(segments);
            throw ServiceException.notFound(
                    Reason.ROUTE,
                    "there is no route " + exchange.getRequestPath()
                            + (meant == null
                                    ? "; GET /openapi.json lists the routes"
                                    : "; did you mean `" + meant + "`?"));
        }
        if (context.isDraining() && !segments.getFirst().equals("healthz")) {
            throw new ServiceException(
                    ErrorCode.SHUTTING_DOWN, "the server is shutting down; send the request to another server");
        }
        Graph graph = null;
        if (matched.getFirst().ofGraph()) {
            graphId = segments.get(1);
            requireReach(selected == null ? matched.getFirst() : selected, verified, segments.get(1));
            permit(selected == null ? matched : List.of(selected), rights, segments);
            graph = graph(segments.get(1), rights);
        } else {
            requireIdentity(matched.getFirst(), verified);
            if (gate != null) {
                gate.require(verified, values(Headers.HOST), values(Headers.ORIGIN));
            }
            permit(selected == null ? List.of() : List.of(selected), rights, List.of());
        }
        if (selected == null) {
            allow = RouteTable.allow(matched);
            throw new ServiceException(
                    ErrorCode.METHOD_NOT_ALLOWED,
                    exchange.getRequestMethod() + " is not offered by "
                            + matched.getFirst().endpoint().path() + "; it takes " + allow);
        }
        Representation form = Accept.choose(values(Headers.ACCEPT), selected.answers(), selected.ofGraph());
        body.check(selected.input().body());
        return new Passed(selected, form, rights, segments, graph);
    }

    /**
     * Query parameters. They and the two headers below are checked after the body may have been refused for its size.
     */
    Map<String, List<String>> parameters(Route.Input input) {
        return Percent.parameters(exchange.getQueryString(), input.parameters(), input.repeatable());
    }

    /** The value of {@code Service-If-Graph-Commit}, or null; refused or required as the route says. */
    @Nullable
    String condition(Route.Input input) {
        HeaderMap headers = exchange.getRequestHeaders();
        HeaderValues values = headers.get(CONDITION);
        boolean given = values != null && !values.isEmpty();
        return switch (input.condition()) {
            case IGNORED -> null;
            case REFUSED -> {
                if (given) {
                    throw ServiceException.badRequest(
                            "header `Service-If-Graph-Commit` is not taken here; use the route that ends in"
                                    + " /if-graph-commit: /mutate and /queries/{name} have one");
                }
                yield null;
            }
            case OPTIONAL ->
                values == null || values.isEmpty() ? null : Call.requireCommitId("Service-If-Graph-Commit", values);
            case REQUIRED -> {
                if (values == null || values.isEmpty()) {
                    throw ServiceException.badRequest(
                            "header `Service-If-Graph-Commit` is required here: the id of the commit that must be the"
                                    + " branch's head");
                }
                yield Call.requireCommitId("Service-If-Graph-Commit", values);
            }
        };
    }

    /** What {@code Service-Min-Commit} asks for, or null. Routes that answer no state ignore the header. */
    @Nullable
    MinimumCommit minimumCommit(Route selected) {
        HeaderValues values = exchange.getRequestHeaders().get(MINIMUM_COMMIT);
        return values == null || values.isEmpty() || !selected.takesMinimumCommit()
                ? null
                : MinimumCommit.parse(values);
    }

    /** The idempotency key, or null. Reads ignore it; writes that take none refuse it. */
    @Nullable
    String key(Route selected) {
        HeaderValues values = exchange.getRequestHeaders().get(IDEMPOTENCY_KEY);
        if (values == null || values.isEmpty()) {
            return null;
        }
        if (!selected.input().takesKey()) {
            if (selected.writes()) {
                throw ServiceException.badRequest("header `Idempotency-Key` is not taken by "
                        + selected.endpoint().path() + "; send the write without it");
            }
            return null;
        }
        if (values.size() > 1) {
            throw ServiceException.badRequest("header `Idempotency-Key` is given twice; give it once");
        }
        return values.getFirst();
    }

    /** The value of {@code WWW-Authenticate} in a refusal of this request. */
    String challenge() {
        return context.access().authenticator().challenge(authorization());
    }

    /** Whether the credential of this request would still be accepted; null where there is none that could end. */
    @Nullable
    BooleanSupplier standing() {
        String actor = credential == null ? null : credential.actor();
        return actor == null ? null : context.access().authenticator().standing(authorization(), actor);
    }

    private @Nullable List<String> authorization() {
        return exchange.getRequestHeaders().get(Headers.AUTHORIZATION);
    }

    /** Checked only without authentication; with it, a web page of another site lacks the credential. */
    private void refuseForeignHost() {
        if (context.access().authenticator() instanceof Everyone) {
            InetSocketAddress local = exchange.getConnection().getLocalAddress(InetSocketAddress.class);
            context.access().allowedHosts().require(host(), local == null ? null : local.getAddress());
        }
    }

    /** Checks methods that may have an effect. {@code OPTIONS} is answered with 405, also to browsers. */
    private void refuseOtherSites() {
        HttpString method = exchange.getRequestMethod();
        if (!method.equals(Methods.GET) && !method.equals(Methods.HEAD) && !method.equals(Methods.OPTIONS)) {
            CrossSite.refuse(values(FETCH_SITE), values(Headers.ORIGIN), host());
        }
    }

    private @Nullable String host() {
        return exchange.getRequestHeaders().getFirst(Headers.HOST);
    }

    /** The values of a header that a route asks for. */
    List<String> header(String name) {
        HeaderValues values = exchange.getRequestHeaders().get(name);
        return values == null ? List.of() : List.copyOf(values);
    }

    private List<String> values(HttpString name) {
        HeaderValues values = exchange.getRequestHeaders().get(name);
        return values == null ? List.of() : values;
    }

    private String rawPath() {
        return exchange.isHostIncludedInRequestURI() ? exchange.getRequestPath() : exchange.getRequestURI();
    }

    /**
     * Refuses a caller who may use none of the routes.
     *
     * @param routes the route of the request; where the path does not take its method, all routes of the path, because
     *     the answer to a caller without rights must not depend on whether the graph exists
     * @param segments the path of a graph route; empty for other routes
     */
    private static void permit(List<Route> routes, Rights rights, List<String> segments) {
        String graph = segments.isEmpty() ? null : segments.get(1);
        Caller caller = rights.on(graph);
        if (routes.isEmpty()) {
            return;
        }
        for (Route route : routes) {
            if (route.access().permits(caller)) {
                return;
            }
        }
        Route first = routes.getFirst();
        if (first.hidesNames()) {
            throw StoredQueries.unknown(segments.get(3));
        }
        caller.require(Objects.requireNonNull(first.access().action()), graph);
    }

    /**
     * Refuses a graph that the grants of a restricted credential do not name, whether it exists or not. Unlike other
     * denials it hides no names of stored queries, because the answer is the same for every name.
     */
    private static void requireReach(Route route, Credential verified, String graph) {
        if (!verified.reaches(graph)) {
            Action action = route.access().action();
            throw forbidden((action == null ? Action.READ : action).wireName(), graph);
        }
    }

    /** Refuses callers whose credential proves no identity on a route that needs one. */
    private static void requireIdentity(Route route, Credential verified) {
        if (!route.access().needsIdentity() || verified.hasIdentity()) {
            return;
        }
        if (verified.kind() == Credential.Kind.ANONYMOUS) {
            throw new ServiceException(
                    ErrorCode.UNAUTHORIZED,
                    "an identity is required, and a server without authentication has none; use GET /graphs");
        }
        throw new ServiceException(
                        ErrorCode.FORBIDDEN,
                        "you may not discover here: only identity credentials may; other tokens list graphs with GET /graphs",
                        new ErrorDetail.Forbidden("discover", null, null))
                .because(Reason.CREDENTIAL);
    }

    private static ServiceException forbidden(String action, @Nullable String graph) {
        return new ServiceException(
                ErrorCode.FORBIDDEN,
                "you may not " + action + (graph == null ? " here" : " graph `" + graph + "`"),
                new ErrorDetail.Forbidden(action, graph, null));
    }

    /** A caller who may not read a quarantined graph gets the answer for a graph that does not exist. */
    private Graph graph(String id, Rights rights) {
        Graph graph = context.content().cluster().served().get(id);
        if (graph != null) {
            return graph;
        }
        Quarantine quarantine = context.content().cluster().quarantined().get(id);
        if (quarantine != null && rights.on(id).may(Action.READ)) {
            throw quarantine.refusal(id);
        }
        throw ServiceException.notFound(Reason.GRAPH, "graph `" + id + "` does not exist");
    }
}
