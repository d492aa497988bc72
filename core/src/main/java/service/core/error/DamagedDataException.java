package service.core.error;

import org.jspecify.annotations.Nullable;

/**
 * A stored blob or an entry of a table differs from what was written. Nothing of it is used. The damage of an event is
 * {@code core.event.EventFormatException}.
 */
public final class DamagedDataException extends RuntimeException implements StoredDamage {
    private static final long serialVersionUID = 1L;

    private DamagedDataException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * A blob is damaged.
     *
     * @param digest SHA-256 of its content, hex
     * @param finding the check that failed
     */
    public static DamagedDataException blob(String digest, String finding) {
        return new DamagedDataException(
                "the blob " + digest + " is damaged: restore the graph from a backup (" + finding + ")", null);
    }

    /**
     * A table that is made from the log is damaged.
     *
     * @param finding the check that failed
     */
    public static DamagedDataException table(String table, String finding, @Nullable Throwable cause) {
        return new DamagedDataException(
                "the table `" + table + "` is damaged: stop the server and run rebuild (" + finding + ")", cause);
    }

    @Override
    public String damage() {
        return String.valueOf(getMessage());
    }
}
