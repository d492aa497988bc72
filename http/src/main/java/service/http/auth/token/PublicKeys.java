package service.http.auth.token;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import service.core.value.Sha256;

/**
 * Reads public keys of trust files and verifies signatures with them. The JDK verifies both algorithms; a JOSE library
 * would add a second parser of tokens with looser rules than {@link CompactToken}.
 */
final class PublicKeys {
    private static final Pattern PEM = Pattern.compile(
            "-----BEGIN PUBLIC KEY-----\\r?\\n([A-Za-z0-9+/=\\r\\n]+)\\r?\\n-----END PUBLIC KEY-----\\s*");

    private static final int COORDINATE_BYTES = 32;
    private static final int RSA_BITS_MIN = 2_048;

    /** Verification takes longer with the square of the length. */
    private static final int RSA_BITS_MAX = 8_192;

    private static final int RSA_EXPONENT_BITS_MAX = 32;
    private static final ECParameterSpec P256 = p256();

    private PublicKeys() {}

    /**
     * Reads a key on P-256 from PEM.
     *
     * @param kid the lower-case hex SHA-256 of the DER, which the key must have
     */
    static ECPublicKey ellipticCurve(String pem, String kid) {
        Matcher matcher = PEM.matcher(pem);
        if (!matcher.matches()) {
            throw new TrustFileException("`public_key_pem` must be one PEM block `PUBLIC KEY`");
        }
        try {
            byte[] der = Base64.getDecoder().decode(matcher.group(1).replaceAll("[\\r\\n]", ""));
            if (!Sha256.hex(der).equals(kid)) {
                throw new TrustFileException("`kid` must be the lower-case hex SHA-256 of the key's DER");
            }
            PublicKey key = KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(der));
            if (!(key instanceof ECPublicKey point) || !isOnP256(point)) {
                throw new TrustFileException("a key must be on the curve P-256");
            }
            if (!Arrays.equals(key.getEncoded(), der)) {
                throw new TrustFileException("a key must be encoded as a named curve with an uncompressed point");
            }
            return point;
        } catch (IllegalArgumentException | InvalidKeySpecException e) {
            throw new TrustFileException("`public_key_pem` must hold an EC public key");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has EC keys", e);
        }
    }

    private static boolean isOnP256(ECPublicKey key) {
        ECParameterSpec curve = key.getParams();
        ECPoint point = key.getW();
        if (!curve.getCurve().equals(P256.getCurve())
                || !curve.getGenerator().equals(P256.getGenerator())
                || !curve.getOrder().equals(P256.getOrder())
                || point.equals(ECPoint.POINT_INFINITY)) {
            return false;
        }
        BigInteger p = ((ECFieldFp) P256.getCurve().getField()).getP();
        BigInteger x = point.getAffineX();
        BigInteger y = point.getAffineY();
        BigInteger right = x.pow(3)
                .add(P256.getCurve().getA().multiply(x))
                .add(P256.getCurve().getB())
                .mod(p);
        return x.signum() >= 0
                && x.compareTo(p) < 0
                && y.signum() >= 0
                && y.compareTo(p) < 0
                && y.multiply(y).mod(p).equals(right);
    }

    private static ECParameterSpec p256() {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec("secp256r1"));
            return parameters.getParameterSpec(ECParameterSpec.class);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has P-256", e);
        }
    }

    /** Reads an RSA key of 2,048 to 8,192 bits; both numbers are canonical base64url without leading zeros. */
    static RSAPublicKey rsa(String modulus, String exponent) {
        BigInteger n = unsigned(modulus, "n");
        BigInteger e = unsigned(exponent, "e");
        if (n.bitLength() < RSA_BITS_MIN || n.bitLength() > RSA_BITS_MAX || !n.testBit(0)) {
            throw new TrustFileException("`n` must be an odd number of 2048 to 8192 bits");
        }
        if (e.bitLength() > RSA_EXPONENT_BITS_MAX || e.compareTo(BigInteger.TWO) <= 0 || !e.testBit(0)) {
            throw new TrustFileException("`e` must be an odd number from 3 to 4294967295");
        }
        try {
            return (RSAPublicKey) KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(n, e));
        } catch (InvalidKeySpecException refused) {
            throw new TrustFileException("`n` and `e` are not an RSA public key");
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has RSA", missing);
        }
    }

    private static BigInteger unsigned(String base64, String name) {
        byte[] bytes = CompactToken.decodeCanonical(base64);
        if (bytes.length == 0 || bytes[0] == 0) {
            throw new TrustFileException(
                    "`" + name + "` must be canonical base64url without padding and leading zeros");
        }
        return new BigInteger(1, bytes);
    }

    /** Verifies ES256 in the form of JOSE: r and s, 32 bytes each, both from 1 to the order of the curve. */
    static boolean verifyEs256(ECPublicKey key, CompactToken token) {
        byte[] signature = token.signature();
        return signature.length == 2 * COORDINATE_BYTES
                && inRange(signature, 0)
                && inRange(signature, COORDINATE_BYTES)
                && verify("SHA256withECDSAinP1363Format", key, token);
    }

    private static boolean inRange(byte[] signature, int from) {
        BigInteger value = new BigInteger(1, signature, from, COORDINATE_BYTES);
        return value.signum() > 0 && value.compareTo(P256.getOrder()) < 0;
    }

    /** Verifies RS256; the signature is as long as the modulus. */
    static boolean verifyRs256(RSAPublicKey key, CompactToken token) {
        int length = (key.getModulus().bitLength() + 7) / 8;
        return token.signature().length == length && verify("SHA256withRSA", key, token);
    }

    private static boolean verify(String algorithm, PublicKey key, CompactToken token) {
        try {
            Signature verifier = Signature.getInstance(algorithm);
            verifier.initVerify(key);
            verifier.update(token.signed());
            return verifier.verify(token.signature());
        } catch (SignatureException e) {
            return false;
        } catch (InvalidKeyException e) {
            throw new IllegalStateException("the key was checked when it was read", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }

    /** SHA-256 of a token as it was sent. */
    static byte[] sha256(String token) {
        return Sha256.of(token.getBytes(StandardCharsets.UTF_8));
    }
}
