package service.log.format;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import service.core.error.DamagedDataException;
import service.core.event.ChangeReader;
import service.core.value.PropertyRow;
import service.core.value.Sha256;
import service.core.value.Value;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.ReadTransaction;

/**
 * Checks the blobs of a log: each blob has all of its chunks and the digest by which it is stored, and each blob to
 * which an event refers is stored. Holds one read for its whole run.
 */
final class BlobVerification implements AutoCloseable {
    private static final int FINDINGS_MAX = 100;

    private final EventLog log;
    private final ReadTransaction read;
    private final KeyBuffer key = new KeyBuffer();
    private final MessageDigest digest = Sha256.begin();
    private final byte[] chunk = new byte[BlobTable.CHUNK_BYTES];
    private final byte[] name = new byte[BlobTable.DIGEST_BYTES];
    private final List<String> findings = new ArrayList<>();
    private final Consumer<Value.ManagedBlob> expected = this::expect;
    private long event;
    private long blobs;
    private long bytes;

    // The current blob.
    private BlobTable.@Nullable Head head;
    private long found;
    private int next;

    @SuppressWarnings("MustBeClosedChecker") // closed by close()
    BlobVerification(EventLog log) {
        this.log = log;
        this.read = log.environment().read();
    }

    long blobs() {
        return blobs;
    }

    long bytes() {
        return bytes;
    }

    /** One sentence each. */
    List<String> findings() {
        return List.copyOf(findings);
    }

    /** Checks that the blobs of the image after a change are stored. */
    void expect(long offset, ChangeReader change) {
        if (change.hasAfter()) {
            event = offset;
            PropertyRow.blobs(change.buffer(), change.afterPosition(), expected);
        }
    }

    private void expect(Value.ManagedBlob blob) {
        BlobTable.Head there;
        try {
            there = BlobTable.head(read.txn(), log.blobs(), key, blob.sha256());
        } catch (DamagedDataException e) {
            return; // The run over all blobs reports it.
        }
        if (there == null) {
            report("event %d refers to blob %s, which is missing".formatted(event, blob.hex()));
        } else if (there.size() != blob.size()) {
            report("event %d refers to %d bytes of blob %s, which has %d"
                    .formatted(event, blob.size(), blob.hex(), there.size()));
        }
    }

    /** Reads every blob. */
    void run() {
        try (Cursor<DirectBuffer> cursor = log.blobs().openCursor(read.txn())) {
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                take(cursor.key(), cursor.val());
            }
        }
        end();
    }

    private void begin(DirectBuffer value) {
        found = 0;
        next = 0;
        digest.reset();
        try {
            head = BlobTable.head(value, name);
        } catch (DamagedDataException e) {
            report(e.damage());
        }
    }

    private void take(DirectBuffer entry, DirectBuffer value) {
        byte[] owner = new byte[Math.min(BlobTable.DIGEST_BYTES, entry.capacity())];
        entry.getBytes(0, owner);
        if (entry.capacity() == BlobTable.DIGEST_BYTES && value.capacity() == BlobTable.HEAD_BYTES) {
            end();
            System.arraycopy(owner, 0, name, 0, owner.length);
            begin(value);
            return;
        }
        if (head == null && Arrays.equals(owner, name)) {
            return; // Its head is reported.
        }
        boolean fits = head != null
                && Arrays.equals(owner, name)
                && entry.capacity() == BlobTable.DIGEST_BYTES + Integer.BYTES
                && entry.getInt(BlobTable.DIGEST_BYTES, java.nio.ByteOrder.BIG_ENDIAN) == next
                && value.capacity() <= chunk.length + BlobTable.CRC_BYTES;
        if (!fits) {
            report("a chunk of blob %s is out of place".formatted(hex(owner)));
            return;
        }
        try {
            int length = BlobTable.copyChunk(value, name, next, chunk);
            digest.update(chunk, 0, length);
            found += length;
            next++;
        } catch (DamagedDataException e) {
            report(e.damage());
            head = null;
        }
    }

    private void end() {
        BlobTable.Head ended = head;
        head = null;
        if (ended == null) {
            return;
        }
        blobs++;
        bytes += found;
        if (found != ended.size() || !Arrays.equals(digest.digest(), name)) {
            report("blob %s, brought by event %d, is damaged: restore it from a backup"
                    .formatted(hex(name), ended.eventOffset()));
        }
    }

    private void report(String finding) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(finding);
        }
    }

    private static String hex(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }

    @Override
    public void close() {
        read.close();
    }
}
