package service.core.graph.request;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;

/**
 * Finds the commit that people write: a commit id, a branch for its head, {@code main~3} for the third commit before
 * the head along first parents, or the last six or more characters of an id, in either case. A branch of that name goes
 * before a suffix and before an id in small letters. Commits that the caller may not read do not exist.
 */
final class CommitRefs {
    private static final Pattern STEPS = Pattern.compile("(.+)~([0-9]{1,9})");
    private static final int MATCHES_MAX = 64;
    private static final int MATCHES_SHOWN = 5;

    private CommitRefs() {}

    static CommitHeader resolve(GraphSession session, String ref, Caller caller) {
        if (Ulid.isUlid(ref)) {
            return session.header(Targets.readableCommit(session, ref, caller).offset());
        }
        Matcher steps = STEPS.matcher(ref);
        if (steps.matches()) {
            Branch branch = Targets.readable(session, steps.group(1), caller);
            return before(session, branch, Long.parseLong(steps.group(2)), caller);
        }
        if (caller.may(Action.READ, ref) && session.branch(ref) != null) {
            return before(session, Targets.readable(session, ref, caller), 0, caller);
        }
        String capitals = ref.toUpperCase(Locale.ROOT);
        if (Ulid.isUlid(capitals)) {
            return session.header(
                    Targets.readableCommit(session, capitals, caller).offset());
        }
        UlidSuffix suffix = UlidSuffix.parse(ref);
        CommitHeader found = suffix == null ? null : only(session, ref, suffix, caller);
        if (found == null) {
            throw missing(session, ref, suffix != null, caller);
        }
        return found;
    }

    /** The commit some steps before the head, without commits of branches that the caller may not read. */
    private static CommitHeader before(GraphSession session, Branch branch, long steps, Caller caller) {
        long left = steps;
        for (long sequence = branch.historyLength() - 1; sequence >= 0; sequence--) {
            CommitHeader header = session.header(session.history(branch.incarnation(), sequence));
            if (caller.may(Action.READ, header.branch())) {
                if (left == 0) {
                    return header;
                }
                left--;
            }
        }
        throw ServiceException.notFound(
                Reason.COMMIT,
                "commit `" + branch.name() + "~" + steps + "` does not exist: the history of" + " branch `"
                        + branch.name() + "` has " + (steps - left) + " commits");
    }

    private static @Nullable CommitHeader only(GraphSession session, String ref, UlidSuffix suffix, Caller caller) {
        List<CommitHeader> found = session.commits(suffix, MATCHES_MAX).stream()
                .map(id ->
                        session.header(Targets.position(session, id.toString()).offset()))
                .filter(header -> caller.may(Action.READ, header.branch()))
                .toList();
        if (found.size() > 1) {
            throw ServiceException.badRequest("`" + ref + "` ends the ids of several commits: "
                    + found.stream()
                            .limit(MATCHES_SHOWN)
                            .map(header -> header.id().toString())
                            .collect(Collectors.joining(", "))
                    + (found.size() > MATCHES_SHOWN ? ", …" : "")
                    + "; give more of its characters");
        }
        return found.isEmpty() ? null : found.getFirst();
    }

    private static ServiceException missing(GraphSession session, String ref, boolean isSuffix, Caller caller) {
        if (isSuffix) {
            return ServiceException.notFound(
                    Reason.COMMIT, "no commit has an id that ends with `" + ref + "`, and no branch is named so");
        }
        String branch = String.valueOf(Targets.missing(session, ref, caller).getMessage());
        return ServiceException.notFound(
                Reason.COMMIT,
                "commit `" + ref + "` does not exist in this graph: " + branch
                        + "; a commit is written as its id, the last 6 or more characters of it, BRANCH, or BRANCH~N");
    }
}
