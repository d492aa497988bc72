package service.log.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.Txn;
import service.core.event.Event;
import service.core.event.EventFormatException;
import service.log.group.LogTail;
import service.log.lmdb.KeyBuffer;
import service.log.retain.Retention;

/**
 * The marks of a log, the table {@code meta}: a few named values, each followed by the CRC32C of the name and the
 * value, which is compared on each read. Thread rule: that of the transaction.
 */
final class LogMarks {
    private final Dbi<DirectBuffer> meta;

    LogMarks(Dbi<DirectBuffer> meta) {
        this.meta = meta;
    }

    void put(Txn<DirectBuffer> txn, String name, byte[] value) {
        UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(value.length + Integer.BYTES));
        bytes.putBytes(0, value);
        bytes.putInt(value.length, checksum(name, value));
        meta.put(txn, key(name), bytes);
    }

    /**
     * Sets what an event has reclaimed, in the transaction that adds the event, so that no state of the log has one
     * without the other.
     *
     * @param before what was reclaimed before the event
     */
    Retention reclaim(Txn<DirectBuffer> txn, Retention before, Event.HistoryReclaimed event) {
        Retention next;
        try {
            next = before.markedAs(Retention.decode(event.marks()));
        } catch (IllegalArgumentException e) {
            throw EventFormatException.damaged(event.offset(), "its marks: " + e.getMessage());
        }
        put(txn, LogTables.RETENTION, next.encode());
        put(
                txn,
                LogTables.RECLAIMED,
                littleEndian(Long.BYTES).putLong(event.offset()).array());
        return next;
    }

    /** {@link LogTail#generation} of the end of the log. */
    long generation(Txn<DirectBuffer> txn) {
        return has(txn, LogTables.RECLAIMED)
                ? require(txn, LogTables.RECLAIMED, Long.BYTES).getLong()
                : LogTail.FIRST_GENERATION;
    }

    /** Whether the log has a mark, whatever its value. */
    boolean has(Txn<DirectBuffer> txn, String name) {
        return meta.get(txn, key(name)) != null;
    }

    /**
     * The value of a mark; null when the log does not have it.
     *
     * @throws EventFormatException when it is damaged
     */
    byte @Nullable [] get(Txn<DirectBuffer> txn, String name) {
        DirectBuffer stored = meta.get(txn, key(name));
        if (stored == null) {
            return null;
        }
        if (name.equals(LogTables.FORMAT) && stored.capacity() == Integer.BYTES) {
            // Logs before version 2 have no checksums: the version is returned, so that it can be refused.
            return Arrays.copyOf(bytes(stored), Integer.BYTES);
        }
        int length = stored.capacity() - Integer.BYTES;
        byte[] value = length < 0 ? new byte[0] : Arrays.copyOf(bytes(stored), length);
        if (length < 0 || stored.getInt(length) != checksum(name, value)) {
            throw damaged(name);
        }
        return value;
    }

    /** The value of a mark that every log has, in little-endian order. */
    ByteBuffer require(Txn<DirectBuffer> txn, String name, int length) {
        byte[] bytes = get(txn, name);
        if (bytes == null || bytes.length != length) {
            throw damaged(name);
        }
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] bytes(DirectBuffer stored) {
        byte[] bytes = new byte[stored.capacity()];
        stored.getBytes(0, bytes);
        return bytes;
    }

    private static int checksum(String name, byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        crc.update(value);
        return (int) crc.getValue();
    }

    private static EventFormatException damaged(String name) {
        return EventFormatException.damaged(0, "the log's mark '" + name + "'");
    }

    private static DirectBuffer key(String name) {
        return new KeyBuffer().putBytes(name.getBytes(StandardCharsets.UTF_8)).key();
    }

    static byte[] intBytes(int value) {
        return littleEndian(Integer.BYTES).putInt(value).array();
    }

    static ByteBuffer littleEndian(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
