package service.core.graph.branch;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;

/**
 * The states that a diff compares.
 *
 * @param from a branch or a commit id
 * @param to a branch or a commit id
 */
public record DiffStates(@Nullable String from, @Nullable String to, Since since) {
    /** Where the changes begin that a diff shows. */
    public enum Since {
        /** At the state {@code from}: how the two states differ. */
        FROM,
        /** At the merge base of the two: what {@code to} would bring to {@code from}. */
        MERGE_BASE;

        /**
         * Reads the word of a request.
         *
         * @param word null for {@link #FROM}
         * @throws ServiceException {@code bad_request} for another word
         */
        public static Since of(@Nullable String word) {
            for (Since since : values()) {
                if (since.wireName().equals(word)) {
                    return since;
                }
            }
            if (word == null) {
                return FROM;
            }
            throw ServiceException.badRequest("`since` must be from or merge_base, not `" + word + "`");
        }

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How two states differ. */
    public static DiffStates between(@Nullable String from, @Nullable String to) {
        return new DiffStates(from, to, Since.FROM);
    }
}
