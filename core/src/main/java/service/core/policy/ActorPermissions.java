package service.core.policy;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of a policy for one actor. The scope of a rule distinguishes branches only by whether they are
 * protected, so {@link PolicyBundle} decides each action for both kinds of branches in advance. A decision is then a
 * look-up, and a comparison of the branch's name with the protected names where the two kinds differ. It allocates
 * nothing. Immutable; any thread.
 */
final class ActorPermissions implements Permissions {
    private final ProtectedBranches protectedBranches;
    private final Set<Action> onProtected = EnumSet.noneOf(Action.class);
    private final Set<Action> onOthers = EnumSet.noneOf(Action.class);

    /** @param actor null for an unauthenticated caller, who may do nothing */
    ActorPermissions(PolicyBundle policy, @Nullable String actor) {
        protectedBranches = policy.protectedBranches();
        for (Action action : Action.values()) {
            if (policy.allows(actor, action, true)) {
                onProtected.add(action);
            }
            if (policy.allows(actor, action, false)) {
                onOthers.add(action);
            }
        }
    }

    @Override
    public boolean allow(Action action, String branch) {
        boolean ofProtected = onProtected.contains(action);
        boolean ofOthers = onOthers.contains(action);
        return ofProtected == ofOthers ? ofProtected : ofProtected == protectedBranches.contains(branch);
    }

    @Override
    public boolean allowSomewhere(Action action) {
        return onProtected.contains(action) || onOthers.contains(action);
    }

    @Override
    public boolean allowEverywhere(Action action) {
        return onProtected.contains(action) && onOthers.contains(action);
    }

    @Override
    public String reason() {
        return NO_RULE;
    }

    @Override
    public boolean isProtected(String branch) {
        return protectedBranches.contains(branch);
    }
}
