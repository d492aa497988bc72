package service.projection.table;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import service.core.event.SchemaChange;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/**
 * The schemas that were in force: a temporal table with one member.
 *
 * <pre>
 *  u32 0 | u32 ~incarnation | u64 ~offset   →   u32 + source (UTF-8) · u32 + digest (UTF-8) · u32 + identities
 * </pre>
 */
public final class SchemaTable {
    /**
     * A schema as stored.
     *
     * @param incarnation identifies, with {@code offset}, the commit that set it
     */
    public record Stored(int incarnation, long offset, String source, String digest, byte[] identities) {}

    private SchemaTable() {}

    public static void member(KeyBuffer into) {
        into.clear().putInt(0);
    }

    public static int encode(MutableDirectBuffer into, SchemaChange change) {
        int end = put(into, 0, change.source().getBytes(StandardCharsets.UTF_8));
        end = put(into, end, change.digest().getBytes(StandardCharsets.UTF_8));
        return put(into, end, change.identities());
    }

    /** Offset of the commit that set the schema that the view sees; −1 when there is none. */
    public static long offset(TableAccess access, Chain chain) {
        TemporalCursor cursor = access.temporal(ProjectionTable.SCHEMAS, chain);
        try {
            return found(access, cursor) ? ~MappedBytes.keyLongAt(cursor.versionAddress() + Integer.BYTES) : -1;
        } finally {
            access.release(ProjectionTable.SCHEMAS, cursor);
        }
    }

    public static @Nullable Stored read(TableAccess access, Chain chain) {
        TemporalCursor cursor = access.temporal(ProjectionTable.SCHEMAS, chain);
        try {
            if (!found(access, cursor)) {
                return null;
            }
            DirectBuffer value = new UnsafeBuffer(cursor.valueAddress(), cursor.valueLength());
            return stored(cursor.versionAddress(), value);
        } finally {
            access.release(ProjectionTable.SCHEMAS, cursor);
        }
    }

    /** Every schema that was ever in force on any branch. */
    public static List<Stored> all(TableAccess access) {
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.SCHEMAS);
        try {
            List<Stored> all = new ArrayList<>();
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                all.add(stored(cursor.key().addressOffset() + Integer.BYTES, cursor.val()));
            }
            return all;
        } finally {
            access.release(ProjectionTable.SCHEMAS, cursor);
        }
    }

    private static Stored stored(long version, DirectBuffer value) {
        byte[] source = get(value, 0);
        byte[] digest = get(value, 4 + source.length);
        byte[] identities = get(value, 8 + source.length + digest.length);
        return new Stored(
                ~MappedBytes.keyIntAt(version),
                ~MappedBytes.keyLongAt(version + Integer.BYTES),
                new String(source, StandardCharsets.UTF_8),
                new String(digest, StandardCharsets.UTF_8),
                identities);
    }

    private static boolean found(TableAccess access, TemporalCursor cursor) {
        KeyBuffer key = access.key();
        member(key);
        return cursor.find(key);
    }

    private static int put(MutableDirectBuffer into, int at, byte[] bytes) {
        into.putInt(at, bytes.length);
        into.putBytes(at + 4, bytes);
        return at + 4 + bytes.length;
    }

    private static byte[] get(DirectBuffer value, int at) {
        byte[] bytes = new byte[value.getInt(at)];
        value.getBytes(at + 4, bytes);
        return bytes;
    }
}
