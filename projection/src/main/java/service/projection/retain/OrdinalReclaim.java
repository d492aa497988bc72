package service.projection.retain;

import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Env;
import org.lmdbjava.GetOp;
import org.lmdbjava.SeekOp;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.projection.table.IdTable;
import service.projection.table.OrdinalCursor;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.RecordTable;
import service.projection.table.TableAccess;

/**
 * Frees the ordinals of entities that no readable state has: those without an entry in {@code records} after a cleanup
 * has swept the tables. Their ids are deleted, and the next new entities of the type get the ordinals. The remaining
 * entries of such an entity in other tables mark it as absent; that is also true of the later entity in every state
 * where those entries are read.
 *
 * <p>Needs the writer lock of the graph and no other writer. Costs a walk over {@code ordinals} with one seek in
 * {@code records} for each. One thread.
 */
public final class OrdinalReclaim {
    private static final int BATCH = 20_000;

    /** An ordinal to free. If it is above all ordinals in use, it is not stored in {@code free}. */
    private record Unused(int type, int ordinal, boolean belowBound) {}

    private final ProjectionEnvironment environment;
    private int nextType;
    private int nextOrdinal;
    private long reclaimed;

    private OrdinalReclaim(ProjectionEnvironment environment) {
        this.environment = environment;
    }

    /** Frees all ordinals that can be freed; returns their number. */
    public static long run(ProjectionEnvironment environment) {
        OrdinalReclaim reclaim = new OrdinalReclaim(environment);
        for (List<Unused> batch = reclaim.find(); batch != null; batch = reclaim.find()) {
            reclaim.apply(batch);
        }
        return reclaim.reclaimed;
    }

    /** The next unused ordinals, perhaps none; null when all were read. */
    private @Nullable List<Unused> find() {
        try (ReadTransaction read = environment.environment().read()) {
            TableAccess access = environment.access(read);
            Cursor<DirectBuffer> records = access.cursor(ProjectionTable.RECORDS);
            try (OrdinalCursor ordinals = new OrdinalCursor(access)) {
                return find(ordinals, records);
            } finally {
                access.release(ProjectionTable.RECORDS, records);
                access.end();
            }
        }
    }

    private @Nullable List<Unused> find(OrdinalCursor ordinals, Cursor<DirectBuffer> records) {
        List<Unused> unused = new ArrayList<>();
        KeyBuffer key = new KeyBuffer();
        boolean found = ordinals.seek(nextType, nextOrdinal);
        if (!found) {
            return null;
        }
        int type = -1;
        int bound = 0;
        for (int looked = 0; found && looked < BATCH; looked++) {
            int ordinal = ordinals.ordinal();
            if (ordinals.type() != type) {
                type = ordinals.type();
                bound = usedBound(records, key, type);
            }
            if (!isUsed(records, key, type, ordinal)) {
                unused.add(new Unused(type, ordinal, ordinal < bound));
            }
            nextType = type;
            nextOrdinal = ordinal + 1;
            found = ordinals.next();
        }
        return unused;
    }

    private static boolean isUsed(Cursor<DirectBuffer> records, KeyBuffer key, int type, int ordinal) {
        RecordTable.member(key, type, ordinal);
        return records.get(key.key(), GetOp.MDB_SET_RANGE)
                && MappedBytes.same(records.key().addressOffset(), key.address(), key.length());
    }

    /** One above the greatest ordinal of the type that has records. */
    private static int usedBound(Cursor<DirectBuffer> records, KeyBuffer key, int type) {
        RecordTable.member(key, type, -1);
        boolean found = records.get(key.key(), GetOp.MDB_SET_RANGE)
                ? records.seek(SeekOp.MDB_PREV)
                : records.seek(SeekOp.MDB_LAST);
        long at = found ? records.key().addressOffset() : 0;
        return found && MappedBytes.keyIntAt(at) == type ? MappedBytes.keyIntAt(at + Integer.BYTES) + 1 : 0;
    }

    private void apply(List<Unused> batch) {
        while (!batch.isEmpty()) {
            try (WriteTransaction write = environment.environment().write()) {
                TableAccess access = environment.access(write);
                try {
                    batch.forEach(unused -> IdTable.giveBack(access, unused.type, unused.ordinal, unused.belowBound));
                } finally {
                    access.end();
                }
                write.commit();
                reclaimed += batch.size();
                return;
            } catch (StorageFailure e) {
                if (e.kind() != StorageFailure.Kind.MAP_FULL) {
                    throw e;
                }
                environment.environment().grow();
            } catch (Env.MapFullException e) {
                environment.environment().grow();
            }
        }
    }
}
