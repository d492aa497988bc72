package service.core.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import service.core.value.CalendarText;
import service.core.value.Sha256;

/** Digests and times in the form of the cluster's files: {@code sha256:<hex>}, RFC 3339. */
final class Stamps {
    private static final String PREFIX = "sha256:";

    private Stamps() {}

    static String of(byte[] bytes) {
        return PREFIX + Sha256.hex(bytes);
    }

    /** The digest of a sequence of texts; the boundaries between the texts count. */
    static String of(String... parts) {
        StringBuilder all = new StringBuilder();
        for (String part : parts) {
            all.append(part.length()).append(':').append(part);
        }
        return of(all.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The current time in the form of ledger, lock and records: RFC 3339, UTC, microseconds. */
    static String now() {
        Instant now = Instant.now();
        return CalendarText.micros(now.getEpochSecond() * 1_000_000L + now.getNano() / 1_000);
    }

    /** The hexadecimal part of a digest, as file names contain it. */
    static String hex(String digest) {
        return digest.substring(PREFIX.length());
    }
}
