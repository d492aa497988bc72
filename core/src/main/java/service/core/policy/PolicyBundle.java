package service.core.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A policy: groups of actors, and rules that allow actions to their members. An action that no rule allows is denied.
 * The same evaluator decides at the HTTP boundary and inside the engine ({@code cluster.md} §5). Immutable; any thread.
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
        List<Decision.Miss> misses = new ArrayList<>();
        for (Rule rule : rules) {
            String missed = missed(rule, actor, action, branch);
            if (missed == null) {
                return new Decision.Allowed(rule);
            }
            misses.add(new Decision.Miss(rule, missed));
        }
        return new Decision.Denied(misses);
    }

    /** Whether some rule allows the action to the actor on some branch. */
    public boolean allowsSomewhere(@Nullable String actor, Action action) {
        return rules.stream().anyMatch(rule -> rule.actions().contains(action) && isMember(actor, rule));
    }

    /** Whether some rule names the actor. */
    public boolean names(@Nullable String actor) {
        return rules.stream().anyMatch(rule -> isMember(actor, rule));
    }

    private @Nullable String missed(Rule rule, @Nullable String actor, Action action, String branch) {
        if (!isMember(actor, rule)) {
            return actor == null ? "there is no actor" : "actor `" + actor + "` is not in group `" + rule.group() + "`";
        }
        if (!rule.actions().contains(action)) {
            return "it does not allow `" + action.wireName() + "`";
        }
        if (action.isOfBranch()) {
            boolean isProtected = protectedBranches.contains(branch);
            if (!rule.scope().covers(isProtected)) {
                return "branch `%s` is %s, and the rule is for %s branches"
                        .formatted(
                                branch,
                                isProtected ? "protected" : "unprotected",
                                rule.scope().wireName());
            }
        }
        return null;
    }

    private boolean isMember(@Nullable String actor, Rule rule) {
        return actor != null && groups.getOrDefault(rule.group(), Set.of()).contains(actor);
    }
}
