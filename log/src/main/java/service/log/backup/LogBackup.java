package service.log.backup;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.time.Instant;
import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import service.core.value.Sha256;
import service.log.format.EventLog;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.log.retain.Retention;

/**
 * Writes all tables of a log, as of one moment, to one file ({@link BackupFormat}). Holds one read transaction for its
 * whole run, while this or another process may write the log; memory does not grow with the log. One thread.
 */
public final class LogBackup {
    private static final int LEVEL = 3;
    private static final int CHUNK_BYTES = 64 << 10;

    /** Gives the bytes of a base image. */
    @FunctionalInterface
    public interface Images {
        /**
         * Opens the file of an image.
         *
         * @throws NoSuchFileException when another image has taken its place
         */
        InputStream open(Retention.Base base) throws IOException;
    }

    /** How much of each event a backup would have. */
    @FunctionalInterface
    public interface EventsKept {
        /** Returns how many of the first bytes of the event at an offset stay. */
        int bytes(long offset, DirectBuffer event);
    }

    private static final EventsKept WHOLE = (offset, event) -> event.capacity();

    private final EventsKept kept;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private final ByteBuffer numbers = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final OutputStream out;

    private LogBackup(OutputStream payload, EventsKept kept) {
        this.out = payload;
        this.kept = kept;
    }

    /**
     * The bytes that the events take in a backup, if the log kept so much of each. Costs as much as to write them to
     * one.
     */
    public static long eventBytes(EventLog log, EventsKept kept) {
        ByteCount counted = new ByteCount();
        try (ReadTransaction read = log.environment().read();
                OutputStream payload = compressing(counted)) {
            new LogBackup(payload, kept).table(log, read, EventLog.tables().getFirst());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
        return counted.bytes();
    }

    /**
     * Writes a backup; the stream stays open.
     *
     * @param graphId what to call the graph in the manifest
     */
    public static BackupManifest write(EventLog log, String graphId, Images images, OutputStream into)
            throws IOException {
        while (true) {
            try (ReadTransaction read = log.environment().read()) {
                Retention.Base base = log.retentionOf(read).base();
                try (InputStream image = base == null ? InputStream.nullInputStream() : images.open(base)) {
                    BackupManifest manifest = new BackupManifest(
                            graphId,
                            log.graph().toString(),
                            log.lastOffsetOf(read),
                            base,
                            Instant.now().toString());
                    write(log, read, manifest, image, into);
                    return manifest;
                }
            } catch (NoSuchFileException e) {
                // A newer image has replaced this one since it was listed: try again.
                if (log.reloadRetention().base() == null) {
                    throw e;
                }
            } catch (LmdbException e) {
                throw StorageFailure.of(e, log.directory());
            }
        }
    }

    private static void write(
            EventLog log, ReadTransaction read, BackupManifest manifest, InputStream image, OutputStream into)
            throws IOException {
        Digesting digesting = new Digesting(into);
        ByteBuffer header = ByteBuffer.allocate(BackupFormat.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(BackupFormat.FRAME_FIRST).putInt(BackupFormat.HEADER_CONTENT_BYTES);
        header.put(BackupFormat.MAGIC).putInt(BackupFormat.VERSION).putInt(0);
        digesting.write(header.array());
        try (OutputStream payload = compressing(digesting)) {
            new LogBackup(payload, WHOLE).payload(log, read, manifest, image);
        }
        ByteBuffer trailer = ByteBuffer.allocate(BackupFormat.TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putInt(BackupFormat.FRAME_LAST).putInt(BackupFormat.DIGEST_BYTES);
        trailer.put(digesting.digest());
        into.write(trailer.array());
        into.flush();
    }

    private static OutputStream compressing(OutputStream into) throws IOException {
        ZstdOutputStream compressing = new ZstdOutputStream(into, LEVEL);
        compressing.setCloseFrameOnFlush(false);
        compressing.setChecksum(true);
        return new BufferedOutputStream(compressing, CHUNK_BYTES);
    }

    private void payload(EventLog log, ReadTransaction read, BackupManifest manifest, InputStream image)
            throws IOException {
        byte[] json = manifest.encode();
        numbers(json.length);
        out.write(json);
        long entries = 0;
        for (String table : EventLog.tables()) {
            entries += table(log, read, table);
        }
        // Ends the block: an image is compressed already, and would spoil the statistics by which the events are coded.
        out.flush();
        for (int count = image.read(chunk); count > 0; count = image.read(chunk)) {
            out.write(BackupFormat.IMAGE);
            numbers(count);
            out.write(chunk, 0, count);
        }
        out.write(BackupFormat.END);
        numbers.clear().putLong(entries);
        out.write(numbers.array(), 0, Long.BYTES);
    }

    /** Writes a table; returns the number of its entries. */
    private long table(EventLog log, ReadTransaction read, String table) throws IOException {
        byte[] name = table.getBytes(StandardCharsets.US_ASCII);
        out.write(BackupFormat.TABLE);
        out.write(name.length);
        out.write(name);
        return entries(
                read,
                log.environment().table(table),
                EventLog.tables().getFirst().equals(table));
    }

    private long entries(ReadTransaction read, Dbi<DirectBuffer> table, boolean events) throws IOException {
        long entries = 0;
        try (Cursor<DirectBuffer> cursor = table.openCursor(read.txn())) {
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                DirectBuffer key = cursor.key();
                DirectBuffer value = cursor.val();
                out.write(BackupFormat.ENTRY);
                int stays = events ? kept.bytes(MappedBytes.keyLongAt(key.addressOffset()), value) : value.capacity();
                numbers(key.capacity());
                numbers(stays);
                bytes(key, key.capacity());
                bytes(value, stays);
                entries++;
            }
        }
        return entries;
    }

    private void numbers(int value) throws IOException {
        numbers.clear().putInt(value);
        out.write(numbers.array(), 0, Integer.BYTES);
    }

    private void bytes(DirectBuffer bytes, int length) throws IOException {
        for (int at = 0; at < length; at += CHUNK_BYTES) {
            int count = Math.min(CHUNK_BYTES, length - at);
            bytes.getBytes(at, chunk, 0, count);
            out.write(chunk, 0, count);
        }
    }

    /** Hashes what goes through; closing it leaves the stream below open. */
    private static final class Digesting extends FilterOutputStream {
        private final MessageDigest sha256 = Sha256.begin();

        Digesting(OutputStream below) {
            super(below);
        }

        @Override
        public void write(int value) throws IOException {
            sha256.update((byte) value);
            out.write(value);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            sha256.update(bytes, from, count);
            out.write(bytes, from, count);
        }

        byte[] digest() {
            return sha256.digest();
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }
}
