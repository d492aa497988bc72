package service.http.auth;

import org.jspecify.annotations.Nullable;
import service.core.policy.Action;

/** A caller and the permissions that apply to it: grants and permissions must both allow an action. Immutable. */
public record Rights(Caller caller, Permissions permissions) {
    /**
     * Whether the caller may do the action.
     *
     * @param graph null for a route of the server
     */
    public boolean may(@Nullable String graph, Action action) {
        return caller.allows(graph, action) && permissions.allow(caller, graph, action);
    }
}
