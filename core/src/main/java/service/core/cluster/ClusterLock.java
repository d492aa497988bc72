package service.core.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;
import service.core.value.Ulid;

/**
 * {@code __cluster/lock.json}: held by a running command. It is created only if absent, so only one of two concurrent
 * attempts succeeds. A lock whose process has ended (same host, no such pid) is replaced only if it has not changed, so
 * only one of several waiting processes takes it over.
 */
final class ClusterLock {
    /** Tolerated difference between the clocks of process starts and of locks. */
    private static final Duration CLOCK_SLACK = Duration.ofSeconds(2);

    /** Attempts to take a lock that others take and release at the same time. */
    private static final int TAKES_MAX = 10;

    private final ObjectStore store;

    private ClusterLock(ObjectStore store) {
        this.store = store;
    }

    /**
     * Runs work while it holds the lock.
     *
     * @param operation the command, such as {@code apply}
     * @param warn receives a warning about a lock that was taken over
     * @throws ClusterConflictException with the holder; the work was not done
     */
    static <T> T holding(
            ClusterRoot root,
            Ulid id,
            String operation,
            @Nullable String actor,
            Consumer<String> warn,
            Supplier<T> work) {
        ClusterLock lock = take(root, id, operation, actor, warn);
        try {
            return work.get();
        } finally {
            lock.release();
        }
    }

    private static ClusterLock take(
            ClusterRoot root, Ulid id, String operation, @Nullable String actor, Consumer<String> warn) {
        ObjectStore store = root.store();
        byte[] content = content(id, operation, actor);
        StoredObject present = null;
        for (int i = 0; present == null && i < TAKES_MAX; i++) {
            if (store.putIfAbsent(ClusterRoot.LOCK, content)) {
                return new ClusterLock(store);
            }
            present = store.get(ClusterRoot.LOCK);
        }
        if (present == null) {
            throw takenMeanwhile();
        }
        JsonNode holder = parse(present);
        if (holder == null) {
            throw new ClusterConflictException("the cluster's lock %s cannot be read; remove it if no apply is running"
                    .formatted(root.location(ClusterRoot.LOCK)));
        }
        if (!isGone(holder)) {
            throw new ClusterConflictException("the cluster is " + locked(holder));
        }
        if (!store.putIfMatch(ClusterRoot.LOCK, present.version(), content)) {
            throw takenMeanwhile();
        }
        warn.accept("took over the lock of process %s, which is gone"
                .formatted(holder.path("pid").asText()));
        return new ClusterLock(store);
    }

    /** Who holds the lock since when, and the remedy: {@code locked by a `service cluster apply` in process …}. */
    static String locked(JsonNode holder) {
        return "locked by a `service cluster %s` in process %s on %s since %s; wait for it, or if it is gone for good, run `service cluster force-unlock %s`"
                .formatted(
                        holder.path("operation").asText("apply"),
                        holder.path("pid").asText(),
                        holder.path("host").asText(),
                        holder.path("created_at").asText(),
                        holder.path("lock_id").asText());
    }

    private static ClusterConflictException takenMeanwhile() {
        return new ClusterConflictException("the cluster's lock was taken meanwhile; run the command again");
    }

    private static byte[] content(Ulid id, String operation, @Nullable String actor) {
        ObjectNode content = JsonNodeFactory.instance
                .objectNode()
                .put("lock_id", id.toString())
                .put("operation", operation)
                .put("host", host())
                .put("pid", ProcessHandle.current().pid())
                .put("created_at", Stamps.now())
                .put("actor", actor);
        return (content + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * See {@link Cluster#forceUnlock}. It takes the lock over before it deletes it: another process may have taken the
     * lock since it was read, and a delete has no condition.
     */
    static ObjectNode force(ClusterRoot root, Ulid id, String lockId) {
        ObjectStore store = root.store();
        StoredObject found = store.get(ClusterRoot.LOCK);
        ObjectNode holder = found == null ? null : parse(found);
        if (found != null && holder == null) {
            throw ServiceException.conflict("the cluster's lock " + root.location(ClusterRoot.LOCK)
                    + " cannot be read; delete it if no apply is running");
        }
        if (found == null || holder == null) {
            throw ServiceException.notFound(
                    root.readLedger() == null
                            ? "nothing was ever applied in " + root.canonical()
                            : "the cluster is not locked");
        }
        String present = holder.path("lock_id").asText();
        if (!present.equals(lockId)) {
            throw new ServiceException(
                    ErrorCode.PRECONDITION_FAILED, "the cluster's lock is %s, not %s".formatted(present, lockId));
        }
        if (isOfThisMachine(holder) && !isGone(holder)) {
            throw new ClusterConflictException(
                    "process %s, which took the lock, is still running; end it, then the next apply takes the lock over"
                            .formatted(holder.path("pid").asText()));
        }
        if (!store.putIfMatch(ClusterRoot.LOCK, found.version(), content(id, "force-unlock", null))) {
            throw takenMeanwhile();
        }
        new ClusterLock(store).release();
        return holder;
    }

    /** The lock's content; null when there is no lock or it cannot be read. */
    static @Nullable ObjectNode read(ClusterRoot root) {
        StoredObject found = root.store().get(ClusterRoot.LOCK);
        return found == null ? null : parse(found);
    }

    private static @Nullable ObjectNode parse(StoredObject lock) {
        try {
            return Json.readObject(lock.bytes(), "the lock");
        } catch (ServiceException e) {
            return null;
        }
    }

    /** Whether there is no such process, or one that was started after the lock was taken and has the same number. */
    private static boolean isGone(JsonNode holder) {
        if (!isOfThisMachine(holder)) {
            return false;
        }
        return ProcessHandle.of(holder.path("pid").asLong())
                .map(process -> process.info().startInstant().isPresent()
                        && process.info()
                                .startInstant()
                                .get()
                                .isAfter(takenAt(holder).plus(CLOCK_SLACK)))
                .orElse(true);
    }

    private static boolean isOfThisMachine(JsonNode holder) {
        return holder.path("host").asText().equals(host());
    }

    private static Instant takenAt(JsonNode holder) {
        try {
            return Instant.parse(holder.path("created_at").asText());
        } catch (DateTimeParseException e) {
            return Instant.MAX.minus(CLOCK_SLACK);
        }
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private void release() {
        store.delete(ClusterRoot.LOCK);
    }
}
