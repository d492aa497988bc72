package service.projection.apply;

import org.agrona.DirectBuffer;
import service.projection.table.ProjectionTable;

/** Where new entries go. Both buffers are free again after the call, and lie off the heap. */
interface Puts {
    void put(ProjectionTable table, DirectBuffer key, DirectBuffer value);

    /** Everything put so far is in the transaction afterwards. */
    void flush();
}
