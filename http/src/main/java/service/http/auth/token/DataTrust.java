package service.http.auth.token;

import java.security.interfaces.ECPublicKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import service.core.error.StartRefusedException;

/**
 * The trust file of signed data credentials ({@code docs/credentials.md}). Immutable.
 *
 * @param issuer an origin
 * @param keys the public keys on P-256 by their {@code kid}
 */
record DataTrust(TrustBinding cluster, String accountId, String issuer, Map<String, ECPublicKey> keys) {
    static final int BYTES_MAX = 64 << 10;
    private static final int KEYS_MAX = 4;
    private static final String AUDIENCE = "urn:service:data:";

    private static final Set<String> MEMBERS = Set.of(
            "version",
            "canonical_root",
            "account_id",
            "cluster_id",
            "cluster_incarnation",
            "issuer",
            "audience",
            "keys");

    DataTrust {
        keys = Map.copyOf(keys);
    }

    /** The {@code aud} of every credential. */
    String audience() {
        return AUDIENCE + cluster.clusterId();
    }

    /**
     * Reads and checks the file.
     *
     * @param option the option that names the file
     * @throws StartRefusedException {@code trust_invalid}
     */
    static DataTrust read(String path, String option) {
        try {
            return parse(TrustFiles.read(path, BYTES_MAX));
        } catch (TrustFileException e) {
            throw new StartRefusedException(
                    "trust_invalid",
                    "the file of %s, `%s`, is refused: %s; have the issuer write it again"
                            .formatted(option, path, e.getMessage()));
        }
    }

    /** @throws TrustFileException naming the rule that the file breaks */
    static DataTrust parse(byte[] json) {
        Members file = Members.parse(json, "the trust file", TrustFileException::new);
        file.exactly(MEMBERS).requireVersionOne();
        DataTrust trust = new DataTrust(TrustBinding.of(file), file.id("account_id"), file.text("issuer"), keys(file));
        if (!WebAddress.isOrigin(trust.issuer)) {
            throw file.refuse("`issuer` must be an HTTPS origin such as https://issuer.example");
        }
        file.require("audience", trust.audience(), "`" + AUDIENCE + "` and the cluster id");
        return trust;
    }

    private static Map<String, ECPublicKey> keys(Members file) {
        Map<String, ECPublicKey> keys = new LinkedHashMap<>();
        for (Members key : file.objects("keys", 1, KEYS_MAX)) {
            key.exactly(Set.of("kid", "public_key_pem"));
            String kid = key.text("kid");
            if (keys.put(kid, PublicKeys.ellipticCurve(key.text("public_key_pem"), kid)) != null) {
                throw key.refuse("a `kid` occurs twice");
            }
        }
        return keys;
    }
}
