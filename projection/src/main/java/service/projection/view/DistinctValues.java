package service.projection.view;

import service.core.schema.IndexDefinition;
import service.log.lmdb.MappedBytes;
import service.projection.table.CountTable;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/**
 * Estimates how many distinct values an index has along a chain. Few are counted, many are extrapolated from the first
 * postings.
 *
 * @param definition of the index
 */
record DistinctValues(TableAccess access, Chain chain, IndexDefinition definition) {
    /** Postings that are read at first. */
    private static final int SAMPLE = 128;

    /** Up to so many distinct values in the sample, the index probably has few. */
    private static final int FEW_IN_SAMPLE = 4;

    /** Distinct values that are counted at most; more are estimated. */
    private static final int COUNTED_MAX = 64;

    long estimate() {
        return definition.unique() ? entities() : sample();
    }

    private long entities() {
        return CountTable.count(access, chain, definition.typeIdentity());
    }

    /** Distinct values of the first postings, extrapolated to all. */
    private long sample() {
        TemporalCursor cursor = access.temporal(ProjectionTable.INDEX, chain);
        try {
            cursor.seek(access.key().putInt(definition.identity()), Integer.BYTES);
            long before = 0;
            int beforeLength = 0;
            int seen = 0;
            int distinct = 0;
            while (seen < SAMPLE && cursor.next()) {
                long values = cursor.memberAddress();
                int length = cursor.memberLength() - Integer.BYTES;
                seen++;
                if (length != beforeLength || !MappedBytes.same(values, before, length)) {
                    distinct++;
                }
                before = values;
                beforeLength = length;
            }
            if (seen < SAMPLE) {
                return distinct;
            }
            long few = distinct <= FEW_IN_SAMPLE ? count(cursor) : -1;
            return few >= 0 ? few : Math.max(1, entities() * distinct / seen);
        } finally {
            access.release(ProjectionTable.INDEX, cursor);
        }
    }

    /** Number of distinct values, each found by a seek after the previous one; −1 when there are many. */
    private int count(TemporalCursor cursor) {
        cursor.seek(access.key().putInt(definition.identity()), Integer.BYTES);
        int distinct = 0;
        while (cursor.next()) {
            if (++distinct > COUNTED_MAX) {
                return -1;
            }
            int length = cursor.memberLength() - Integer.BYTES;
            // Greater than every ordinal, so the next entry has another value.
            cursor.seek(access.key().putMemory(cursor.memberAddress(), length).putInt(-1), Integer.BYTES);
        }
        return distinct;
    }
}
