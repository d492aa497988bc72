package service.http.auth.token;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.StartRefusedException;

/**
 * Verifies signed tokens of every kind that is configured, and keeps the verified ones. Any thread.
 *
 * <p>The key of the cache is the SHA-256 of the token as it was sent. A hit checks the times of the token again, and an
 * access token is verified again whenever the trust file has changed. Refused tokens are not kept, so that a sender of
 * bad tokens cannot push good ones out.
 */
public final class SignedTokens {
    /** The option of {@link #read} that names the trust file of data credentials. */
    public static final String DATA_OPTION = "--data-token-trust";

    /** The option of {@link #read} that names the trust file of OIDC identities. */
    public static final String OIDC_OPTION = "--oidc-identity-trust";

    private final @Nullable DataTrust data;
    private final @Nullable ResourceTrustFile oidc;
    private final InstantSource clock;
    private final Cache<ByteBuffer, Kept> kept;

    /** @param trust the snapshot that admitted an access token; null for data credentials */
    private record Kept(VerifiedToken token, @Nullable ResourceTrust trust) {}

    private SignedTokens(@Nullable DataTrust data, @Nullable ResourceTrustFile oidc, InstantSource clock, int keptMax) {
        this.data = data;
        this.oidc = oidc;
        this.clock = clock;
        this.kept = Caffeine.newBuilder()
                .maximumSize(keptMax)
                .executor(Runnable::run)
                .build();
    }

    /**
     * Reads and checks the trust files.
     *
     * @param dataPath path of the file for data credentials, or null
     * @param oidcPath path of the file for OIDC identities, or null
     * @param keptMax verified tokens that are kept at most
     * @throws StartRefusedException {@code trust_invalid}
     */
    public static SignedTokens read(
            @Nullable String dataPath, @Nullable String oidcPath, InstantSource clock, int keptMax) {
        return new SignedTokens(
                dataPath == null ? null : DataTrust.read(dataPath, DATA_OPTION),
                oidcPath == null ? null : ResourceTrustFile.read(oidcPath, OIDC_OPTION, clock),
                clock,
                keptMax);
    }

    /** Whether a trust file is configured. */
    public boolean isConfigured() {
        return data != null || oidc != null;
    }

    /**
     * Refuses trust files that are for another cluster.
     *
     * @throws StartRefusedException {@code trust_root_mismatch}
     */
    public void requireServed(TrustBinding served) {
        if (data != null) {
            data.cluster().requireServed(served, DATA_OPTION);
        }
        if (oidc != null) {
            oidc.current().binding().cluster().requireServed(served, OIDC_OPTION);
        }
    }

    /** Reads the trust file of OIDC identities again. Only one thread may do so. */
    public void refresh() {
        if (oidc != null) {
            oidc.refresh();
        }
    }

    /** The resource that access tokens are for; null without OIDC identities. */
    public @Nullable ProtectedResource protectedResource() {
        if (oidc == null) {
            return null;
        }
        ResourceTrust.Binding binding = oidc.current().binding();
        return new ProtectedResource(binding.resource(), binding.issuer(), binding.scopes(), binding.clientId());
    }

    /** Number of verified tokens that are kept. */
    long kept() {
        kept.cleanUp();
        return kept.estimatedSize();
    }

    /** Whether a text has three segments of base64url characters, as every signed token has. */
    public static boolean hasShape(String text) {
        return CompactToken.hasShape(text);
    }

    /**
     * Returns what a token that was verified before says, if it is valid now; null when it has to be verified.
     *
     * @param digest SHA-256 of the token
     * @throws TokenRefusedException when it has expired
     */
    public @Nullable VerifiedToken kept(byte[] digest) {
        Kept known = kept.getIfPresent(ByteBuffer.wrap(digest));
        return known != null && stillServes(known, clock.millis()) ? known.token() : null;
    }

    /**
     * Verifies a token at the present time.
     *
     * @param digest SHA-256 of the token
     * @throws TokenRefusedException naming the rule that it breaks
     */
    public VerifiedToken verify(String token, byte[] digest) {
        return keptOrVerified(token, digest).token();
    }

    private Kept keptOrVerified(String token, byte[] digest) {
        ByteBuffer key = ByteBuffer.wrap(digest);
        long now = clock.millis();
        Kept known = kept.getIfPresent(key);
        if (known != null && stillServes(known, now)) {
            return known;
        }
        Kept verified = verifyNow(token, now);
        kept.put(key, verified);
        return verified;
    }

    /**
     * Returns a check whether a token that was verified would still be accepted, for the same actor. One thread at a
     * time.
     *
     * @param token gives the token where its signature has to be verified again
     * @param digest SHA-256 of the token
     */
    public BooleanSupplier standing(Supplier<String> token, byte[] digest, String actor) {
        return new Standing(token, digest, actor);
    }

    private final class Standing implements BooleanSupplier {
        private final Supplier<String> token;
        private final byte[] digest;
        private final String actor;
        private @Nullable Kept last;

        Standing(Supplier<String> token, byte[] digest, String actor) {
            this.token = token;
            this.digest = digest;
            this.actor = actor;
        }

        @Override
        public boolean getAsBoolean() {
            try {
                Kept known = last;
                if (known == null || !stillServes(known, clock.millis())) {
                    known = keptOrVerified(token.get(), digest);
                    last = known;
                }
                return known.token().actor().equals(actor);
            } catch (TokenRefusedException e) {
                return false;
            }
        }
    }

    private boolean stillServes(Kept known, long now) {
        ResourceTrust trust = known.trust();
        if (trust != null) {
            if (oidc == null || !trust.digest().equals(oidc.current().digest())) {
                return false;
            }
            new AccessTokens(trust).requireCurrent(now);
        }
        known.token().times().check(now);
        return true;
    }

    private Kept verifyNow(String token, long now) {
        CompactToken parsed = CompactToken.parse(token);
        String algorithm = parsed.header().textOrNull("alg");
        if (data != null && DataCredentials.ALGORITHM.equals(algorithm)) {
            return new Kept(new DataCredentials(data).verify(parsed, token.length(), now), null);
        }
        if (oidc != null && AccessTokens.ALGORITHM.equals(algorithm)) {
            ResourceTrust trust = oidc.current();
            return new Kept(new AccessTokens(trust).verify(parsed, token.length(), now), trust);
        }
        throw new TokenRefusedException("the header: `alg` is not one that is configured");
    }
}
