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
import org.jspecify.annotations.Nullable;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;
import service.projection.retain.EntryNeed;
import service.projection.table.AppliedTable;
import service.projection.table.EntryCursor;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.table.TableWriter;

/**
 * All entries of the tables in one compressed stream, a tenth or less of the size of the environment, which has partly
 * filled pages and free ones. One zstd frame with a checksum:
 *
 * <pre>
 *  u32  "TBLS"                                             big-endian throughout
 *  u32  version, 1
 *  i64  bytes that an environment of the entries takes at most, in any layout
 *  then records, each u8 kind and
 *    1 table   u8 length · name: the entries that follow are its own, in the order of keys
 *    2 entry   u16 bytes that its key shares with the one before · u16 other bytes of the key · u32 length of the value
 *              · the other bytes of the key · the value
 *    0 end     i64 number of entries
 * </pre>
 *
 * Ids, ordinals and neighbours that share rows are packed one by one, as tables of earlier layouts have them, so
 * programs of either layout read the files of both.
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

    /** Tables of an earlier layout can be so many times as large. */
    private static final int LAYOUT_BYTES_MAX = 3;

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
            out.writeLong(LAYOUT_BYTES_MAX * environmentBytes);
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
        try (EntryCursor cursor = access.entryCursor(table)) {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                DirectBuffer entryKey = cursor.key();
                if (!need.test(entryKey, cursor.value())) {
                    continue;
                }
                int keyLength = entryKey.capacity();
                entryKey.getBytes(0, key, 0, keyLength);
                DirectBuffer entryValue = cursor.value();
                int length = entryValue.capacity();
                value = length <= value.length ? value : new byte[2 * length];
                entryValue.getBytes(0, value, 0, length);
                if (table == ProjectionTable.APPLIED && AppliedTable.isOffset(key, keyLength)) {
                    AppliedTable.pack(value);
                }
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
        private @Nullable ProjectionTable table;
        private long entries;
        private int batchEntries;
        private long batchBytes;

        Unpacking(DataInputStream in, ProjectionEnvironment tables) {
            this.in = in;
            this.tables = tables;
        }

        void run() throws IOException {
            int kind = ENTRY;
            while (kind == ENTRY || kind == TABLE) {
                try (WriteTransaction write = tables.environment().write()) {
                    TableAccess access = tables.access(write);
                    try {
                        kind = batch(access);
                    } finally {
                        access.end();
                    }
                    write.commit();
                }
            }
            if (kind != END || in.readLong() != entries || in.read() >= 0) {
                throw new IOException("its tables do not end after " + entries + " entries");
            }
        }

        /** Puts entries, of as many tables as there is room for; returns the kind of the last record read. */
        private int batch(TableAccess access) throws IOException {
            batchEntries = 0;
            batchBytes = 0;
            int kind;
            do {
                ProjectionTable into = table;
                if (into == null) {
                    kind = in.readUnsignedByte();
                    if (kind == ENTRY) {
                        throw new IOException("its first entry is of no table");
                    }
                } else {
                    try (TableWriter writer = access.writer(into, true)) {
                        kind = entries(into, writer);
                    }
                }
                if (kind == TABLE) {
                    table = ProjectionTable.named(
                            new String(in.readNBytes(in.readUnsignedByte()), StandardCharsets.US_ASCII));
                }
            } while (kind == TABLE);
            return kind;
        }

        /** Puts entries of one table; returns the kind of the record after them, of an entry when there is no room. */
        private int entries(ProjectionTable into, TableWriter writer) throws IOException {
            while ((batchEntries < BATCH_ENTRIES && batchBytes < BATCH_BYTES) || !writer.mayEnd()) {
                int kind = in.readUnsignedByte();
                if (kind != ENTRY) {
                    return kind;
                }
                put(into, writer);
            }
            return ENTRY;
        }

        private void put(ProjectionTable into, TableWriter writer) throws IOException {
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
            if (into == ProjectionTable.APPLIED && AppliedTable.isOffset(key, shared + rest)) {
                AppliedTable.unpack(value);
            }
            keyBuffer.putBytes(0, key, 0, shared + rest);
            valueBuffer.putBytes(0, value, 0, length);
            writer.put(new UnsafeBuffer(keyBuffer, 0, shared + rest), new UnsafeBuffer(valueBuffer, 0, length));
            entries++;
            batchEntries++;
            batchBytes += shared + rest + length;
        }
    }
}
