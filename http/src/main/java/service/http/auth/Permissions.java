package service.http.auth;

import org.jspecify.annotations.Nullable;
import service.core.policy.Action;

/**
 * Decides what callers may do, besides the grants of their credential ({@link Caller#allows}). Thread rule: any thread;
 * must not block.
 */
@FunctionalInterface
public interface Permissions {
    /**
     * Whether the caller may do the action.
     *
     * @param graph null for a route of the server
     */
    boolean allow(Caller caller, @Nullable String graph, Action action);

    /**
     * A cluster without policy: without authentication everything is allowed, a static token may read, and signed
     * tokens may do nothing.
     */
    Permissions WITHOUT_POLICY = (caller, graph, action) -> switch (caller.kind()) {
        case ANONYMOUS -> true;
        case STATIC -> action == Action.READ;
        case RESTRICTED, IDENTITY, OIDC -> false;
    };
}
