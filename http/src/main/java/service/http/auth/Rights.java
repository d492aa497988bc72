package service.http.auth;

import org.jspecify.annotations.Nullable;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.policy.Permissions;

/** A credential and the policies that apply to it: its grants and its policy must both allow an action. Immutable. */
public record Rights(Credential credential, Policies policies) {
    /**
     * The caller of a graph, with everything that the credential and the policy allow there.
     *
     * @param graph null for the routes of the server
     */
    public Caller on(@Nullable String graph) {
        Permissions policy = policies.of(credential, graph);
        boolean limited = credential.kind() == Credential.Kind.RESTRICTED;
        return new Caller(credential.actor(), limited ? new Granted(credential, graph, policy) : policy);
    }

    /** The permissions of a policy, within the grants of a restricted credential. */
    private record Granted(Credential credential, @Nullable String graph, Permissions policy) implements Permissions {
        @Override
        public boolean allow(Action action, String branch) {
            return credential.allows(graph, action) && policy.allow(action, branch);
        }

        @Override
        public boolean allowSomewhere(Action action) {
            return credential.allows(graph, action) && policy.allowSomewhere(action);
        }

        @Override
        public boolean allowEverywhere(Action action) {
            return credential.allows(graph, action) && policy.allowEverywhere(action);
        }

        @Override
        public boolean isProtected(String branch) {
            return policy.isProtected(branch);
        }
    }
}
