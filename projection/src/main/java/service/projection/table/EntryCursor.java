package service.projection.table;

import org.agrona.DirectBuffer;
import service.log.lmdb.KeyBuffer;

/**
 * Walks the entries of a table in the order of their keys. Each id, each ordinal and each neighbour is an entry, also
 * of those that share a row. Keys and values are off the heap. One thread; closed before its transaction ends, and not
 * used after a write of it.
 */
public interface EntryCursor extends AutoCloseable {
    /** Goes to the first entry; false when there is none. */
    boolean first();

    /** Goes to the first entry at or above a key, which may be the beginning of one; false when there is none. */
    boolean seek(KeyBuffer from);

    /** Goes to the next entry; false at the end of the table. Only while this stands on one. */
    boolean next();

    /** The key of the entry; valid until the next call of this cursor. */
    DirectBuffer key();

    /** The value of the entry; valid until the next call of this cursor. */
    DirectBuffer value();

    @Override
    void close();
}
