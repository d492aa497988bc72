package service.http.route;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.value.Ulid;

/**
 * What the state of an answer must have at least ({@code Service-Min-Commit}): a commit, or everything that was
 * committed before the request came. The read is answered when this server has it. Until then the request is one of the
 * waiting consumers: it holds no thread and no place among the executing requests.
 *
 * @param commit null for everything
 */
public record MinimumCommit(@Nullable Ulid commit) {
    public static final String HEADER = "Service-Min-Commit";

    private static final String LATEST = "latest";
    private static final Duration WAIT_DEFAULT = Duration.ofSeconds(5);

    /**
     * Checks the values of the header.
     *
     * @throws ServiceException BAD_REQUEST for anything but one raw commit id, or `latest`
     */
    public static MinimumCommit parse(List<String> values) {
        return values.size() == 1 && values.getFirst().equals(LATEST)
                ? new MinimumCommit(null)
                : new MinimumCommit(Ulid.parse(Call.requireCommitId(HEADER, values)));
    }

    /**
     * Answers a call. A read that is refused because this server does not know a commit, a tag or a position which it
     * names runs again after a look at the store: another server may have made it.
     *
     * @param minimum what its state must have at least; null for a call that does not say
     */
    public static Answer answer(Call call, @Nullable MinimumCommit minimum) throws Exception {
        try {
            Answer answer = minimum == null ? call.route().handler().answer(call) : minimum.whenHere(call);
            ServiceException gap = answer instanceof Answer.Events events ? events.refusal() : null;
            Answer later = gap == null ? null : afterLook(call, gap);
            return later == null ? answer : later;
        } catch (ServiceException refusal) {
            Answer later = afterLook(call, refusal);
            if (later == null) {
                throw refusal;
            }
            return later;
        }
    }

    /** Runs the handler of a call at once if the state is here, else when it has arrived. */
    private Answer whenHere(Call call) throws Exception {
        if (call.route().hidesNames()
                && call.requireGraph().graph().isStoredMutation(call.variable(StoredQueryRoutes.NAME))) {
            return call.route().handler().answer(call);
        }
        if (commit == null) {
            return atNewest(call, unknown());
        }
        String wait = call.parameter("wait");
        return after(call, commit, System.nanoTime(), wait == null ? WAIT_DEFAULT : ChangeRoutes.wait(wait));
    }

    /** The answer after a look; null when the refusal is of another kind, or cannot come from an old state. */
    private static @Nullable Answer afterLook(Call call, ServiceException refusal) throws Exception {
        GraphAccess graph = call.graph();
        if (graph == null
                || !graph.graph().isShared()
                || !call.route().takesMinimumCommit()
                || !namesPosition(call, refusal)) {
            return null;
        }
        return atNewest(
                call,
                new ServiceException(
                        ErrorCode.NOT_YET_HERE,
                        "the store does not answer, and without it this server cannot tell whether another one knows it: "
                                + refusal.getMessage()));
    }

    private static boolean namesPosition(Call call, ServiceException refusal) {
        boolean hasToken = call.parameter("cursor") != null || call.parameter("page_token") != null;
        return switch (refusal.code()) {
            case NOT_FOUND -> hasToken || refusal.reason() == Reason.COMMIT || refusal.reason() == Reason.TAG;
            case BAD_REQUEST -> refusal.reason() == Reason.TOKEN || namesStart(call);
            case CHANGE_FEED_GAP -> true;
            default -> false;
        };
    }

    private static boolean namesStart(Call call) {
        String start = call.parameter("start");
        return start != null && start.startsWith("after:");
    }

    private static Answer atNewest(Call call, ServiceException otherwise) throws Exception {
        CompletableFuture<Boolean> newest = call.requireGraph().graph().awaitNewest(WAIT_DEFAULT);
        if (newest.getNow(false)) {
            return call.route().handler().answer(call);
        }
        return new Answer.LongPoll(newest, null, false, () -> {
            if (newest.getNow(false)) {
                return call.route().handler().answer(call);
            }
            throw otherwise;
        });
    }

    private static Answer after(Call call, Ulid commit, long sinceNanos, Duration wait) throws Exception {
        GraphAccess graph = call.requireGraph();
        Duration left = wait.minusNanos(System.nanoTime() - sinceNanos);
        CompletableFuture<Boolean> arrival = graph.awaitCommit(commit, left.isNegative() ? Duration.ZERO : left);
        if (arrival.getNow(false)) {
            return call.route().handler().answer(call);
        }
        if (!left.isPositive()) {
            arrival.complete(false);
            throw notYetHere(commit);
        }
        return new Answer.LongPoll(arrival, null, false, () -> {
            if (arrival.getNow(false)) {
                return after(call, commit, sinceNanos, wait);
            }
            throw notYetHere(commit);
        });
    }

    private static ServiceException notYetHere(Ulid commit) {
        return new ServiceException(
                ErrorCode.NOT_YET_HERE,
                "commit `" + commit + "` is not on this server yet; try again in a second, or ask the server that"
                        + " made it");
    }

    private static ServiceException unknown() {
        return new ServiceException(
                ErrorCode.NOT_YET_HERE,
                "this server cannot tell whether it has the newest state, because the store does not answer; try again in"
                        + " a second, or read without `latest`");
    }
}
