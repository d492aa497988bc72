package service.core.event;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;

/**
 * Why a write was made, in the words of its caller. Part of the event and of its hash.
 *
 * @param message null without one; never empty
 * @param meta pairs of texts, by key; with those, a note without a message is not empty
 */
public record Note(@Nullable String message, SortedMap<String, String> meta) {
    /** Maximum bytes of a message in UTF-8. */
    public static final int MESSAGE_BYTES_MAX = 4 << 10;

    /** Maximum number of pairs. */
    public static final int PAIRS_MAX = 16;

    /** Maximum bytes of all keys and values together in UTF-8. */
    public static final int META_BYTES_MAX = 4 << 10;

    public Note {
        meta = Collections.unmodifiableSortedMap(new TreeMap<>(meta));
    }

    /**
     * The note of a request; null when it gives neither a message nor a pair. An empty message counts as none.
     *
     * @throws ServiceException BAD_REQUEST for a text that is too long, has a NUL or is no Unicode, for too many pairs,
     *     and for an empty key
     */
    public static @Nullable Note of(@Nullable String message, Map<String, String> meta) {
        if (message != null) {
            checkText("`message`", message);
            if (utf8Bytes(message) > MESSAGE_BYTES_MAX) {
                throw tooLong("`message`", MESSAGE_BYTES_MAX, utf8Bytes(message));
            }
        }
        if (meta.size() > PAIRS_MAX) {
            throw ServiceException.badRequest(
                    "`meta` has " + meta.size() + " pairs; a write takes at most " + PAIRS_MAX);
        }
        long bytes = 0;
        for (Map.Entry<String, String> pair : meta.entrySet()) {
            if (pair.getKey().isEmpty()) {
                throw ServiceException.badRequest("`meta` has an empty key; give each pair a name");
            }
            checkText("a key of `meta`", pair.getKey());
            checkText("the value of `" + pair.getKey() + "` in `meta`", pair.getValue());
            bytes += utf8Bytes(pair.getKey()) + (long) utf8Bytes(pair.getValue());
        }
        if (bytes > META_BYTES_MAX) {
            throw tooLong("`meta`", META_BYTES_MAX, bytes);
        }
        String given = message == null || message.isEmpty() ? null : message;
        return given == null && meta.isEmpty() ? null : new Note(given, new TreeMap<>(meta));
    }

    private static int utf8Bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static ServiceException tooLong(String what, int max, long actual) {
        return ServiceException.badRequest(
                what + " has " + actual + " bytes; a write takes at most " + max + ": keep the rest elsewhere");
    }

    private static void checkText(String what, String text) {
        if (text.indexOf('\0') >= 0) {
            throw ServiceException.badRequest(what + " must not have a NUL in it");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw ServiceException.badRequest(what + " is not Unicode text: it has half of a surrogate pair");
        }
    }
}
