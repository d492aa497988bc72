package service.log.lmdb;

import java.util.List;
import org.lmdbjava.DbiFlags;

/**
 * A named table of an environment. Keys are at most {@link KeyBuffer#KEY_BYTES_MAX} bytes, ordered by their bytes.
 *
 * @param mayLack whether an environment that is opened for reading may be without it, because an earlier build made it
 */
public record Table(String name, List<DbiFlags> flags, boolean mayLack) {
    public Table {
        flags = List.copyOf(flags);
    }

    public static Table of(String name) {
        return new Table(name, List.of(), false);
    }

    /** The same table, which may be missing where nothing may be written. */
    public Table orMissing() {
        return new Table(name, flags, true);
    }
}
