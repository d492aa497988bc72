package service.log.lmdb;

import java.util.List;
import org.lmdbjava.DbiFlags;

/** A named table of an environment. Keys are at most {@link KeyBuffer#KEY_BYTES_MAX} bytes, ordered by their bytes. */
public record Table(String name, List<DbiFlags> flags) {
    public Table {
        flags = List.copyOf(flags);
    }

    public static Table of(String name) {
        return new Table(name, List.of());
    }
}
