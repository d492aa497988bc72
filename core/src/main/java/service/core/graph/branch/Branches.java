package service.core.graph.branch;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.event.Event;
import service.core.event.Origin;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.CommitRefs;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteTerms;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.value.Ulid;

/** Creates, deletes and shows branches ({@code docs/branches.md}). */
public final class Branches {
    private static final int NAME_BYTES_MAX = 255;
    private static final Pattern SEGMENT = Pattern.compile("[A-Za-z0-9._-]+");

    private final GraphStorage storage;
    private final CommitLog log;

    /** @param log takes the writes */
    public Branches(GraphStorage storage, CommitLog log) {
        this.storage = storage;
        this.log = log;
    }

    public List<BranchRecord> list(Caller caller) {
        try (GraphSession session = storage.session()) {
            return BranchRecord.visible(session, caller);
        }
    }

    public BranchRecord get(Caller caller, String name) {
        try (GraphSession session = storage.session()) {
            return BranchRecord.of(Targets.readable(session, name, caller), caller);
        }
    }

    /**
     * Creates a branch.
     *
     * @param from a branch, for its head when the writer decides, or a commit id
     */
    public CompletableFuture<BranchRecord> create(WriteTerms terms, String name, String from) {
        checkName(name);
        return log.submit(session -> decideCreate(session, terms, name, from))
                .thenApply(branch -> BranchRecord.of(branch, terms.caller()));
    }

    /**
     * What the ref of a base names: the name of a branch, or a commit id.
     *
     * @throws ServiceException NOT_FOUND for what can only be a commit and is none that the caller may read
     */
    public String named(Caller caller, String ref, TimeBudget time) {
        if (ref.equals(Branch.MAIN) || Ulid.isUlid(ref)) {
            return ref;
        }
        try (GraphSession session = storage.session()) {
            return CommitRefs.base(session, ref, mayBeName(ref), caller, time);
        }
    }

    /**
     * The branch that a new one is made from; for a commit id the branch as it was when the commit was its head. A
     * caller who may read or export the new branch must be allowed to read the base: otherwise a copy under another
     * name would show the base's state. A commit is known to those who may read it only.
     *
     * @throws ServiceException SNAPSHOT_RECLAIMED when cleanup has removed the state of the commit
     */
    public static Branch base(GraphSession session, String from, String name, Caller caller) {
        if (CommitRefs.namesCommit(session, from, caller)) {
            return at(
                    session,
                    session.header(Targets.readableCommit(session, from, caller).offset()));
        }
        boolean shows = caller.may(Action.READ, name) || caller.may(Action.EXPORT, name);
        return shows ? Targets.readable(session, from, caller) : Targets.branch(session, from, caller);
    }

    /** A branch as it was when a commit, which was made on it, was its head. */
    private static Branch at(GraphSession session, CommitHeader commit) {
        CommitPosition position = new CommitPosition(commit.offset(), commit.incarnation());
        Targets.requireState(session, position.point());
        return Branch.at(commit, session.sequence(position) + 1);
    }

    /** The draft of a branch from a base. */
    public static WriteCommand.Draft.CreateBranch fork(GraphSession session, String name, Branch base, Origin origin) {
        Branch live = session.branchOf(base.incarnation());
        boolean past = live == null || !live.headPoint().equals(base.headPoint());
        return new WriteCommand.Draft.CreateBranch(name, base, past, origin);
    }

    /** The draft of a creation, or its refusal. */
    static WriteCommand.Draft.CreateBranch createDraft(
            WriteSession session, WriteTerms terms, String name, String from) {
        if (session.branch(name) != null) {
            throw ServiceException.conflict(Reason.EXISTS, "branch `" + name + "` exists already; choose another name");
        }
        return fork(session, name, base(session, from, name, terms.caller()), terms.origin());
    }

    private static WriteCommand.Decision<Branch> decideCreate(
            WriteSession session, WriteTerms terms, String name, String from) {
        WriteCommand.Draft.CreateBranch draft = createDraft(session, terms, name, from);
        return new WriteCommand.Decision.Append<>(draft, event -> created((Event.BranchCreated) event, draft.from()));
    }

    private static Branch created(Event.BranchCreated event, Branch base) {
        return new Branch(
                event.name(),
                event.incarnation(),
                event.fork().commit(),
                event.offset(),
                base.historyLength(),
                event.fork(),
                event.timeMicros(),
                event.actor());
    }

    public CompletableFuture<BranchRecord> delete(WriteTerms terms, String name) {
        return log.submit(session -> decideDelete(session, terms.caller(), name, terms.origin()))
                .thenApply(branch -> BranchRecord.of(branch, terms.caller()));
    }

    /** Deletes a branch unless it has moved on since its head was merged. */
    CompletableFuture<Branch> deleteMerged(Caller caller, Branch merged) {
        return log.submit(session -> {
            Branch branch = Targets.branch(session, merged.name(), caller);
            if (branch.incarnation() != merged.incarnation() || !branch.head().equals(merged.head())) {
                throw ServiceException.conflict("branch `"
                        + merged.name()
                        + "` has moved on since it was merged and was"
                        + " kept; merge it again");
            }
            return decideDelete(session, caller, merged.name(), Origin.of(caller.actor()));
        });
    }

    private static WriteCommand.Decision<Branch> decideDelete(
            WriteSession session, Caller caller, String name, Origin origin) {
        WriteCommand.Draft.DeleteBranch draft = deleteDraft(session, caller, name, origin);
        return new WriteCommand.Decision.Append<>(draft, event -> draft.branch());
    }

    /** The draft of a deletion, or its refusal. */
    static WriteCommand.Draft.DeleteBranch deleteDraft(
            WriteSession session, Caller caller, String name, Origin origin) {
        Branch branch = Targets.branch(session, name, caller);
        if (name.equals(Branch.MAIN)) {
            throw ServiceException.conflict("branch `main` cannot be deleted");
        }
        return new WriteCommand.Draft.DeleteBranch(branch, origin);
    }

    /** Refuses a name that is not allowed for branches. */
    public static void checkName(String name) {
        if (name.equals("merge")) {
            throw ServiceException.badRequest("branch name `merge` is reserved for the route of that name");
        }
        checkName("branch", name);
    }

    /**
     * Refuses a name that neither branches nor tags may have.
     *
     * @param what is named
     */
    static void checkName(String what, String name) {
        String fault = nameFault(name);
        if (fault != null) {
            throw ServiceException.badRequest(what + " name `" + name + "` " + fault);
        }
    }

    /** Whether a branch may have that name; a ref with a time or steps is none. */
    static boolean mayBeName(String name) {
        return nameFault(name) == null;
    }

    private static @Nullable String nameFault(String name) {
        if (name.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX) {
            return "is longer than " + NAME_BYTES_MAX + " bytes";
        }
        if (Ulid.isUlid(name.toUpperCase(Locale.ROOT))) {
            return "has the form of a commit id";
        }
        if (name.contains("..")) {
            return "must not have `..` in it, which is between two commits";
        }
        for (String segment : name.split("/", -1)) {
            if (!SEGMENT.matcher(segment).matches()) {
                return "must be segments of letters, digits, `.`, `_` and `-`, joined by `/`";
            }
            if (segment.equals(".")) {
                return "must not have a segment `.`";
            }
            if (segment.startsWith("__")) {
                return "must not have a segment that starts with `__`";
            }
        }
        return null;
    }
}
