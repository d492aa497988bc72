package service.http.auth.token;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.Seed;
import service.core.testkit.TokenIssuer;

/**
 * Changes valid tokens of all three profiles at random. Every change breaks a rule, so no changed token may be
 * accepted, and each refusal must be the one exception that HTTP answers with 401.
 */
final class MutatedCredentialsTest {
    private static final int TOKENS = Integer.getInteger("service.tokens", 1_500);
    private static final long NOW = 1_795_225_000L;
    private static final TokenIssuer ISSUER = TokenIssuer.es256();
    private static final TokenIssuer PROVIDER = TokenIssuer.rs256();
    private static final List<TokenIssuer> STRANGERS =
            List.of(TokenIssuer.es256(), TokenIssuer.ofCurve("secp384r1"), TokenIssuer.rs256(2_048));
    private static final ObjectNode DATA_TRUST = ISSUER.dataTrust();
    private static final ObjectNode OIDC_TRUST = PROVIDER.oidcTrust(7, NOW);

    /** Values that no member of a header may have in place of its own one. */
    private static final List<String> HEADER_VALUES = List.of("null", "''", "'none'", "'HS256'", "'ES384'", "['JWT']");

    /** Values that no claim may have in place of its own one. */
    private static final List<String> CLAIM_VALUES = List.of(
            "null",
            "true",
            "[]",
            "{}",
            "''",
            "0",
            "-1",
            "1e12",
            "1.5",
            "'a b'",
            "'\\u0000'",
            "'p-1/'",
            "9223372036854775808",
            "['a','b']");

    /** Claims that an access token may have with any value, or lack. */
    private static final List<String> FREE = List.of("jti", "client_id");

    private record Valid(TokenIssuer issuer, ObjectNode claims, String token) {
        static Valid of(TokenIssuer issuer, ObjectNode claims) {
            return new Valid(issuer, claims, issuer.sign(claims));
        }

        boolean isOidc() {
            return issuer == PROVIDER;
        }
    }

    private static final List<Valid> VALID = List.of(
            Valid.of(ISSUER, TokenIssuer.identityClaims(DATA_TRUST, NOW)),
            Valid.of(ISSUER, TokenIssuer.restrictedClaims(DATA_TRUST, NOW, "g", "read")),
            Valid.of(PROVIDER, TokenIssuer.accessClaims(OIDC_TRUST, NOW)));

    /** Fewer access tokens than credentials, because RSA signs slowly. */
    private static final int[] OF_KIND = {0, 0, 0, 1, 1, 1, 2};

    /** Not thread-safe. */
    private final SplittableRandom random;

    MutatedCredentialsTest(@Seed long seed) {
        random = new SplittableRandom(seed);
    }

    @Test
    void noneIsAccepted(@TempDir Path folder) throws IOException {
        Path data = Files.write(folder.resolve("data.json"), Trees.utf8(DATA_TRUST));
        Path oidc = Files.write(folder.resolve("oidc.json"), Trees.utf8(OIDC_TRUST));
        InstantSource clock = InstantSource.fixed(Instant.ofEpochSecond(NOW));
        List<String> accepted = new ArrayList<>();
        TreeMap<String, Integer> reasons = new TreeMap<>();
        SignedTokens tokens = SignedTokens.read(data.toString(), oidc.toString(), clock, 100);
        for (Valid each : VALID) {
            tokens.verify(each.token, PublicKeys.sha256(each.token));
        }
        for (int i = 0; i < TOKENS; i++) {
            Valid valid = VALID.get(OF_KIND[random.nextInt(OF_KIND.length)]);
            int kind = random.nextInt(14);
            String token = mutate(valid, kind);
            try {
                tokens.verify(token, PublicKeys.sha256(token));
                accepted.add(kind + ": " + token);
            } catch (TokenRefusedException e) {
                reasons.merge(e.getMessage(), 1, Integer::sum);
            }
        }
        assertThat(accepted).isEmpty();
        assertThat(reasons).as("the changes reach the rules").hasSizeGreaterThan(40);
    }

    private String mutate(Valid valid, int kind) {
        ObjectNode header = valid.issuer.header();
        ObjectNode claims = valid.claims.deepCopy();
        TokenIssuer issuer = valid.issuer;
        switch (kind) {
            case 0 -> replace(header, List.of(), HEADER_VALUES);
            case 1 -> replace(claims, valid.isOidc() ? FREE : List.of(), CLAIM_VALUES);
            case 2 -> header.remove(anyName(header, List.of()));
            case 3 -> claims.remove(anyName(claims, valid.isOidc() ? FREE : List.of()));
            case 4 -> extend(valid, header, claims);
            case 5 -> shiftTimes(claims);
            case 6 -> issuer = STRANGERS.get(random.nextInt(STRANGERS.size()));
            case 7 -> {
                return duplicated(issuer, header.toString(), claims.toString());
            }
            case 8 -> {
                return withHmac(issuer, header.put("alg", "HS256"), claims);
            }
            case 9 -> {
                String unsigned = TokenIssuer.base64Url(
                                header.put("alg", "none").toString()) + "." + TokenIssuer.base64Url(claims.toString());
                return unsigned + (random.nextBoolean() ? "." : "." + TokenIssuer.base64Url(new byte[64]));
            }
            case 10 -> {
                return changedByte(valid.token);
            }
            case 11 -> {
                return respelled(valid.token);
            }
            case 12 -> {
                return withSignature(valid.token);
            }
            default -> {
                return reordered(valid.token);
            }
        }
        return issuer.sign(header.toString(), claims.toString());
    }

