package service.http.auth;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import service.core.config.Variable;
import service.core.error.StartRefusedException;
import service.http.auth.token.SignedTokens;
import service.http.auth.token.TrustBinding;

/**
 * The credentials that a server is configured with: static tokens and trust files. Close it after the server; it reads
 * the file of tokens and the trust file of OIDC identities again until then.
 */
public final class CredentialSources implements AutoCloseable {
    private static final long REFRESH_SECONDS = 5;

    /** The {@link #mode} of a server without authentication. */
    public static final String NO_AUTHENTICATION = "none";

    /** The trust file of signed data credentials. */
    public static final Variable.Text DATA_TOKEN_TRUST = new Variable.Text(
            "SERVICE_DATA_TOKEN_TRUST",
            "none",
            "a file",
            "the trust file of signed data credentials (`" + SignedTokens.DATA_OPTION + "`)");

    /** The trust file of OIDC identities. */
    public static final Variable.Text OIDC_IDENTITY_TRUST = new Variable.Text(
            "SERVICE_OIDC_IDENTITY_TRUST",
            "none",
            "a file",
            "the trust file of OIDC identities, read again every 5 seconds (`" + SignedTokens.OIDC_OPTION + "`)");

    /** The variables of trust files. */
    public static final List<Variable> TRUST_VARIABLES = List.of(DATA_TOKEN_TRUST, OIDC_IDENTITY_TRUST);

    private final @Nullable StaticTokenSource tokens;
    private final SignedTokens signed;
    private final boolean unauthenticated;
    private @Nullable ScheduledExecutorService refreshing;

    private CredentialSources(@Nullable StaticTokenSource tokens, SignedTokens signed, boolean unauthenticated) {
        this.tokens = tokens;
        this.signed = signed;
        this.unauthenticated = unauthenticated;
    }

    /**
     * Reads tokens and trust files; opens nothing else.
     *
     * @param environment the variables of the process, with the options of the command line
     * @param unauthenticated whether every caller is served when neither tokens nor trust files are configured
     * @param secrets reads the secret that holds the tokens; null in a build without it
     * @param verifiedTokensMax verified tokens that are kept
     * @throws StartRefusedException {@code token_source_invalid} or {@code trust_invalid}; its message never contains a
     *     token
     */
    public static CredentialSources read(
            Map<String, String> environment,
            boolean unauthenticated,
            @Nullable SecretSource secrets,
            int verifiedTokensMax) {
        return read(environment, unauthenticated, secrets, verifiedTokensMax, InstantSource.system());
    }

    /** {@link #read} with another clock. */
    public static CredentialSources read(
            Map<String, String> environment,
            boolean unauthenticated,
            @Nullable SecretSource secrets,
            int verifiedTokensMax,
            InstantSource clock) {
        StaticTokenSource tokens = StaticTokenSource.fromEnvironment(environment, secrets);
        SignedTokens signed = SignedTokens.read(
                path(DATA_TOKEN_TRUST, environment), path(OIDC_IDENTITY_TRUST, environment), clock, verifiedTokensMax);
        return new CredentialSources(tokens, signed, unauthenticated);
    }

    /** The sources of a server without authentication. */
    public static CredentialSources none() {
        return new CredentialSources(null, SignedTokens.read(null, null, InstantSource.system(), 1), true);
    }

    private static @Nullable String path(Variable.Text variable, Map<String, String> environment) {
        String path = variable.read(environment);
        if (path != null && path.isEmpty()) {
            throw new StartRefusedException(
                    "trust_invalid", variable.name() + " is empty; name a trust file or unset it");
        }
        return path;
    }

    /** How callers are authenticated, for the log: the kinds of credentials, or {@link #NO_AUTHENTICATION}. */
    public String mode() {
        List<String> kinds = new ArrayList<>();
        if (tokens != null) {
            kinds.add("static tokens");
        }
        if (signed.isConfigured()) {
            kinds.add("signed tokens");
        }
        return kinds.isEmpty() ? NO_AUTHENTICATION : String.join(", ", kinds);
    }

    /**
     * Chooses the authenticator by the table of {@code docs/security.md}, What starts. Call it before a graph is
     * opened.
     *
     * @param served the cluster that is served
     * @param hasPolicy whether a policy is applied to it
     * @throws StartRefusedException {@code trust_root_mismatch}, {@code policy_without_tokens} or
     *     {@code auth_not_configured}
     */
    public Authenticator authenticatorOf(TrustBinding served, boolean hasPolicy) {
        signed.requireServed(served);
        if (tokens != null || signed.isConfigured()) {
            return new BearerCredentials(tokens, signed.isConfigured() ? signed : null);
        }
        if (hasPolicy) {
            throw new StartRefusedException(
                    "policy_without_tokens",
                    "a policy is applied, but no request could have an actor; set SERVICE_SERVER_BEARER_TOKEN (or"
                            + " _TOKENS_JSON, _TOKENS_FILE), or give " + SignedTokens.DATA_OPTION + " or "
                            + SignedTokens.OIDC_OPTION);
        }
        if (!unauthenticated) {
            throw new StartRefusedException(
                    "auth_not_configured",
                    "no tokens are configured; set SERVICE_SERVER_BEARER_TOKEN (or _TOKENS_JSON, _TOKENS_FILE), give "
                            + SignedTokens.DATA_OPTION + " or " + SignedTokens.OIDC_OPTION
                            + ", or pass --unauthenticated to serve everyone who can reach the address");
        }
        return new Everyone();
    }

    /** Reads the files again now. Only one thread may do so. */
    public void refresh() {
        if (tokens != null) {
            tokens.refresh();
        }
        signed.refresh();
    }

    /** Reads the files every five seconds from now on, on a thread of this object, until it is closed. */
    public void start() {
        if (tokens == null && !signed.isConfigured()) {
            return;
        }
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("credentials").factory());
        refreshing = thread;
        var unused = thread.scheduleWithFixedDelay(this::refresh, REFRESH_SECONDS, REFRESH_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        ScheduledExecutorService thread = refreshing;
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
