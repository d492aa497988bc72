package service.core.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A policy: groups of actors, and rules that allow actions to their members. An action that no rule allows is denied.
 * The same evaluator decides at the HTTP boundary and inside the engine ({@code docs/policies.md}). Immutable; any
 * thread.
 *
 * @param groups actors by group
 * @param rules in the order of the file
 */
public record PolicyBundle(Map<String, Set<String>> groups, ProtectedBranches protectedBranches, List<Rule> rules) {
    /** The branch of an access that names none. */
    public static final String DEFAULT_BRANCH = "main";

    public PolicyBundle {
        groups = Map.copyOf(groups);
        rules = List.copyOf(rules);
    }

    /**
     * Decides one access.
     *
     * @param actor null for an unauthenticated caller, to whom every action is denied
     * @param branch the branch that the action applies to; ignored for actions without one
     */
    public Decision decide(@Nullable String actor, Action action, String branch) {
        boolean isProtected = protectedBranches.contains(branch);
        List<Decision.Miss> misses = new ArrayList<>();
        for (Rule rule : rules) {
            if (allows(rule, actor, action, isProtected)) {
                return new Decision.Allowed(rule);
            }
            misses.add(new Decision.Miss(rule, missed(rule, actor, action, branch, isProtected)));
        }
        return new Decision.Denied(misses);
    }

    /** {@link #decide} for every branch that is protected, or for every branch that is not; without the reasons. */
    boolean allows(@Nullable String actor, Action action, boolean isProtected) {
        return rules.stream().anyMatch(rule -> allows(rule, actor, action, isProtected));
    }

    /** Whether some rule names the actor. */
    public boolean names(@Nullable String actor) {
        return rules.stream().anyMatch(rule -> isMember(actor, rule));
    }

    private boolean allows(Rule rule, @Nullable String actor, Action action, boolean isProtected) {
        return isMember(actor, rule)
                && rule.actions().contains(action)
                && (!action.isOfBranch() || rule.scope().covers(isProtected));
    }

    /** The first condition of a rule that does not hold. */
    private String missed(Rule rule, @Nullable String actor, Action action, String branch, boolean isProtected) {
        if (!isMember(actor, rule)) {
            return actor == null ? "there is no actor" : "actor `" + actor + "` is not in group `" + rule.group() + "`";
        }
        if (!rule.actions().contains(action)) {
            return "it does not allow `" + action.wireName() + "`";
        }
        return "branch `%s` is %s, and the rule is for %s branches"
                .formatted(
                        branch,
                        isProtected ? "protected" : "unprotected",
                        rule.scope().wireName());
    }

    private boolean isMember(@Nullable String actor, Rule rule) {
        return actor != null && groups.getOrDefault(rule.group(), Set.of()).contains(actor);
    }
}
