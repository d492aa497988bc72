package service.log.backup;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.function.LongConsumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import org.lmdbjava.PutFlags;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.core.value.Sha256;
import service.log.format.EventLog;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;

/**
 * Restores the log of a backup into an empty directory and checks each event and its chain hash. When it throws, the
 * directory holds no usable graph. One thread.
 */
public final class LogRestore implements AutoCloseable {
    private static final long BATCH_BYTES = 64L << 20;

    /** Says where the file of a base image belongs. */
    @FunctionalInterface
    public interface Images {
        /**
         * The file of an image.
         *
         * @param first bytes of the file, which say how it is made
         */
        Path file(Retention.Base base, byte[] first);
    }

    private final BackupFile backup;
    private final LmdbEnvironment environment;
    private final LongConsumer progress;
    private final EventCodec codec = new EventCodec();
    private final UnsafeBuffer key = new UnsafeBuffer(ByteBuffer.allocateDirect(512));
    private UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(64 << 10));
    private @Nullable WriteTransaction write;
    private @Nullable Dbi<DirectBuffer> table;
    private boolean events;
    private long waiting;
    private long entries;
    private long last = -1;
    private byte[] hash = EventCodec.hashBeforeFirst();

    private LogRestore(BackupFile backup, Path directory, LongConsumer progress) {
        this.backup = backup;
        this.progress = progress;
        this.environment = LmdbEnvironment.open(
                directory.resolve(EventLog.DIRECTORY), LmdbOptions.unsynced(), EventLog.lmdbTables(), CommitHook.NONE);
    }

    /**
     * Restores the log, synced, and its base image.
     *
     * @param graphDirectory exists and is empty
     * @param progress told how many events are there
     * @throws service.core.error.ServiceException BAD_REQUEST when the backup does not fit itself
     * @throws EventFormatException when an event is not what its chain says
     */
    public static void run(BackupFile backup, Path graphDirectory, Images images, LongConsumer progress)
            throws IOException {
        try (LogRestore run = new LogRestore(backup, graphDirectory, progress)) {
            run.pieces(images);
            run.environment.sync();
        } catch (LmdbException e) {
            throw StorageFailure.of(e, graphDirectory);
        }
    }

    private void pieces(Images images) throws IOException {
        BackupFile.Piece piece = backup.next();
        while (piece instanceof BackupFile.Piece.Table || piece instanceof BackupFile.Piece.Entry) {
            if (piece instanceof BackupFile.Piece.Entry entry) {
                put(entry);
            } else if (piece instanceof BackupFile.Piece.Table named) {
                select(named.name());
            }
            piece = backup.next();
        }
        commit();
        piece = image(images, piece);
        if (!(piece instanceof BackupFile.Piece.End end) || end.entries() != entries) {
            throw backup.wrong("it does not end after " + entries + " entries");
        }
        if (last != backup.manifest().headOffset()) {
            throw backup.wrong("its last event is "
                    + last
                    + ", its manifest says "
                    + backup.manifest().headOffset());
        }
    }

    private void select(String name) {
        if (!EventLog.tables().contains(name)) {
            throw backup.wrong("it holds a table `" + name + "`, which this program does not know");
        }
        commit();
        table = environment.table(name);
        events = name.equals(EventLog.tables().getFirst());
    }

    @SuppressWarnings("MustBeClosedChecker") // closed with this restore, or by its commits
    private void put(BackupFile.Piece.Entry entry) {
        Dbi<DirectBuffer> into = table;
        if (into == null) {
            throw backup.wrong("it holds an entry of no table");
        }
        if (entry.value().length > value.capacity()) {
            value = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * entry.value().length));
        }
        key.putBytes(0, entry.key());
        value.putBytes(0, entry.value());
        UnsafeBuffer keyBytes = new UnsafeBuffer(key, 0, entry.key().length);
        UnsafeBuffer valueBytes = new UnsafeBuffer(value, 0, entry.value().length);
        if (events) {
            verify(keyBytes, valueBytes);
        }
        WriteTransaction open = write;
        if (open == null) {
            open = environment.write();
            write = open;
        }
        into.put(open.txn(), keyBytes, valueBytes, PutFlags.MDB_APPEND);
        entries++;
        waiting += entry.key().length + entry.value().length;
        if (waiting > BATCH_BYTES) {
            commit();
        }
    }

    private void verify(DirectBuffer keyBytes, DirectBuffer event) {
        long offset = keyBytes.getLong(0, ByteOrder.BIG_ENDIAN);
        if (offset != last + 1) {
            throw EventFormatException.damaged(last + 1, "missing in the backup");
        }
        hash = codec.verify(event, offset, hash);
        last = offset;
        progress.accept(offset + 1);
    }

    private void commit() {
        WriteTransaction open = write;
        write = null;
        waiting = 0;
        if (open != null) {
            open.commit();
        }
    }

    private BackupFile.Piece image(Images images, BackupFile.Piece first) throws IOException {
        Retention.Base base = backup.manifest().base();
        if (base == null) {
            return first;
        }
        byte[] start = first instanceof BackupFile.Piece.Image begun ? begun.bytes() : new byte[0];
        Path file = images.file(base, start);
        Files.createDirectories(file.getParent());
        MessageDigest sha256 = Sha256.begin();
        BackupFile.Piece piece = first;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                OutputStream out = new DigestOutputStream(Channels.newOutputStream(channel), sha256)) {
            while (piece instanceof BackupFile.Piece.Image image) {
                out.write(image.bytes());
                piece = backup.next();
            }
            channel.force(true);
        }
        if (!HexFormat.of().formatHex(sha256.digest()).equals(base.digest())) {
            throw backup.wrong("its base image does not have the digest that the log names");
        }
        return piece;
    }

    @Override
    public void close() {
        WriteTransaction open = write;
        if (open != null) {
            write = null;
            open.close();
        }
        environment.close();
    }
}
