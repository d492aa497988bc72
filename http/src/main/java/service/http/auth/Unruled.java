package service.http.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.policy.Action;
import service.core.policy.Permissions;

/**
 * What callers may do where no policy is applied. Immutable.
 *
 * @param onServer what everyone may do on the routes of a server without authentication
 */
record Unruled(Permissions onServer) implements Policies {
    private static final Permissions READ_ONLY = new Permissions.OnEveryBranch(Set.of(Action.READ));
    private static final Permissions NOTHING = Permissions.OnEveryBranch.NOTHING;

    /** Everything but the list of the graphs. */
    static final Permissions UNLISTED = new Permissions() {
        @Override
        public boolean allow(Action action, String branch) {
            return allowSomewhere(action);
        }

        @Override
        public boolean allowSomewhere(Action action) {
            return action != Action.GRAPH_LIST;
        }

        @Override
        public String reason() {
            return ": a server without authentication lists its graphs when it is started with --list-graphs"
                    + " (SERVICE_LIST_GRAPHS=1)";
        }

        @Override
        public boolean isProtected(String branch) {
            return false;
        }
    };

    @Override
    public Permissions of(Credential credential, @Nullable String graph) {
        return switch (credential.kind()) {
            case ANONYMOUS -> graph == null ? onServer : Permissions.OnEveryBranch.ALL;
            case STATIC -> READ_ONLY;
            case RESTRICTED, IDENTITY, OIDC -> NOTHING;
        };
    }
}
