package service.core.policy;

import java.util.Set;

/**
 * One permission of a bundle: the members of a group may do these actions.
 *
 * @param group one of the bundle's groups
 * @param scope the branches that it applies to; {@code ANY} for actions without a branch
 */
public record Rule(String id, String group, Set<Action> actions, BranchScope scope) {
    public Rule {
        actions = Set.copyOf(actions);
    }
}
