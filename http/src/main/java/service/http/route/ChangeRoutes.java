package service.http.route;

import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.branch.DiffStates;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedOutcome;
import service.core.graph.feed.FeedPoll;
import service.core.graph.feed.FeedRequest;
import service.core.graph.feed.FeedStream;
import service.core.graph.feed.SharedPage;
import service.core.policy.Action;
import service.core.wire.DiffPage;
import service.core.wire.EventStreamWriter;
import service.core.wire.FeedPage;

/**
 * {@code /diff}, {@code /changes}, {@code /changes/baseline}, {@code /commits/{commit_id}/changes}: the change feed by
 * pages, by waiting pages, and as server-sent events.
 */
final class ChangeRoutes {
    private static final int WAIT_SECONDS_MAX = 30;
    private static final Pattern WAIT_SECONDS = Pattern.compile("[0-9]{1,4}");

    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    private static final String AFTER = "after:";

    private ChangeRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.get("/graphs/{graph_id}/changes", Action.READ, ChangeRoutes::changes)
                        .with("branch", "cursor", "start", "page_token", "limit", "wait")
                        .withRepeatable("kind", "type", "op", "set")
                        .with(ChangeRoutes::isBrief)
                        .answering(Media.JSON, Media.EVENTS),
                Route.get("/graphs/{graph_id}/commits/{commit_id}/changes", Action.READ, ChangeRoutes::commitChanges)
                        .with("page_token", "limit")
                        .withRepeatable("kind", "type", "op", "set"),
                Route.get("/graphs/{graph_id}/diff", Action.READ, ChangeRoutes::diff)
                        .with("from", "to", "since", "page_token", "limit")
                        .withRepeatable("kind", "type", "op", "set"),
                Route.post(
                                "/graphs/{graph_id}/changes/baseline",
                                Action.READ,
                                BodyRule.OPTIONAL_JSON,
                                ChangeRoutes::baseline)
                        .answering(Media.NDJSON));
    }

    /** The filters that the query string gives. */
    static ChangeSelection selection(Call call) {
        return new ChangeSelection(call.parameters("kind"), call.parameters("type"), call.parameters("op"));
    }

    /** The maximum number of changes in a page. */
    static int limit(Call call) {
        String text = call.parameter("limit");
        if (text == null) {
            return FeedPage.LIMIT_DEFAULT;
        }
        if (!text.matches("[0-9]+")) {
            throw ServiceException.badRequest(
                    "`limit` must be an integer from 1 to " + FeedPage.LIMIT_MAX + ", not `" + text + "`");
        }
        return FeedPage.requireLimit(new BigInteger(text).min(MOST).longValueExact());
    }

    private static Answer commitChanges(Call call) {
        FeedPage page = FeedPage.ofCommit(limit(call), call.budget(), call.int64());
        GraphAccess graph = call.requireGraph();
        String next = graph.commitChanges(
                graph.commitId(call.variable("{commit_id}"), call.budget()),
                call.parameter("page_token"),
                selection(call),
                call.querySettings(),
                page);
        return Answer.pieces(Media.JSON, page.finish(next));
    }

    private static Answer diff(Call call) {
        DiffPage page = new DiffPage(limit(call), call.budget(), call.int64());
        String next = call.requireGraph()
                .diff(
                        new DiffStates(
                                call.parameter("from"),
                                call.parameter("to"),
                                DiffStates.Since.of(call.parameter("since"))),
                        call.parameter("page_token"),
                        selection(call),
                        call.querySettings(),
                        call.budget(),
                        page);
        return Answer.pieces(Media.JSON, page.finish(next));
    }

    private static Answer changes(Call call) {
        if (asksForEvents(call)) {
            return events(call);
        }
        FeedRequest request = new FeedRequest(
                call.parameter("branch"),
                call.parameter("cursor"),
                start(call),
                call.parameter("page_token"),
                selection(call),
                call.querySettings());
        Duration wait = wait(call.parameter("wait"));
        return poll(call, request, limit(call), System.nanoTime(), wait);
    }

    /** {@code now}, {@code beginning}, or {@code after:} with the id of the commit that a ref names. */
    private static @Nullable String start(Call call) {
        String start = call.parameter("start");
        return start != null && start.startsWith(AFTER) && start.length() > AFTER.length()
                ? AFTER + call.commitId(start.substring(AFTER.length()))
                : start;
    }

    /**
     * Whether a poll is probably short: a consumer that has a cursor is near the head as a rule. The poll is given up
     * where many blocks are due.
     */
    private static boolean isBrief(Call call) {
        return call.parameter("cursor") != null && !asksForEvents(call);
    }

    /** Answers with a page at once, or, when it would be empty, after the next commit or the end of the wait. */
    private static Answer poll(Call call, FeedRequest request, int limit, long sinceNanos, Duration wait) {
        GraphAccess graph = call.requireGraph();
        FeedOutcome outcome;
        Duration left;
        try (FeedPoll poll = graph.openChanges(request)) {
            left = wait.minusNanos(System.nanoTime() - sinceNanos);
            if (!poll.isEmpty() || request.pageToken() != null || !left.isPositive()) {
                return page(call, poll, limit);
            }
            outcome = poll.emptyOutcome();
        }
        CompletableFuture<Boolean> news = graph.awaitNews(outcome);
        return new Answer.LongPoll(
                news,
                left,
                true,
                () -> news.getNow(false)
                        ? poll(call, request.from(outcome.cursor()), limit, sinceNanos, wait)
                        : Answer.pieces(
                                Media.JSON,
                                sink(call, limit).take(outcome, false).pieces()));
    }

    private static FeedPage sink(Call call, int limit) {
        return FeedPage.ofFeed(limit, call.requireGraph().caller(), call.budget(), call.int64());
    }

    private static Answer page(Call call, FeedPoll poll, int limit) {
        SharedPage page = poll.page(sink(call, limit));
        call.budget().own(page::leave);
        if (!page.isReserved()) {
            call.budget().memory().charge(page.size(), "the page", "ask for fewer changes with `limit`");
        }
        return Answer.pieces(Media.JSON, page.pieces());
    }

    /** The value of the parameter {@code wait}; null for none. */
    static Duration wait(@Nullable String text) {
        if (text == null) {
            return Duration.ZERO;
        }
        if (WAIT_SECONDS.matcher(text).matches() && Integer.parseInt(text) <= WAIT_SECONDS_MAX) {
            return Duration.ofSeconds(Integer.parseInt(text));
        }
        throw ServiceException.badRequest(
                "`wait` must be whole seconds from 0 to " + WAIT_SECONDS_MAX + ", not `" + text + "`");
    }

    private static boolean asksForEvents(Call call) {
        return call.headers().form().media() == Media.EVENTS;
    }

    private static Answer events(Call call) {
        for (String refused : List.of("wait", "limit", "page_token")) {
            if (call.parameter(refused) != null) {
                throw ServiceException.badRequest("query parameter `"
                        + refused
                        + "` is not taken by a stream of events; leave it out, or ask for JSON");
            }
        }
        String last = call.firstHeader("Last-Event-ID");
        boolean resumes = last != null && !last.isEmpty();
        FeedRequest request = new FeedRequest(
                call.parameter("branch"),
                resumes ? last : call.parameter("cursor"),
                resumes ? null : start(call),
                null,
                selection(call),
                call.querySettings());
        FeedEvents events = new FeedEvents(call, request);
        call.budget().own(events::close);
        return new Answer.Events(events, events.refusal);
    }

    /** The change feed as server-sent events. */
    private static final class FeedEvents implements Answer.EventSource {
        private final EventStreamWriter writer;
        private @Nullable FeedStream stream;
        private @Nullable ServiceException refusal;

        FeedEvents(Call call, FeedRequest request) {
            GraphAccess graph = call.requireGraph();
            writer = new EventStreamWriter(graph.caller(), call.budget(), call.int64());
            try {
                stream = graph.changeStream(request, writer);
            } catch (ServiceException e) {
                if (e.code() != ErrorCode.CHANGE_FEED_GAP) {
                    throw e;
                }
                refusal = e;
            }
        }

        @Override
        public Piece next(Refused refused) throws IOException {
            FeedStream feed = stream;
            try {
                if (refusal != null || feed == null) {
                    throw refusal == null ? new IllegalStateException("no stream") : refusal;
                }
                SharedPage page = feed.next();
                return new Piece(page.pieces().getFirst(), page.isAtCut() ? After.NEWS : After.EVENTS, page::leave);
            } catch (ServiceException e) {
                return refuse(e, refused);
            }
        }

        void close() {
            if (stream != null) {
                stream.close();
            }
        }

        @Override
        public Piece refuse(ServiceException because, Refused refused) throws IOException {
            if (writer.isInsideEvent()) {
                throw new IOException("the stream failed inside an event", because);
            }
            return new Piece(writer.error(refused.body(because)), After.END, () -> {});
        }

        @Override
        public CompletableFuture<Boolean> news() {
            return Objects.requireNonNull(stream, "news of a stream that was refused")
                    .news();
        }
    }

    private static Answer baseline(Call call) {
        GraphAccess graph = call.requireGraph();
        Fields fields = call.body().isAbsent() ? null : call.fields("branch", "kind", "type", "op");
        String branch = fields == null ? null : fields.text("branch");
        ChangeSelection selection = fields == null
                ? ChangeSelection.ALL
                : new ChangeSelection(fields.texts("kind"), fields.texts("type"), fields.texts("op"));
        return Answer.streamed(
                Media.NDJSON, into -> graph.baseline(branch, selection, call.int64(), call.budget(), into));
    }
}
