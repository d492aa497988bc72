package service.core.graph.feed;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.event.CommitReader;
import service.core.event.Fork;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.GraphSession;

/**
 * Decides which blocks of a branch's history a caller gets. A caller who may read the branch gets the blocks since it
 * was made, those of fast-forwards included. An earlier block came to the branch from which this one was made: the
 * caller gets it with the right to read that branch, or the branch on which the commit was made. A poll passes over all
 * other blocks, as a list of commits does. One thread, within one session.
 */
final class ShownBlocks {
    /** The blocks after an offset, up to those of the part before: they came to a branch while it had this name. */
    private record Part(long after, String branch) {}

    private final Caller caller;
    private final Map<String, Boolean> asked = new HashMap<>();
    private final List<Part> parts;

    private ShownBlocks(Caller caller, List<Part> parts) {
        this.caller = caller;
        this.parts = parts;
    }

    /** @param from the offset of a commit of the history; blocks after it are asked for */
    static ShownBlocks of(GraphSession session, Branch branch, Caller caller, long from) {
        List<Part> parts = new ArrayList<>();
        String name = branch.name();
        Branch at = branch;
        while (at != null) {
            Fork fork = at.fork();
            if (fork == null) {
                parts.add(new Part(-1, name));
                break;
            }
            if (from >= fork.offset()) {
                parts.add(new Part(from, name));
                break;
            }
            parts.add(new Part(forkOffset(session, fork), name));
            name = fork.parentName();
            at = session.branchOf(fork.parentIncarnation());
        }
        return new ShownBlocks(caller, parts);
    }

    private static long forkOffset(GraphSession session, Fork fork) {
        return Objects.requireNonNull(session.position(fork.commit()), "the commit of a fork")
                .offset();
    }

    boolean shows(CommitReader commit) {
        String owner = owner(commit.offset());
        if (owner != null && (owner.equals(parts.getFirst().branch) || mayRead(owner))) {
            return true;
        }
        byte[] name = new byte[commit.branchLength()];
        commit.buffer().getBytes(commit.branchPosition(), name);
        return mayRead(new String(name, StandardCharsets.UTF_8));
    }

    /** The branch to which a commit came; null where that branch descends from a deleted one. */
    private @Nullable String owner(long offset) {
        for (Part part : parts) {
            if (offset > part.after) {
                return part.branch;
            }
        }
        return null;
    }

    private boolean mayRead(String branch) {
        return asked.computeIfAbsent(branch, name -> caller.may(Action.READ, name));
    }

    /** The branches that were asked about, besides the branch itself, and whether the caller may read them. */
    Map<String, Boolean> asked() {
        return asked;
    }
}
