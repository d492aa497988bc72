package service.projection.storage;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.PutFlags;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;
import service.projection.retain.EntryNeed;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/**
 * All entries of the tables in one compressed stream, a tenth or less of the size of the environment, which has partly
 * filled pages and free ones. One zstd frame with a checksum:
 *
 * <pre>
 *  u32  "TBLS"                                             big-endian throughout
 *  u32  version, 1
 *  i64  bytes of the environment that it was made of
 *  then records, each u8 kind and
 *    1 table   u8 length · name: the entries that follow are its own, in the order of keys
 *    2 entry   u16 bytes that its key shares with the one before · u16 other bytes of the key · u32 length of the value
 *              · the other bytes of the key · the value
 *    0 end     i64 number of entries
 * </pre>
 */
final class PackedTables {
    private static final int MAGIC = 0x54424C53;
    private static final int VERSION = 1;
    private static final int END = 0;
    private static final int TABLE = 1;
    private static final int ENTRY = 2;
    private static final int LEVEL = 3;
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int KEY_BYTES_MAX = 511;
    private static final int BATCH_ENTRIES = 100_000;
    private static final int BATCH_BYTES = 32 << 20;

    private PackedTables() {}

    /**
     * Writes the entries that readable states need.
     *
     * @param access of one transaction
     * @param into is closed
     */
    static void write(TableAccess access, Retention retention, long environmentBytes, OutputStream into)
            throws IOException {
        ZstdOutputStreamNoFinalizer packing = new ZstdOutputStreamNoFinalizer(into, LEVEL);
        packing.setChecksum(true);
        packing.setCloseFrameOnFlush(false);
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(packing, BUFFER_BYTES))) {
            out.writeInt(MAGIC);
            out.writeInt(VERSION);
            out.writeLong(environmentBytes);
            long entries = 0;
            for (ProjectionTable table : ProjectionTable.values()) {
                if (!table.isExact()) {
                    continue;
                }
                byte[] name = table.tableName().getBytes(StandardCharsets.US_ASCII);
                out.writeByte(TABLE);
                out.writeByte(name.length);
                out.write(name);
                entries += write(access, table, new EntryNeed(table, retention), out);
            }
            out.writeByte(END);
            out.writeLong(entries);
        }
    }

    private static long write(TableAccess access, ProjectionTable table, EntryNeed need, DataOutputStream out)
            throws IOException {
        byte[] key = new byte[KEY_BYTES_MAX];
        byte[] before = new byte[KEY_BYTES_MAX];
        int beforeLength = 0;
        byte[] value = new byte[4 << 10];
        long entries = 0;
        Cursor<DirectBuffer> cursor = access.cursor(table);
        try {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                if (!need.test(cursor.key(), cursor.val())) {
                    continue;
                }
                int keyLength = cursor.key().capacity();
                int length = cursor.val().capacity();
                cursor.key().getBytes(0, key, 0, keyLength);
                value = length <= value.length ? value : new byte[2 * length];
                cursor.val().getBytes(0, value, 0, length);
                int mismatch = Arrays.mismatch(key, 0, keyLength, before, 0, beforeLength);
                int shared = mismatch < 0 ? keyLength : mismatch;
                out.writeByte(ENTRY);
                out.writeShort(shared);
                out.writeShort(keyLength - shared);
                out.writeInt(length);
                out.write(key, shared, keyLength - shared);
                out.write(value, 0, length);
                byte[] swap = before;
                before = key;
                key = swap;
                beforeLength = keyLength;
                entries++;
            }
            return entries;
        } finally {
            access.release(table, cursor);
        }
    }

    /**
     * Makes an environment of the entries in an empty directory, which other processes do not see yet.
     *
     * @throws IOException when the stream is damaged, or of a newer version
     */
    static void unpack(InputStream from, Path directory, LmdbOptions options) throws IOException {
        Files.createDirectories(directory);
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(new ZstdInputStreamNoFinalizer(from), BUFFER_BYTES))) {
            if (in.readInt() != MAGIC) {
                throw new IOException("it has no tables");
            }
            int version = in.readInt();
            if (version != VERSION) {
                throw new IOException("its tables are packed in version " + version);
            }
            long bytes = in.readLong();
            // Entries in order fill pages better than the tables did.
            long map = Math.max(options.mapBytes(), 2 * bytes + (1L << 20));
            try (ProjectionEnvironment tables = ProjectionEnvironment.open(
                    directory, options.withMapBytes(map, Math.max(map, options.mapBytesMax())), CommitHook.NONE)) {
                new Unpacking(in, tables).run();
            }
        }
    }

    /** Puts entries in transactions of bounded size. */
    private static final class Unpacking {
        private final DataInputStream in;
        private final ProjectionEnvironment tables;
        private final byte[] key = new byte[KEY_BYTES_MAX];
        private final UnsafeBuffer keyBuffer = new UnsafeBuffer(ByteBuffer.allocateDirect(KEY_BYTES_MAX));
        private byte[] value = new byte[4 << 10];
        private UnsafeBuffer valueBuffer = new UnsafeBuffer(ByteBuffer.allocateDirect(4 << 10));
        private long entries;

        Unpacking(DataInputStream in, ProjectionEnvironment tables) {
            this.in = in;
            this.tables = tables;
        }

        void run() throws IOException {
            Dbi<DirectBuffer> table = null;
            while (true) {
                int kind = ENTRY;
                try (WriteTransaction write = tables.environment().write()) {
                    long bytes = 0;
                    for (int i = 0; i < BATCH_ENTRIES && bytes < BATCH_BYTES; i++) {
                        kind = in.readUnsignedByte();
                        if (kind == TABLE) {
                            table = tables.environment()
                                    .table(new String(in.readNBytes(in.readUnsignedByte()), StandardCharsets.US_ASCII));
                        } else if (kind == ENTRY && table != null) {
                            bytes += put(write, table);
                        } else {
                            break;
                        }
                    }
                    write.commit();
                }
                if (kind == END && in.readLong() == entries && in.read() < 0) {
                    return;
                }
                if (kind != TABLE && kind != ENTRY) {
                    throw new IOException("its tables do not end after " + entries + " entries");
                }
            }
        }

        private int put(WriteTransaction write, Dbi<DirectBuffer> table) throws IOException {
            int shared = in.readUnsignedShort();
            int rest = in.readUnsignedShort();
            int length = in.readInt();
            if (shared + rest > KEY_BYTES_MAX || shared + rest == 0 || length < 0) {
                throw new EOFException("an entry of its tables has no valid length");
            }
            in.readFully(key, shared, rest);
            if (length > value.length) {
                value = new byte[2 * length];
                valueBuffer = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * length));
            }
            in.readFully(value, 0, length);
            keyBuffer.putBytes(0, key, 0, shared + rest);
            valueBuffer.putBytes(0, value, 0, length);
            table.put(
                    write.txn(),
                    new UnsafeBuffer(keyBuffer, 0, shared + rest),
                    new UnsafeBuffer(valueBuffer, 0, length),
                    PutFlags.MDB_APPEND);
            entries++;
            return shared + rest + length;
        }
    }
}