    private String anyName(ObjectNode node, List<String> except) {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        names.removeAll(except);
        return names.get(random.nextInt(names.size()));
    }

    private void replace(ObjectNode node, List<String> except, List<String> values) {
        node.set(anyName(node, except), Trees.parse(values.get(random.nextInt(values.size()))));
    }

    /** Adds a member that is refused wherever it occurs. */
    private void extend(Valid valid, ObjectNode header, ObjectNode claims) {
        if (random.nextBoolean()) {
            header.putArray("crit").add("exp");
        } else if (valid.isOidc()) {
            claims.put(
                    List.of("act", "may_act", "impersonator", "nonce", "at_hash", "c_hash")
                            .get(random.nextInt(6)),
                    1);
        } else {
            claims.put("more" + random.nextInt(100), random.nextInt());
        }
    }

    private void shiftTimes(ObjectNode claims) {
        switch (random.nextInt(4)) {
            case 0 -> claims.put("iat", NOW - 300).put("exp", NOW - random.nextInt(200));
            case 1 -> claims.put("iat", NOW + 31 + random.nextInt(200)).put("exp", NOW + 331);
            case 2 -> claims.put("exp", NOW + 86_401 + random.nextInt(1_000));
            default -> claims.put("exp", NOW - random.nextInt(1_000));
        }
    }

    /** Repeats a member with another value, before or after the right one. */
    private String duplicated(TokenIssuer issuer, String header, String claims) {
        String more = random.nextBoolean() ? "\"alg\":\"none\"" : "\"\\u0061lg\":\"none\"";
        if (random.nextBoolean()) {
            return issuer.sign(repeat(header, more), claims);
        }
        return issuer.sign(header, repeat(claims, random.nextBoolean() ? "\"sub\":\"p-2\"" : "\"s\\u0075b\":\"p-2\""));
    }

    private String repeat(String object, String member) {
        return random.nextBoolean()
                ? "{" + member + "," + object.substring(1)
                : object.substring(0, object.length() - 1) + "," + member + "}";
    }

    /** Signs with HMAC, and the public key as its secret. */
    private String withHmac(TokenIssuer issuer, ObjectNode header, ObjectNode claims) {
        byte[] secret = random.nextBoolean() ? issuer.publicKey() : issuer.pem().getBytes(StandardCharsets.UTF_8);
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            String signed = TokenIssuer.base64Url(header.toString()) + "." + TokenIssuer.base64Url(claims.toString());
            return signed + "." + TokenIssuer.base64Url(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Replaces one character by another one. */
    private String changedByte(String token) {
        int at = random.nextInt(token.length());
        char old = token.charAt(at);
        char next;
        do {
            next = (char) (random.nextInt(10) == 0 ? random.nextInt(256) : 45 + random.nextInt(78));
        } while (next == old);
        return token.substring(0, at) + next + token.substring(at + 1);
    }

    /** Writes the same bytes in another way that a lenient decoder accepts. */
    private String respelled(String token) {
        String[] parts = token.split("\\.", -1);
        int which = random.nextInt(3);
        String part = parts[which];
        parts[which] = switch (random.nextInt(6)) {
            case 0 -> part + "=".repeat(1 + random.nextInt(2));
            case 1 -> part + "\n";
            case 2 -> " " + part;
            case 3 -> part.substring(0, part.length() / 2) + "\r\n" + part.substring(part.length() / 2);
            case 4 -> Base64.getEncoder().encodeToString(Base64.getUrlDecoder().decode(part)) + "=";
            default -> part + "A".repeat(1 + random.nextInt(9_000));
        };
        return String.join(".", parts);
    }

    /** Replaces the signature: zeros, ones, other lengths, the form of ASN.1, a random one, another one's. */
    private String withSignature(String token) {
        byte[] other = new byte[random.nextInt(300)];
        switch (random.nextInt(3)) {
            case 0 -> random.nextBytes(other);
            case 1 -> Arrays.fill(other, (byte) 0xff);
            default -> other = new byte[64];
        }
        return token.substring(0, token.lastIndexOf('.') + 1) + TokenIssuer.base64Url(other);
    }

    /** Swaps, drops or repeats segments. */
    private String reordered(String token) {
        String[] parts = token.split("\\.", -1);
        return switch (random.nextInt(6)) {
            case 0 -> parts[1] + "." + parts[0] + "." + parts[2];
            case 1 -> parts[0] + "." + parts[1];
            case 2 -> token + "." + parts[2];
            case 3 -> parts[0] + ".." + parts[2];
            case 4 -> token + ".";
            default -> parts[0] + "." + parts[0] + "." + parts[2];
        };
    }
}
