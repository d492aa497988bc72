package service.core.testkit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/** Makes keys, trust files and signed tokens as an issuer does. It follows RFC 7515 and not the code under test. */
public final class TokenIssuer {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final KeyPair pair;
    private final String algorithm;
    private final String signature;

    private TokenIssuer(KeyPair pair, String algorithm, String signature) {
        this.pair = pair;
        this.algorithm = algorithm;
        this.signature = signature;
    }

    /** An issuer with a new key on P-256. */
    public static TokenIssuer es256() {
        return ofCurve("secp256r1");
    }

    /** An issuer with a new key on another curve, which names its algorithm ES256 all the same. */
    public static TokenIssuer ofCurve(String curve) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(curve));
            return new TokenIssuer(generator.generateKeyPair(), "ES256", "SHA256withECDSAinP1363Format");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An issuer with the RSA key of this process. To make one takes most of a second. */
    public static TokenIssuer rs256() {
        return OfProcess.PROVIDER;
    }

    private static final class OfProcess {
        static final TokenIssuer PROVIDER = rs256(2_048);
    }

    /** An issuer with a new RSA key. */
    public static TokenIssuer rs256(int bits) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(bits);
            return new TokenIssuer(generator.generateKeyPair(), "RS256", "SHA256withRSA");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The lower-case hex SHA-256 of the public key's DER. */
    public String kid() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(publicKey()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The public key as DER. */
    public byte[] publicKey() {
        return pair.getPublic().getEncoded();
    }

    /** The public key as PEM. */
    public String pem() {
        return "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(publicKey())
                + "\n-----END PUBLIC KEY-----\n";
    }

    /** The public RSA key as a member of {@code keys} in a trust file of OIDC identities. */
    public ObjectNode jwk() {
        RSAPublicKey key = (RSAPublicKey) pair.getPublic();
        return JSON.createObjectNode()
                .put("kid", kid())
                .put("kty", "RSA")
                .put("n", base64Url(unsigned(key.getModulus())))
                .put("e", base64Url(unsigned(key.getPublicExponent())));
    }

    private static byte[] unsigned(BigInteger number) {
        byte[] bytes = number.toByteArray();
        return bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    }

    /** The header of a token of this issuer. */
    public ObjectNode header() {
        return JSON.createObjectNode().put("alg", algorithm).put("typ", "JWT").put("kid", kid());
    }

    /** A token with the usual header. */
    public String sign(ObjectNode claims) {
        return sign(header().toString(), claims.toString());
    }

    /** A token with these texts as header and claims. */
    public String sign(String header, String claims) {
        String signed = base64Url(header) + "." + base64Url(claims);
        return signed + "." + base64Url(signature(signed));
    }

    /** The signature over a text. */
    public byte[] signature(String signed) {
        try {
            Signature signer = Signature.getInstance(signature);
            signer.initSign(pair.getPrivate());
            signer.update(signed.getBytes(StandardCharsets.UTF_8));
            return signer.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Base64url without padding. */
    public static String base64Url(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Base64url of a text in UTF-8. */
    public static String base64Url(String text) {
        return base64Url(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A trust file of data credentials with this key, for the cluster {@code cl-1} at {@code file:///srv/brain}. */
    public ObjectNode dataTrust() {
        ObjectNode trust = JSON.createObjectNode()
                .put("version", 1)
                .put("canonical_root", "file:///srv/brain")
                .put("account_id", "acct-1")
                .put("cluster_id", "cl-1")
                .put("cluster_incarnation", "inc-1")
                .put("issuer", "https://issuer.example")
                .put("audience", "urn:service:data:cl-1");
        trust.putArray("keys").add(dataKey());
        return trust;
    }

    /** The public key as a member of {@code keys} in a trust file of data credentials. */
    public ObjectNode dataKey() {
        return JSON.createObjectNode().put("kid", kid()).put("public_key_pem", pem());
    }

    /**
     * The claims of a valid data credential of version 2 under a trust file.
     *
     * @param nowSeconds the time of issue, in seconds since 1970
     */
    public static ObjectNode identityClaims(ObjectNode trust, long nowSeconds) {
        return JSON.createObjectNode()
                .put("version", 2)
                .put("iss", trust.path("issuer").asText())
                .put("aud", trust.path("audience").asText())
                .put("sub", "p-1")
                .put("account_id", trust.path("account_id").asText())
                .put("cluster_id", trust.path("cluster_id").asText())
                .put("cluster_incarnation", trust.path("cluster_incarnation").asText())
                .put("principal_kind", "human")
                .put("assurance", "verified_human")
                .put("iat", nowSeconds)
                .put("exp", nowSeconds + 3_600)
                .put("jti", "jti-1");
    }

    /** The claims of a valid data credential of version 1 that grants actions on one graph. */
    public static ObjectNode restrictedClaims(ObjectNode trust, long nowSeconds, String graph, String... actions) {
        ObjectNode claims = identityClaims(trust, nowSeconds).put("version", 1);
        ObjectNode grant = claims.putArray("grants").addObject().put("graph_id", graph);
        for (String action : actions) {
            grant.withArray("actions").add(action);
        }
        return claims;
    }

    /** A trust file of OIDC identities with this key, which admits {@code user_1} as {@code p-1}. */
    public ObjectNode oidcTrust(long revision, long nowSeconds) {
        ObjectNode trust = JSON.createObjectNode()
                .put("version", 1)
                .put("revision", revision)
                .put("generated_at", nowSeconds)
                .put("expires_at", nowSeconds + 300)
                .put("issuer", "https://login.example")
                .put("resource", "https://graph.example.com")
                .put("organization_id", "org_1")
                .put("account_id", "acct-1")
                .put("cluster_id", "cl-1")
                .put("cluster_incarnation", "inc-1")
                .put("canonical_root", "file:///srv/brain");
        trust.putArray("keys").add(jwk());
        trust.putArray("principals").addObject().put("subject", "user_1").put("principal_id", "p-1");
        return trust;
    }

    /** The claims of a valid access token under a trust file. */
    public static ObjectNode accessClaims(ObjectNode trust, long nowSeconds) {
        return JSON.createObjectNode()
                .put("iss", trust.path("issuer").asText())
                .put("aud", trust.path("resource").asText())
                .put("org_id", trust.path("organization_id").asText())
                .put("sub", "user_1")
                .put("client_id", "app_1")
                .put("iat", nowSeconds)
                .put("exp", nowSeconds + 300)
                .put("jti", "jti-1");
    }
}
