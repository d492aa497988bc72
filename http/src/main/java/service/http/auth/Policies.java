package service.http.auth;

import java.util.Map;
import org.jspecify.annotations.Nullable;
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
     * A cluster without policy: without authentication everything is allowed but to list the graphs, which takes a
     * policy of the cluster; a static token may read, and signed tokens may do nothing.
     */
    Policies NONE = new Unruled(Unruled.UNLISTED);

    /** {@link #NONE}, and without authentication everyone may list the graphs ({@code --list-graphs}). */
    Policies LISTING = new Unruled(Permissions.OnEveryBranch.ALL);
}
