package service.http.auth;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.policy.Action;
import service.core.policy.Permissions;
import service.core.policy.PolicyBundle;

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
     * The applied policies.
     *
     * @param graphs the bundle that is bound to each graph
     * @param cluster the bundle that is bound to the cluster, or null
     */
    static Policies of(Map<String, PolicyBundle> graphs, @Nullable PolicyBundle cluster) {
        return new PolicyTable(graphs, cluster);
    }

    /**
     * A cluster without policy: without authentication everything is allowed, a static token may read, and signed
     * tokens may do nothing.
     */
    Policies NONE = new Policies() {
        private static final Permissions READ_ONLY = new Permissions.OnEveryBranch(Set.of(Action.READ));
        private static final Permissions NOTHING = Permissions.OnEveryBranch.NOTHING;

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
