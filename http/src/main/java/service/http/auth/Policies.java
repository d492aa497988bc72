package service.http.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.policy.Action;
import service.core.policy.Permissions;

/**
 * Gives the permissions of a credential on a graph, before the grants of the credential limit them. Thread rule: any
 * thread; must not block.
 */
@FunctionalInterface
public interface Policies {
    /**
     * What the holder of the credential may do.
     *
     * @param graph null for the routes of the server
     */
    Permissions of(Credential credential, @Nullable String graph);

    /**
     * A cluster without policy: without authentication everything is allowed, a static token may read, and signed
     * tokens may do nothing.
     */
    Policies NONE = new Policies() {
        private static final Permissions READ_ONLY = new Permissions.OnEveryBranch(Set.of(Action.READ));
        private static final Permissions NOTHING = new Permissions.OnEveryBranch(Set.of());

        @Override
        public Permissions of(Credential credential, @Nullable String graph) {
            return switch (credential.kind()) {
                case ANONYMOUS -> Permissions.OnEveryBranch.ALL;
                case STATIC -> READ_ONLY;
                case RESTRICTED, IDENTITY, OIDC -> NOTHING;
            };
        }
    };
}
