package service.core.graph.branch;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.Event;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.Targets;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitLog;
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

    public CompletableFuture<BranchRecord> create(Caller caller, String name, String from) {
        checkName(name);
        return log.submit(session -> decideCreate(session, caller, name, from))
                .thenApply(branch -> BranchRecord.of(branch, caller));
    }

    /**
     * The branch that a new one is made from. A caller who may read or export the new branch must be allowed to read
     * the base: otherwise a copy under another name would show the base's state.
     */
    public static Branch base(GraphSession session, String from, String name, Caller caller) {
        boolean shows = caller.may(Action.READ, name) || caller.may(Action.EXPORT, name);
        return shows ? Targets.readable(session, from, caller) : Targets.branch(session, from, caller);
    }

    /** The draft of a creation, or its refusal. */
    static WriteCommand.Draft createDraft(WriteSession session, Caller caller, String name, String from) {
        return draft(decideCreate(session, caller, name, from));
    }

    /** The draft of a deletion, or its refusal. */
    static WriteCommand.Draft deleteDraft(WriteSession session, Caller caller, String name) {
        return draft(decideDelete(session, caller, name));
    }

    private static WriteCommand.Draft draft(WriteCommand.Decision.Append<Branch> decision) {
        return decision.draft();
    }

    private static WriteCommand.Decision.Append<Branch> decideCreate(
            WriteSession session, Caller caller, String name, String from) {
        if (session.branch(name) != null) {
            throw ServiceException.conflict(Reason.EXISTS, "branch `" + name + "` exists already; choose another name");
        }
        Branch base = base(session, from, name, caller);
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.CreateBranch(name, base, caller.actor()),
                event -> created((Event.BranchCreated) event, base));
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

    public CompletableFuture<BranchRecord> delete(Caller caller, String name) {
        return log.submit(session -> decideDelete(session, caller, name))
                .thenApply(branch -> BranchRecord.of(branch, caller));
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
            return decideDelete(session, caller, merged.name());
        });
    }

    private static WriteCommand.Decision.Append<Branch> decideDelete(WriteSession session, Caller caller, String name) {
        Branch branch = Targets.branch(session, name, caller);
        if (name.equals(Branch.MAIN)) {
            throw ServiceException.conflict("branch `main` cannot be deleted");
        }
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.DeleteBranch(branch, caller.actor()), event -> branch);
    }

    /** Refuses a name that is not allowed for branches. */
    public static void checkName(String name) {
        String fault = nameFault(name);
        if (fault != null) {
            throw ServiceException.badRequest("branch name `" + name + "` " + fault);
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
        if (name.equals("merge")) {
            return "is reserved for the route of that name";
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
