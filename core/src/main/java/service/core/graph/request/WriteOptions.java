package service.core.graph.request;

import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.Note;

/**
 * What a caller may add to a write.
 *
 * @param condition the commit that must be the head of the branch, or null
 * @param key the caller's name for this write, unique for the actor, or null: a repeat of the write under the same key
 *     gets the first receipt and writes nothing
 * @param note what the caller says about the write, or null
 */
public record WriteOptions(
        @Nullable String condition,
        @Nullable String key,
        @Nullable Note note) {
    /** Neither a condition nor a key nor a note. */
    public static final WriteOptions NONE = new WriteOptions(null, null, null);

    /** A note alone. */
    public static WriteOptions of(@Nullable Note note) {
        return new WriteOptions(null, null, note);
    }

    private static final int KEY_CHARACTERS_MAX = 128;

    /**
     * Checks the form of the key.
     *
     * @throws ServiceException BAD_REQUEST for anything but 1 to 128 visible ASCII characters
     */
    public WriteOptions {
        if (key != null) {
            requireKey(key);
        }
    }

    /** Throws BAD_REQUEST unless the text is a valid key. */
    public static void requireKey(String key) {
        if (key.isEmpty() || key.length() > KEY_CHARACTERS_MAX || !key.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw ServiceException.badRequest("an idempotency key must be 1 to "
                    + KEY_CHARACTERS_MAX
                    + " visible ASCII characters without blanks");
        }
    }
}
