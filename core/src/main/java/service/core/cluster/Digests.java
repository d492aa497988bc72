package service.core.cluster;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 digests as the cluster writes them: {@code sha256:<hex>}. */
final class Digests {
    private static final String PREFIX = "sha256:";

    private Digests() {}

    static String of(byte[] bytes) {
        try {
            return PREFIX
                    + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The digest of several texts, each apart from the next. */
    static String of(String... parts) {
        StringBuilder all = new StringBuilder();
        for (String part : parts) {
            all.append(part.length()).append(':').append(part);
        }
        return of(all.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The hex part alone: what a file name holds. */
    static String hex(String digest) {
        return digest.substring(PREFIX.length());
    }
}
