package service.http.auth.token;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A compact JWS ({@code header.claims.signature}) whose shape is checked and whose signature is not. It accepts one
 * spelling of each segment: canonical base64url without padding, and strict JSON. A signature by ES256 has two values.
 *
 * @param signed the bytes that the signature covers
 */
record CompactToken(Members header, Members claims, byte[] signed, byte[] signature) {
    private static final int SEGMENTS = 3;

    /** @throws TokenRefusedException when the text has another shape */
    static CompactToken parse(String token) {
        String[] segments = token.split("\\.", -1);
        if (segments.length != SEGMENTS) {
            throw new TokenRefusedException("a token has three segments");
        }
        byte[] header = decode(segments[0], "the header");
        byte[] claims = decode(segments[1], "the claims");
        byte[] signature = decode(segments[2], "the signature");
        int signedLength = segments[0].length() + 1 + segments[1].length();
        return new CompactToken(
                Members.parse(header, "the header", TokenRefusedException::new),
                Members.parse(claims, "the claims", TokenRefusedException::new),
                token.substring(0, signedLength).getBytes(StandardCharsets.US_ASCII),
                signature);
    }

    /** Whether a text has three segments of base64url characters. */
    static boolean hasShape(String text) {
        int segments = 1;
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '.') {
                if (length == 0) {
                    return false;
                }
                segments++;
                length = 0;
            } else if ((c >= 'A' && c <= 'Z')
                    || (c >= 'a' && c <= 'z')
                    || (c >= '0' && c <= '9')
                    || c == '_'
                    || c == '-') {
                length++;
            } else {
                return false;
            }
        }
        return segments == SEGMENTS && length > 0;
    }

    private static byte[] decode(String segment, String what) {
        byte[] bytes = decodeCanonical(segment);
        if (bytes.length == 0) {
            throw new TokenRefusedException(what + " is not canonical base64url without padding");
        }
        return bytes;
    }

    /** Decodes canonical base64url without padding; empty for any other text. */
    static byte[] decodeCanonical(String text) {
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
        // The JDK accepts padding and unused bits that are not zero; an encoder never writes them.
        String canonical = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        return canonical.equals(text) ? bytes : new byte[0];
    }
}
