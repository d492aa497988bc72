package service.http.auth;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.policy.Permissions;
import service.core.policy.PolicyBundle;

/**
 * The decisions of the applied policies, prepared for every actor that they name. What no policy allows is denied: to
 * actors that no group has, on graphs without a bundle, and on the routes of the server without a bundle of the
 * cluster. A look-up allocates nothing. Immutable; any thread.
 */
final class PolicyTable implements Policies {
    private static final Permissions NOTHING = Permissions.OnEveryBranch.NOTHING;

    /** Permissions by graph and actor. */
    private final Map<String, Map<String, Permissions>> graphs = new HashMap<>();

    private final Map<String, Permissions> cluster;

    PolicyTable(Map<String, PolicyBundle> graphs, @Nullable PolicyBundle cluster) {
        graphs.forEach((graph, bundle) -> this.graphs.put(graph, byActor(bundle)));
        this.cluster = cluster == null ? Map.of() : byActor(cluster);
    }

    private static Map<String, Permissions> byActor(PolicyBundle bundle) {
        Set<String> actors = new HashSet<>();
        bundle.groups().values().forEach(actors::addAll);
        Map<String, Permissions> permissions = new HashMap<>();
        actors.forEach(actor -> permissions.put(actor, Permissions.of(bundle, actor)));
        return permissions;
    }

    @Override
    public Permissions of(Credential credential, @Nullable String graph) {
        String actor = credential.actor();
        if (actor == null) {
            return NOTHING;
        }
        return (graph == null ? cluster : graphs.getOrDefault(graph, Map.of())).getOrDefault(actor, NOTHING);
    }
}
