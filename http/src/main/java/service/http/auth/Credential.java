package service.http.auth;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.policy.Action;
import service.http.auth.token.VerifiedToken;

/**
 * A verified credential: who calls, and the limits that the credential itself sets. Immutable.
 *
 * @param actor the author of the holder's commits; null on a server without authentication
 * @param grants the actions by graph that a restricted credential grants; empty for other kinds
 * @param tokenId {@code jti} of a signed token, for the log only; null when there is none
 */
public record Credential(
        @Nullable String actor,
        Kind kind,
        Map<String, Set<Action>> grants,
        @Nullable String tokenId) {
    /** The kinds of credentials. */
    public enum Kind {
        /** No credential, on a server without authentication or on a public route. */
        ANONYMOUS,
        /** A static token. */
        STATIC,
        /** A signed data credential of version 1: it carries grants. */
        RESTRICTED,
        /** A signed data credential of version 2. */
        IDENTITY,
        /** An OIDC access token. */
        OIDC
    }

    /** No credential. */
    public static final Credential ANONYMOUS = new Credential(null, Kind.ANONYMOUS, Map.of(), null);

    public Credential {
        grants = Map.copyOf(grants);
    }

    /** A static token of the actor. */
    public static Credential ofActor(String actor) {
        return new Credential(actor, Kind.STATIC, Map.of(), null);
    }

    static Credential of(VerifiedToken token) {
        Kind kind = switch (token.profile()) {
            case RESTRICTED -> Kind.RESTRICTED;
            case IDENTITY -> Kind.IDENTITY;
            case OIDC -> Kind.OIDC;
        };
        return new Credential(token.actor(), kind, token.grants(), token.tokenId());
    }

    /** Whether the credential may name this graph at all. Needs no look-up of the graph. */
    public boolean reaches(String graph) {
        return kind != Kind.RESTRICTED || grants.containsKey(graph);
    }

    /**
     * Whether the credential leaves the action to the policy. Only the grants of a restricted credential limit it. An
     * action is permitted when this and {@link Policies} both allow it.
     *
     * @param graph null for a route of the server; a grant for any graph suffices there
     */
    public boolean allows(@Nullable String graph, Action action) {
        if (kind != Kind.RESTRICTED) {
            return true;
        }
        if (graph == null) {
            return grants.values().stream().anyMatch(granted -> granted.contains(action));
        }
        return grants.getOrDefault(graph, Set.of()).contains(action);
    }

    /** Whether the credential proves an identity that may discover graphs. */
    public boolean hasIdentity() {
        return switch (kind) {
            case IDENTITY, OIDC -> true;
            case ANONYMOUS, STATIC, RESTRICTED -> false;
        };
    }
}
