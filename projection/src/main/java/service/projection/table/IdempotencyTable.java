package service.projection.table;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.port.RememberedWrite;
import service.projection.temporal.Key;

/**
 * Writes by the name their caller gave them.
 *
 * <pre>
 *   32 bytes SHA-256 of (u8 1 · actor · u8 0, or u8 0 for nobody) · key   →   0 u64 offset   8 the request's digest
 * </pre>
 */
public final class IdempotencyTable {
    private IdempotencyTable() {}

    public static void key(Key into, @Nullable String actor, String key) {
        MessageDigest digest = IdTable.sha256();
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

    public static @Nullable RememberedWrite remembered(
            TableAccess access, @Nullable String actor, String key) {
        Key name = access.key();
        key(name, actor, key);
        DirectBuffer value = access.get(ProjectionTable.IDEMPOTENCY, name);
        if (value == null) {
            return null;
        }
        byte[] digest = new byte[value.capacity() - Long.BYTES];
        value.getBytes(Long.BYTES, digest);
        return new RememberedWrite(digest, value.getLong(0));
    }
}
