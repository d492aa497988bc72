package service.core.graph.request;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.BranchMove;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.Tag;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;

/**
 * Finds the commit that a {@link CommitRef} names. Between a branch or a tag and the end of an id the branch or the tag
 * is meant, and a name of both is refused; {@code branch:x}, {@code tag:x} and {@code commit:x} decide. Commits that
 * the caller may not read do not exist: steps along first parents pass over them. A caller who may read every branch
 * goes any number of steps in one look-up; for another one, each commit on the way is read.
 */
public final class CommitRefs {
    private static final int MATCHES_MAX = 64;
    private static final int MATCHES_SHOWN = 5;

    private final GraphSession session;
    private final CommitRef ref;
    private final Caller caller;
    private final TimeBudget time;

    private CommitRefs(GraphSession session, CommitRef ref, Caller caller, TimeBudget time) {
        this.session = session;
        this.ref = ref;
        this.caller = caller;
        this.time = time;
    }

    /** A place in the first-parent history of an incarnation of a branch. */
    private record Place(int incarnation, long sequence) {}

    /**
     * The header of the commit that a text names. Gives up on a thread that must not wait, unless the text is a whole
     * id.
     *
     * @param time checked at every commit that is read
     * @throws ServiceException NOT_FOUND when there is none that the caller may read; BAD_REQUEST when the text ends
     *     the ids of several
     */
    public static CommitHeader resolve(GraphSession session, String text, Caller caller, TimeBudget time) {
        if (Ulid.isUlid(text)) {
            return session.header(Targets.readableCommit(session, text, caller).offset());
        }
        NoWaiting.giveUp();
        CommitRef ref = CommitRef.parse(text);
        if (ref == null) {
            throw missing(session, text, caller);
        }
        return new CommitRefs(session, ref, caller, time).resolve();
    }

    private CommitHeader resolve() {
        CommitHeader commit = visible(base(), 0);
        for (CommitRef.Step step : ref.steps()) {
            commit = switch (step) {
                case CommitRef.Step.Back back -> visible(place(commit), back.commits());
                case CommitRef.Step.Merged ignored -> merged(commit);
            };
        }
        return commit;
    }

    private Place base() {
        return switch (ref.base()) {
            case CommitRef.Base.OfBranch of -> head(of.branch());
            case CommitRef.Base.OfTag of -> {
                Tag tag = tag(session, of.tag(), caller);
                if (tag == null) {
                    throw ServiceException.notFound(Reason.TAG, "tag `" + of.tag() + "` does not exist");
                }
                yield place(tag.position());
            }
            case CommitRef.Base.AtTime at -> atTime(at);
            case CommitRef.Base.OfCommit of -> {
                CommitHeader found = commit(of.id());
                if (found == null) {
                    throw missingCommit(of.id());
                }
                yield place(found);
            }
            case CommitRef.Base.Name name -> named(name.text());
        };
    }

    /**
     * The branch, or the id of the commit, that a ref names as the base of a new branch: a branch stays a branch, so
     * that the new one begins at the head that it has when the writer decides.
     *
     * @param mayBeBranch whether a branch may have the text as its name
     * @return the name of a branch, which may not exist, or a commit id
     */
    public static String base(GraphSession session, String text, boolean mayBeBranch, Caller caller, TimeBudget time) {
        CommitRef ref = CommitRef.parse(text);
        if (ref != null && ref.steps().isEmpty() && ref.base() instanceof CommitRef.Base.OfBranch of) {
            return of.branch();
        }
        Tag tag = tag(session, text, caller);
        if (tag != null) {
            requireOne(session, tag, caller);
            return tag.commit().toString();
        }
        boolean isEnd = UlidSuffix.parse(text) != null;
        if (Ulid.isUlid(text) || namesBranch(session, text, caller) || (mayBeBranch && !isEnd)) {
            return text;
        }
        return resolve(session, text, caller, time).id().toString();
    }

    /**
     * Whether a text is a commit id that means the commit. A branch that was made before such names were refused does
     * not take the place of a commit that the caller may read.
     */
    public static boolean namesCommit(GraphSession session, String text, Caller caller) {
        if (!Ulid.isUlid(text)) {
            return false;
        }
        if (!namesBranch(session, text, caller)) {
            return true;
        }
        CommitPosition position = session.position(Ulid.parse(text));
        return position != null
                && caller.may(Action.READ, session.header(position.offset()).branch());
    }

    /** Whether a name, which may end ids of commits as well, means a branch that the caller may read. */
    public static boolean namesBranch(GraphSession session, String name, Caller caller) {
        return caller.may(Action.READ, name) && session.branch(name) != null;
    }

    /** The tag of a name, if the caller may read the branch on which its commit was made; else null. */
    public static @Nullable Tag tag(GraphSession session, String name, Caller caller) {
        Tag tag = session.tag(name);
        return tag != null && caller.may(Action.READ, tag.branch()) ? tag : null;
    }

    /** Refuses the name of a tag that is also that of a branch which the caller may read. */
    private static void requireOne(GraphSession session, Tag tag, Caller caller) {
        String name = tag.name();
        if (namesBranch(session, name, caller)) {
            String head = String.valueOf(Targets.branch(session, name, caller).head());
            throw ServiceException.badRequest("`" + name + "` is a branch, at " + head + ", and a tag, of "
                    + tag.commit() + ": write `branch:" + name + "` or `tag:" + name + "`");
        }
    }

    private Place named(String name) {
        Tag tag = tag(session, name, caller);
        if (tag != null) {
            requireOne(session, tag, caller);
            return place(tag.position());
        }
        if (namesBranch(session, name, caller)) {
            return head(name);
        }
        CommitHeader found = commit(name);
        if (found == null) {
            throw UlidSuffix.parse(name) == null ? missing(name) : missingCommit(name);
        }
        return place(found);
    }

