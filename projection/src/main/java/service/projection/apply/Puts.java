package service.projection.apply;

import org.agrona.DirectBuffer;
import service.projection.table.ProjectionTable;

/**
 * Takes new entries. Both buffers are off the heap and may be reused after the call. Each id and each ordinal is one
 * entry here, the ordinal first; in the tables several may share a row.
 */
interface Puts {
    void put(ProjectionTable table, DirectBuffer key, DirectBuffer value);

    /** Puts all waiting entries into the transaction. */
    void flush();
}
