package service.http.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.policy.Action;

/**
 * A verified caller.
 *
 * @param actor the author of the caller's commits; null on a server without authentication
 * @param actions the actions that the caller may do, on every graph and branch
 */
public record Caller(@Nullable String actor, Set<Action> actions) {
    public Caller {
        actions = Set.copyOf(actions);
    }

    public boolean may(Action action) {
        return actions.contains(action);
    }
}
