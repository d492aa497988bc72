package service.core.value;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The digest that names contents. Thread rule: any thread; one digest that was begun belongs to one thread. */
public final class Sha256 {
    private Sha256() {}

    /** A digest of no bytes yet. */
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The 32 bytes of the digest. */
    public static byte[] of(byte[] bytes) {
        return begin().digest(bytes);
    }

    /** The digest as 64 lower-case hex digits. */
    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(of(bytes));
    }
}
