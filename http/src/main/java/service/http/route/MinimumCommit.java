package service.http.route;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.value.Ulid;

/**
 * Answers a read that needs a commit ({@code Service-Min-Commit}) when this server has the commit. Until then the
 * request is one of the waiting consumers: it holds no thread and no place among the executing requests.
 */
public final class MinimumCommit {
    public static final String HEADER = "Service-Min-Commit";

    private static final Duration WAIT_DEFAULT = Duration.ofSeconds(5);

    private MinimumCommit() {}

    /**
     * Checks the values of the header.
     *
     * @throws ServiceException BAD_REQUEST for anything but one raw commit id
     */
    public static Ulid parse(List<String> values) {
        return Ulid.parse(Call.requireCommitId(HEADER, values));
    }

    /** Runs the handler of a call at once if the commit is here, else when it has arrived. */
    public static Answer answer(Call call, Ulid commit) throws Exception {
        if (call.route().hidesNames()
                && call.requireGraph().graph().isStoredMutation(call.variable(StoredQueryRoutes.NAME))) {
            return call.route().handler().answer(call);
        }
        String wait = call.parameter("wait");
        return after(call, commit, System.nanoTime(), wait == null ? WAIT_DEFAULT : ChangeRoutes.wait(wait));
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
}
