package service.projection.table;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.port.RememberedWrite;
import service.core.value.Sha256;
import service.log.lmdb.KeyBuffer;

/**
 * Writes by the idempotency key of their caller.
 *
 * <pre>
 *   32 bytes SHA-256 of (u8 1 · actor · u8 0, or u8 0 without an actor) · key
 *       →   0 u64 offset   8 u64 commits in the log up to it   16 the request's digest
 * </pre>
 */
public final class IdempotencyTable {
    private static final int AT_COMMITS = 8;
    private static final int AT_DIGEST = 16;

    private IdempotencyTable() {}

    public static void key(KeyBuffer into, @Nullable String actor, String key) {
        MessageDigest digest = Sha256.begin();
        if (actor == null) {
            digest.update((byte) 0);
        } else {
            digest.update((byte) 1);
            digest.update(actor.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
        }
        byte[] name = digest.digest(key.getBytes(StandardCharsets.UTF_8));
        into.clear().putBytes(name, 0, name.length);
    }

    public static @Nullable RememberedWrite remembered(TableAccess access, @Nullable String actor, String key) {
        KeyBuffer name = access.key();
        key(name, actor, key);
        DirectBuffer value = access.get(ProjectionTable.IDEMPOTENCY, name);
        if (value == null) {
            return null;
        }
        byte[] digest = new byte[value.capacity() - AT_DIGEST];
        value.getBytes(AT_DIGEST, digest);
        long offset = value.getLong(0, ByteOrder.LITTLE_ENDIAN);
        long commits = value.getLong(AT_COMMITS, ByteOrder.LITTLE_ENDIAN);
        return new RememberedWrite(digest, offset, access.entries(ProjectionTable.COMMITS) - commits);
    }

    /** Writes a value; returns its length. */
    public static int encode(MutableDirectBuffer into, long offset, long commits, byte[] requestDigest) {
        into.putLong(0, offset, ByteOrder.LITTLE_ENDIAN);
        into.putLong(AT_COMMITS, commits, ByteOrder.LITTLE_ENDIAN);
        into.putBytes(AT_DIGEST, requestDigest);
        return AT_DIGEST + requestDigest.length;
    }
}
