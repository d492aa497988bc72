package service.core.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.value.Ulid;

/**
 * {@code __cluster/lock.json}: held by a running apply. It is created exclusively, so only one of two concurrent
 * attempts succeeds. A lock whose process has ended (same host, no such pid) is taken over.
 */
final class ClusterLock {
    /** Tolerated difference between the clocks of process starts and of locks. */
    private static final Duration CLOCK_SLACK = Duration.ofSeconds(2);

    private final Path file;

    private ClusterLock(Path file) {
        this.file = file;
    }

    /**
     * Runs work while it holds the lock.
     *
     * @param warn receives a warning about a lock that was taken over
     * @throws ClusterConflictException with the holder; the work was not done
     */
    static <T> T holding(ClusterRoot root, Ulid id, @Nullable String actor, Consumer<String> warn, Supplier<T> work) {
        ClusterLock lock = take(root, id, "apply", actor, warn);
        try {
            return work.get();
        } finally {
            lock.release();
        }
    }

    private static ClusterLock take(
            ClusterRoot root, Ulid id, String operation, @Nullable String actor, Consumer<String> warn) {
        Path file = root.lockFile();
        ObjectNode content = JsonNodeFactory.instance
                .objectNode()
                .put("lock_id", id.toString())
                .put("operation", operation)
                .put("host", host())
                .put("pid", ProcessHandle.current().pid())
                .put("created_at", Stamps.now())
                .put("actor", actor);
        try {
            Files.createDirectories(file.getParent());
            if (create(file, content)) {
                return new ClusterLock(file);
            }
            if (takeOver(root, content, warn)) {
                return new ClusterLock(file);
            }
            JsonNode holder = read(root);
            if (holder == null && Files.exists(file)) {
                throw new ClusterConflictException(
                        "the cluster's lock %s cannot be read; remove it if no apply is running".formatted(file));
            }
            throw new ClusterConflictException(
                    holder == null
                            ? "the cluster's lock was taken meanwhile; run the command again"
                            : "the cluster is locked by process %s on %s since %s; if it is gone for good, run `service cluster force-unlock %s`"
                                    .formatted(
                                            holder.path("pid").asText(),
                                            holder.path("host").asText(),
                                            holder.path("created_at").asText(),
                                            holder.path("lock_id").asText()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** See {@link Cluster#forceUnlock}. */
    static ObjectNode force(ClusterRoot root, String lockId) {
        try (FileChannel turn = turn(root.lockFile());
                FileLock held = turn.lock()) {
            ObjectNode holder = held.isValid() ? read(root) : null;
            if (holder == null) {
                throw ServiceException.notFound("the cluster is not locked");
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
            Files.delete(root.lockFile());
            return holder;
        } catch (NoSuchFileException e) {
            throw ServiceException.notFound("nothing was ever applied in " + root.canonical());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FileChannel turn(Path lockFile) throws IOException {
        return FileChannel.open(
                lockFile.resolveSibling("lock.turn"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** The lock's content; null when there is no lock. */
    static @Nullable ObjectNode read(ClusterRoot root) {
        try {
            return Json.readObject(Files.readAllBytes(root.lockFile()), "the lock");
        } catch (IOException | ServiceException e) {
            return null;
        }
    }

    /**
     * Replaces a lock whose process has ended. Only one of several waiting processes may delete it, or the second would
     * delete the first one's new lock: they serialize on a lock of the operating system, which is released when its
     * process ends.
     */
    private static boolean takeOver(ClusterRoot root, ObjectNode content, Consumer<String> warn) throws IOException {
        Path file = root.lockFile();
        try (FileChannel turn = turn(file);
                FileLock held = turn.tryLock()) {
            JsonNode holder = held == null ? null : read(root);
            if (holder == null || !isGone(holder)) {
                return false;
            }
            warn.accept("took over the lock of process %s, which is gone"
                    .formatted(holder.path("pid").asText()));
            Files.delete(file);
            return create(file, content);
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Creates the lock atomically with its content: after a crash there must not be a lock without a holder. */
    private static boolean create(Path file, ObjectNode content) throws IOException {
        Path beside = Files.createTempFile(file.getParent(), "lock", ".new");
        try {
            Files.writeString(beside, content + "\n", StandardCharsets.UTF_8);
            Files.createLink(file, beside);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } finally {
            Files.delete(beside);
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
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
