package service.log.segment;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of an image: {@code <offset, 20 digits>-<SHA-256 of the object>.zst}.
 *
 * @param offset of the last event that the image has
 * @param digest 64 hex digits
 */
record ImageKey(long offset, String digest) {
    private static final Pattern NAME = Pattern.compile("(\\d{20})-([0-9a-f]{64})\\.zst");

    /** Reads a name; null when it is none. */
    static @Nullable ImageKey parse(String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches() ? new ImageKey(Long.parseLong(parts.group(1)), parts.group(2)) : null;
    }

    /** The last part of the key of the object. */
    String name() {
        return "%020d-%s.zst".formatted(offset, digest);
    }
}
