package service.projection.table;

import org.agrona.DirectBuffer;

/**
 * Puts entries into a table; each id, each ordinal and each neighbour is an entry, and may come into a row with others.
 * Fast for ascending keys. The entries are in the table after {@link #close}, before which the transaction must not
 * write to it otherwise. One thread.
 */
public interface TableWriter extends AutoCloseable {
    /** Puts an entry. Both buffers are off the heap. */
    void put(DirectBuffer key, DirectBuffer value);

    /** Whether another writer can put the next entries without those of other tables. */
    default boolean mayEnd() {
        return true;
    }

    @Override
    void close();
}
