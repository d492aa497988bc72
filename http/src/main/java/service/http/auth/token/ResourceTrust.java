package service.http.auth.token;

import java.security.interfaces.RSAPublicKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.value.Sha256;

/**
 * One snapshot of the trust file of OIDC resource identities ({@code docs/credentials.md}). Immutable.
 *
 * @param binding what no later snapshot may change
 * @param expiresAt seconds since 1970; from then on the snapshot admits no token
 * @param keys RSA public keys by their {@code kid}
 * @param principals the id of each admitted principal by its subject
 * @param digest SHA-256 of the file's bytes, in hex
 */
record ResourceTrust(
        Binding binding,
        long revision,
        long expiresAt,
        Map<String, RSAPublicKey> keys,
        Map<String, String> principals,
        String digest) {
    static final int BYTES_MAX = 256 << 10;
    private static final int KEYS_MAX = 4;
    private static final int PRINCIPALS_MAX = 1_000;
    private static final long LIFETIME_SECONDS_MAX = 300;
    private static final long AHEAD_SECONDS_MAX = 30;
    private static final long MILLIS = 1_000;
    static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]{1,256}");

    private static final int SCOPES_MAX = 16;

    /** A scope of RFC 6749. */
    private static final Pattern SCOPE = Pattern.compile("[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}");

    private static final Set<String> MEMBERS = Set.of(
            "version",
            "revision",
            "generated_at",
            "expires_at",
            "issuer",
            "resource",
            "organization_id",
            "account_id",
            "cluster_id",
            "cluster_incarnation",
            "canonical_root",
            "keys",
            "principals");

    /**
     * What is the same in every snapshot.
     *
     * @param issuer the {@code iss} of every access token
     * @param resource the {@code aud} of every access token
     * @param scopes what the metadata tells clients to ask for; tokens are not compared with them
     * @param clientId the public client as which the console signs people in; null without one
     */
    record Binding(
            TrustBinding cluster,
            String accountId,
            String issuer,
            String resource,
            String organizationId,
            List<String> scopes,
            @Nullable String clientId) {}

    ResourceTrust {
        keys = Map.copyOf(keys);
        principals = Map.copyOf(principals);
    }

    boolean isExpired(long nowMillis) {
        return nowMillis >= expiresAt * MILLIS;
    }

    /** @throws TrustFileException naming the rule that the file breaks */
    static ResourceTrust parse(byte[] json, long nowMillis) {
        Members file = Members.parse(json, "the trust file", TrustFileException::new);
        file.exactly(MEMBERS, Set.of("scopes", "client_id")).requireVersionOne();
        long generatedAt = file.integer("generated_at");
        long expiresAt = file.integer("expires_at");
        long lifetime = expiresAt - generatedAt;
        if (lifetime <= 0 || lifetime > LIFETIME_SECONDS_MAX) {
            throw file.refuse("`expires_at` must be 1 to 300 seconds after `generated_at`");
        }
        if ((generatedAt - AHEAD_SECONDS_MAX) * MILLIS > nowMillis) {
            throw file.refuse("`generated_at` is more than 30 seconds in the future");
        }
        ResourceTrust trust = new ResourceTrust(
                binding(file), file.integer("revision"), expiresAt, keys(file), principals(file), Sha256.hex(json));
        if (trust.isExpired(nowMillis)) {
            throw file.refuse("it has expired");
        }
        return trust;
    }

    private static Binding binding(Members file) {
        Binding binding = new Binding(
                TrustBinding.of(file),
                file.id("account_id"),
                file.text("issuer"),
                file.text("resource"),
                file.id("organization_id"),
                file.optionalTexts(
                        "scopes",
                        SCOPES_MAX,
                        SCOPE,
                        "a scope of OAuth: 1 to 128 visible ASCII characters"
                                + " without quotation mark and backslash"),
                file.has("client_id") ? visible(file, "client_id") : null);
        if (!WebAddress.isAddress(binding.issuer)) {
            throw file.refuse("`issuer` must be an HTTPS address such as https://login.example");
        }
        if (!WebAddress.isAddress(binding.resource)) {
            throw file.refuse("`resource` must be an HTTPS address such as https://graph.example.com");
        }
        return binding;
    }

    /**
     * The keys as a provider publishes them; members that say nothing of their use, such as {@code x5c}, are ignored.
     */
    private static Map<String, RSAPublicKey> keys(Members file) {
        Map<String, RSAPublicKey> keys = new HashMap<>();
        for (Members key : file.objects("keys", 1, KEYS_MAX)) {
            key.withAll(Set.of("kid", "kty", "n", "e"));
            key.require("kty", "RSA", "RSA");
            key.requireIfGiven("use", "sig");
            key.requireIfGiven("alg", "RS256");
            if (keys.put(visible(key, "kid"), PublicKeys.rsa(key.text("n"), key.text("e"))) != null) {
                throw key.refuse("a `kid` occurs twice");
            }
        }
        return keys;
    }

    private static Map<String, String> principals(Members file) {
        Map<String, String> principals = new HashMap<>();
        for (Members principal : file.objects("principals", 0, PRINCIPALS_MAX)) {
            principal.exactly(Set.of("subject", "principal_id"));
            if (principals.put(visible(principal, "subject"), principal.id("principal_id")) != null) {
                throw principal.refuse("a `subject` occurs twice");
            }
        }
        return principals;
    }

    private static String visible(Members entry, String name) {
        String text = entry.text(name);
        if (!VISIBLE.matcher(text).matches()) {
            throw entry.refuse("`" + name + "` must be 1 to 256 visible ASCII characters");
        }
        return text;
    }
}