    private Place head(String name) {
        Branch branch = Targets.readable(session, name, caller);
        return new Place(branch.incarnation(), branch.historyLength() - 1);
    }

    private Place atTime(CommitRef.Base.AtTime at) {
        Branch branch = Targets.readable(session, at.branch(), caller);
        long micros = at.micros(Instant.now());
        BranchMove move = session.moveAsOf(branch.name(), micros);
        if (move == null) {
            throw Targets.beforeFirst(session, branch.name(), micros);
        }
        return place(
                session.header(Targets.position(session, move.head().toString()).offset()));
    }

    private Place place(CommitHeader commit) {
        return place(new CommitPosition(commit.offset(), commit.incarnation()));
    }

    private Place place(CommitPosition commit) {
        return new Place(commit.incarnation(), session.sequence(commit));
    }

    /** The commit that lies some commits before a place, of those that the caller may read. */
    private CommitHeader visible(Place place, long steps) {
        if (caller.mayOnEveryBranch(Action.READ)) {
            if (steps > place.sequence()) {
                throw tooFar(place.sequence() + 1);
            }
            return session.header(session.history(place.incarnation(), place.sequence() - steps));
        }
        long left = steps;
        for (long sequence = place.sequence(); sequence >= 0; sequence--) {
            time.step();
            CommitHeader header = session.header(session.history(place.incarnation(), sequence));
            if (caller.may(Action.READ, header.branch())) {
                if (left == 0) {
                    return header;
                }
                left--;
            }
        }
        throw tooFar(steps - left);
    }

    private ServiceException tooFar(long commits) {
        return ServiceException.notFound(
                Reason.COMMIT,
                "commit `" + ref.text() + "` does not exist: the history " + there() + " has " + commits
                        + (commits == 1 ? " commit" : " commits"));
    }

    /** Names the history in which steps go back; after a step to a merged parent it is another one. */
    private String there() {
        if (ref.steps().contains(new CommitRef.Step.Merged())) {
            return "there";
        }
        return switch (ref.base()) {
            case CommitRef.Base.OfBranch of -> "of branch `" + of.branch() + "`";
            case CommitRef.Base.OfTag of -> "up to tag `" + of.tag() + "`";
            case CommitRef.Base.AtTime at -> "of branch `" + at.branch() + "` at that time";
            case CommitRef.Base.OfCommit of -> "up to commit `" + of.id() + "`";
            case CommitRef.Base.Name name ->
                namesBranch(session, name.text(), caller)
                        ? "of branch `" + name.text() + "`"
                        : "up to commit `" + name.text() + "`";
        };
    }

    private CommitHeader merged(CommitHeader commit) {
        Ulid parent = commit.lineage().mergedParent();
        CommitPosition position = parent == null ? null : session.position(parent);
        CommitHeader header = position == null ? null : session.header(position.offset());
        if (header == null || !caller.may(Action.READ, header.branch())) {
            throw ServiceException.notFound(
                    Reason.COMMIT,
                    "commit `" + ref.text() + "` does not exist: " + commit.id() + " has no merged parent");
        }
        return header;
    }

    /** The commit of an id in either case, or of the end of one; null when there is none. */
    private @Nullable CommitHeader commit(String id) {
        String capitals = id.toUpperCase(Locale.ROOT);
        if (Ulid.isUlid(capitals)) {
            return session.header(
                    Targets.readableCommit(session, capitals, caller).offset());
        }
        UlidSuffix suffix = UlidSuffix.parse(id);
        return suffix == null ? null : only(id, suffix);
    }

    private @Nullable CommitHeader only(String id, UlidSuffix suffix) {
        List<CommitHeader> found = session.commits(suffix, MATCHES_MAX, time::step).stream()
                .map(whole -> session.header(
                        Targets.position(session, whole.toString()).offset()))
                .filter(header -> caller.may(Action.READ, header.branch()))
                .toList();
        if (found.size() > 1) {
            throw ServiceException.badRequest("`" + id + "` ends the ids of several commits: "
                    + found.stream()
                            .limit(MATCHES_SHOWN)
                            .map(header -> header.id().toString())
                            .collect(Collectors.joining(", "))
                    + (found.size() > MATCHES_SHOWN ? ", …" : "")
                    + "; give more of its characters");
        }
        return found.isEmpty() ? null : found.getFirst();
    }

    private ServiceException missingCommit(String id) {
        return ServiceException.notFound(
                Reason.COMMIT, "no commit has an id that ends with `" + id + "`, and no branch or tag is named so");
    }

    /** The refusal of a ref that begins with the name of a branch which the caller cannot read. */
    private ServiceException missing(String name) {
        String meant = Targets.similar(session, name, caller);
        return ServiceException.notFound(
                Reason.COMMIT,
                "commit `" + ref.text() + "` does not exist in this graph"
                        + (ref.text().equals(name)
                                ? ", nor does a branch of that name"
                                : ": branch `" + name + "` does not exist")
                        + (meant == null ? "" : "; " + meant) + "; " + CommitRef.FORMS);
    }

    private static ServiceException missing(GraphSession session, String text, Caller caller) {
        if (CommitRef.namesThirdParent(text)) {
            return ServiceException.notFound(
                    Reason.COMMIT,
                    "commit `" + text + "` does not exist: a commit has two parents at most, `^1` and `^2`");
        }
        String branch = String.valueOf(Targets.missing(session, text, caller).getMessage());
        return ServiceException.notFound(
                Reason.COMMIT,
                "commit `" + text + "` does not exist in this graph: " + branch + "; " + CommitRef.FORMS);
    }
}
