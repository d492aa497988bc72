package service.core.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.value.Ulid;

/**
 * {@code __cluster/lock.json}: held by a running apply. Made create-only, so of two that try one
 * wins. A lock whose process is gone (same host, no such pid) is taken over.
 */
final class ClusterLock {
    private final Path file;

    private ClusterLock(Path file) {
        this.file = file;
    }

    /**
     * Does work while nobody else works on the root.
     *
     * @param warn hears of a lock that was taken over
     * @throws ClusterConflictException naming the holder; the work was not done
     */
    static <T> T holding(
            ClusterRoot root,
            Ulid id,
            @Nullable String actor,
            Consumer<String> warn,
            Supplier<T> work) {
        ClusterLock lock = take(root, id, "apply", actor, warn);
        try {
            return work.get();
        } finally {
            lock.release();
        }
    }

    private static ClusterLock take(
            ClusterRoot root,
            Ulid id,
            String operation,
            @Nullable String actor,
            Consumer<String> warn) {
        Path file = root.lockFile();
        ObjectNode content =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("lock_id", id.toString())
                        .put("operation", operation)
                        .put("host", host())
                        .put("pid", ProcessHandle.current().pid())
                        .put("created_at", Instant.now().toString())
                        .put("actor", actor);
        try {
            Files.createDirectories(file.getParent());
            if (create(file, content)) {
                return new ClusterLock(file);
            }
            JsonNode holder = read(root);
            if (holder != null && isGone(holder)) {
                warn.accept(
                        "took over the lock of process %s, which is gone"
                                .formatted(holder.path("pid").asText()));
                Files.delete(file);
                if (create(file, content)) {
                    return new ClusterLock(file);
                }
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

    /** The lock's content, or null when nobody holds it. */
    static @Nullable ObjectNode read(ClusterRoot root) {
        try {
            return Json.readObject(Files.readAllBytes(root.lockFile()), "the lock");
        } catch (IOException | ServiceException e) {
            return null;
        }
    }

    private static boolean create(Path file, ObjectNode content) throws IOException {
        try {
            Files.writeString(
                    file,
                    content + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    private static boolean isGone(JsonNode holder) {
        return holder.path("host").asText().equals(host())
                && ProcessHandle.of(holder.path("pid").asLong()).isEmpty();
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
