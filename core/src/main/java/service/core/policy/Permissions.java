package service.core.policy;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what one caller may do on one graph. Any thread; must not block, because it is asked on the writer thread.
 */
public interface Permissions {
    /**
     * Whether the caller may do the action.
     *
     * @param branch the branch that the action applies to; ignored for actions without one
     */
    boolean allow(Action action, String branch);

    /**
     * Whether the caller may do the action on some branch: where the branch is not known yet, and for a state that a
     * commit names.
     */
    boolean allowSomewhere(Action action);

    /** Whether the caller may do the action on every branch; false where that depends on the branch's name. */
    default boolean allowEverywhere(Action action) {
        return false;
    }

    /** The reason of a denial by a policy. It is the same where no bundle binds the graph, which callers cannot see. */
    String NO_RULE = ": no rule of an applied policy allows it";

    /** The reason of a denial on a server with static tokens and no policy. */
    String READS_ONLY = ": tokens without a policy allow reads only; add a policy to cluster.yaml, apply it and restart"
            + " the server";

    /** The permissions of an actor by a policy; null for an unauthenticated caller, who may do nothing. */
    static Permissions of(PolicyBundle policy, @Nullable String actor) {
        return new ActorPermissions(policy, actor);
    }

    /** Why an action is denied, as the end of a sentence that begins with {@code :}; empty where nothing is known. */
    default String reason() {
        return "";
    }

    /** Whether the policy protects the branch. */
    boolean isProtected(String branch);

    /** The same actions on every branch, where there is no policy. */
    record OnEveryBranch(Set<Action> actions) implements Permissions {
        /** No action. */
        public static final OnEveryBranch NOTHING = new OnEveryBranch(Set.of());

        /** Every action. */
        public static final OnEveryBranch ALL = new OnEveryBranch(Set.of(Action.values()));

        public OnEveryBranch {
            actions = Set.copyOf(actions);
        }

        @Override
        public boolean allow(Action action, String branch) {
            return actions.contains(action);
        }

        @Override
        public boolean allowSomewhere(Action action) {
            return actions.contains(action);
        }

        @Override
        public boolean allowEverywhere(Action action) {
            return actions.contains(action);
        }

        @Override
        public String reason() {
            return actions.contains(Action.READ) ? READS_ONLY : NO_RULE;
        }

        @Override
        public boolean isProtected(String branch) {
            return ProtectedBranches.DEFAULT.contains(branch);
        }
    }
}
