package service.log.segment;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.core.value.Ulid;

/**
 * Lets one process at a time do the background work of a graph in a bucket: packing, checkpoints and declared
 * retention. The object {@code lease} names a process and a time until which the others leave the work to it; it is
 * replaced with If-Match. It saves work and protects nothing: two processes that both believe to have it do the same
 * work twice, without harm. Any thread.
 */
final class WorkLease {
    private final SegmentStore segments;
    private final String holder;
    private final Duration length;
    private final LongSupplier clockMillis;

    /** Until when this process has the lease, by its clock. */
    private long heldUntilMillis;

    /**
     * Takes nothing yet.
     *
     * @param holder names this opening of the graph
     * @param length for which it is taken
     * @param clockMillis milliseconds since 1970
     */
    WorkLease(SegmentStore segments, Ulid holder, Duration length, LongSupplier clockMillis) {
        this.segments = segments;
        this.holder = holder.toString();
        this.length = length;
        this.clockMillis = clockMillis;
    }

    /**
     * Whether the work is up to this process; takes or renews the lease if that is possible. No request is sent while
     * half of it is left.
     *
     * @throws java.io.UncheckedIOException when the store fails
     */
    synchronized boolean take() {
        long now = clockMillis.getAsLong();
        if (heldUntilMillis - now > length.toMillis() / 2) {
            return true;
        }
        ObjectStore.StoredObject stored = segments.lease();
        Lease before = stored == null ? null : Lease.parse(stored.bytes());
        if (before != null && !before.holder.equals(holder) && before.isHeld(now, length)) {
            return false;
        }
        long until = now + length.toMillis();
        boolean taken = segments.putLease(stored == null ? null : stored.version(), new Lease(holder, until).bytes());
        heldUntilMillis = taken ? until : 0;
        return taken;
    }

    /**
     * Gives the lease back, so that another process can do the work at once. Sends no request when this process does
     * not have it.
     *
     * @throws java.io.UncheckedIOException when the store fails; the lease ends by itself then
     */
    synchronized void release() {
        if (heldUntilMillis == 0) {
            return;
        }
        heldUntilMillis = 0;
        ObjectStore.StoredObject stored = segments.lease();
        Lease before = stored == null ? null : Lease.parse(stored.bytes());
        if (stored != null && before != null && before.holder.equals(holder)) {
            segments.putLease(stored.version(), new Lease(holder, 0).bytes());
        }
    }

    /** How long to wait before the next try of a process that does not have the lease. */
    Duration length() {
        return length;
    }

    private record Lease(String holder, long untilMillis) {
        /** Null for bytes that are no lease; anyone may replace them. */
        static @Nullable Lease parse(byte[] bytes) {
            String[] words =
                    new String(bytes, StandardCharsets.US_ASCII).strip().split(" ", -1);
            try {
                return words.length == 2 ? new Lease(words[0], Long.parseLong(words[1])) : null;
            } catch (NumberFormatException e) {
                return null;
            }
        }

        /** A time further away than a lease lasts comes from a wrong clock. */
        boolean isHeld(long now, Duration length) {
            return untilMillis > now && untilMillis - now <= 2 * length.toMillis();
        }

        byte[] bytes() {
            return (holder + " " + untilMillis + "\n").getBytes(StandardCharsets.US_ASCII);
        }
    }
}
