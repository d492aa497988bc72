package service.projection.apply;

import org.agrona.DirectBuffer;
import service.projection.table.ProjectionTable;

/**
 * Takes new entries. Both buffers are off the heap and may be reused after the call. An id and its ordinal are entries
 * of their own here, the ordinal first; in the tables they may share rows.
 */
interface Puts {
    void put(ProjectionTable table, DirectBuffer key, DirectBuffer value);

    /** Puts all waiting entries into the transaction. */
    void flush();
}
