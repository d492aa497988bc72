package service.projection.apply;

import org.agrona.DirectBuffer;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/** Puts each entry immediately, for small commits. */
final class DirectPuts implements Puts {
    private final TableAccess access;

    DirectPuts(TableAccess access) {
        this.access = access;
    }

    @Override
    public void put(ProjectionTable table, DirectBuffer key, DirectBuffer value) {
        access.putEntry(table, key, value);
    }

    @Override
    public void flush() {}
}
