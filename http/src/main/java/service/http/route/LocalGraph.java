package service.http.route;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.cluster.ServedCluster;
import service.core.error.ServiceException;
import service.core.graph.Graph;
import service.core.graph.GraphAccess;
import service.core.json.ByteChunks;
import service.core.json.Int64Form;
import service.http.auth.Credential;
import service.http.auth.Policies;
import service.http.auth.Rights;

/**
 * A graph of this process whose routes are called without a socket. A call has the effect and the answer of a request
 * to a server; what a server checks before a route (credential, sizes, admission) is left out. The handlers run on the
 * calling thread.
 *
 * <p>Thread rule: any number of threads may call; {@link #cancel} may be called by any other thread.
 */
public final class LocalGraph {
    private static final String ACCEPT = "Accept";

    private static final RouteTable ROUTES = RouteTable.standard("", false, null);

    private final GraphAccess graph;
    private final ServedCluster alone;
    private final Rights rights = new Rights(Credential.ANONYMOUS, Policies.NONE);
    private volatile boolean cancelled;

    /** The commit that a long poll waits for; null without a poll. */
    private volatile @Nullable CompletableFuture<Boolean> awaited;

    /** Serves a graph with the rights of the given access. */
    public LocalGraph(GraphAccess graph) {
        this.graph = graph;
        TreeMap<String, Graph> served = new TreeMap<>(Map.of(graph.id(), graph.graph()));
        this.alone = new ServedCluster("", 0, "", served, new TreeMap<>());
    }

    /**
     * A request to one route.
     *
     * @param path the decoded segments after {@code /graphs/{graph_id}}
     * @param parameters the query parameters, each with its values
     * @param headers the headers by their names; a condition is {@code Service-If-Graph-Commit}, a key is
     *     {@code Idempotency-Key}
     */
    public record Request(
            String method,
            List<String> path,
            Map<String, List<String>> parameters,
            Map<String, String> headers,
            Call.Body body) {}

    /**
     * A successful answer. The body is made while it is written, with the budget of the call, so that the answer must
     * be closed by the caller.
     *
     * @param source writes the body; not called for {@code HEAD}
     * @param end lets go what the answer holds
     */
    public record Response(int status, Map<String, String> headers, Answer.Source source, Runnable end)
            implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }

    /**
     * Calls a route.
     *
     * @throws ServiceException a refusal
     * @throws java.util.concurrent.CancellationException after {@link #cancel}
     */
    public Response call(Request request) {
        List<String> segments = new ArrayList<>(List.of("graphs", graph.id()));
        segments.addAll(request.path());
        Route route = RouteTable.select(ROUTES.match(segments), request.method());
        if (route == null) {
            throw new IllegalArgumentException("no route " + request.method() + " " + segments);
        }
        RequestBudget budget = graph.budget(() -> cancelled);
        Map<String, String> headers = request.headers();
        Call call = new Call(
                alone,
                graph,
                rights,
                route,
                new Call.RequestLine(request.method().equals("HEAD"), segments, request.parameters()),
                new Call.RequestHeaders(
                        Accept.choose(
                                headers.containsKey(ACCEPT) ? List.of(headers.get(ACCEPT)) : List.of(),
                                route.answers(),
                                true),
                        headers.get("Service-If-Graph-Commit"),
                        headers.get("Idempotency-Key"),
                        name -> headers.containsKey(name) ? List.of(headers.get(name)) : List.of()),
                request.body(),
                budget);
        try {
            return response(route.handler().answer(call), budget);
        } catch (RuntimeException | Error e) {
            budget.close();
            throw e;
        } catch (Exception e) {
            budget.close();
            throw new IllegalStateException(e);
        }
    }

    private Response response(Answer answer, RequestBudget budget) throws Exception {
        return switch (answer) {
            case Answer.Whole whole ->
                new Response(
                        whole.status(),
                        whole.headers(),
                        into -> ByteChunks.write(whole.body().pieces(Int64Form.NUMBER), into),
                        budget::close);
            case Answer.Kept kept -> new Response(200, kept.headers(), into -> into.write(kept.body()), budget::close);
            case Answer.Streamed streamed -> {
                Map<String, String> headers = new TreeMap<>(streamed.headers());
                if (streamed.length() >= 0) {
                    headers.put("Content-Length", Long.toString(streamed.length()));
                }
                Answer.Source source = streamed.length() == 0 ? into -> {} : streamed.source();
                yield new Response(streamed.status(), headers, source, budget::close);
            }
            case Answer.Async<?> async -> response(settled(async), budget);
            case Answer.LongPoll poll -> {
                await(poll);
                yield response(poll.then().call(), budget);
            }
            case Answer.Status status -> throw new IllegalArgumentException("a graph has no server: " + status);
            case Answer.Events events -> throw new IllegalArgumentException("a local call takes no events: " + events);
        };
    }

    /** Waits for a write and rethrows its refusal on this thread. */
    private static <T> Answer settled(Answer.Async<T> async) {
        try {
            return async.then().apply(async.outcome().join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void await(Answer.LongPoll poll) {
        CompletableFuture<Boolean> news = poll.news();
        awaited = news;
        if (cancelled) {
            news.complete(false);
        }
        Duration timeout = poll.timeout();
        if (timeout != null) {
            news.completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS);
        }
        var unused = news.join();
        awaited = null;
    }

    /** Ends the running calls. A write that has begun is finished. */
    public void cancel() {
        cancelled = true;
        CompletableFuture<Boolean> news = awaited;
        if (news != null) {
            news.complete(false);
        }
    }
}
