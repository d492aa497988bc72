package service.core.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.error.StartRefusedException;

/**
 * The files of a cluster's root on a local disk ({@code cluster.md} §2). Every file appears whole or not at all: it is
 * written to a temporary file in the same directory, synced, and renamed.
 */
final class ClusterRoot {
    private final Path root;
    private final Path state;

    ClusterRoot(Path root) {
        this.root = root.toAbsolutePath().normalize();
        this.state = this.root.resolve("__cluster");
    }

    /**
     * The root that a cluster's directory names.
     *
     * @param storage the {@code storage} entry, or null for the directory itself
     * @throws StartRefusedException {@code config_invalid} for a kind of storage that this build does not support
     */
    static ClusterRoot of(Path directory, @Nullable String storage) {
        if (storage == null) {
            return new ClusterRoot(directory);
        }
        if (storage.startsWith("file://")) {
            try {
                return new ClusterRoot(Path.of(URI.create(storage)));
            } catch (IllegalArgumentException e) {
                throw new StartRefusedException(
                        "config_invalid",
                        "storage `%s` is not a file URI of this machine; write it as file:///absolute/path"
                                .formatted(storage));
            }
        }
        if (storage.contains("://")) {
            throw new StartRefusedException(
                    "config_invalid", "this build keeps clusters in local directories only; storage is " + storage);
        }
        try {
            return new ClusterRoot(directory.resolve(storage));
        } catch (InvalidPathException e) {
            throw new StartRefusedException("config_invalid", "storage is not a path: " + e.getReason());
        }
    }

    /** {@code file:///absolute/path} without a trailing slash. */
    String canonical() {
        try {
            Path real = Files.exists(root) ? root.toRealPath() : root;
            String uri = real.toUri().toString();
            return uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path path() {
        return root;
    }

    Path graphDirectory(String graphId) {
        return root.resolve("graphs").resolve(graphId);
    }

    Path lockFile() {
        return state.resolve("lock.json");
    }

    /** The ledger's bytes; null when there is none. */
    byte @Nullable [] readLedger() {
        try {
            return Files.readAllBytes(state.resolve("state.json"));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Replaces the ledger if it has not changed since it was read. The caller holds the lock.
     *
     * @param expected the bytes that were read, or null when there was none
     * @throws ClusterConflictException when it has changed
     */
    void writeLedger(byte @Nullable [] expected, Ledger ledger) {
        byte[] present = readLedger();
        if (!java.util.Arrays.equals(expected, present)) {
            throw new ClusterConflictException(
                    "the ledger was changed by somebody else meanwhile; run the command again");
        }
        write(state.resolve("state.json"), ledger.toBytes());
    }

    /**
     * Stores a resource's content under its digest. Does nothing if it is there; replaces a content that was lost or
     * changed.
     */
    void putContent(Resource resource) {
        String content = resource.content();
        if (content != null && !content.equals(readContent(resource.address(), resource.digest()))) {
            write(contentFile(resource.address(), resource.digest()), content.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The content of an applied resource; null when the catalog has lost it. */
    @Nullable
    String readContent(String address, String digest) {
        try {
            return Files.readString(contentFile(address, digest), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return null;
        }
    }

    /** Paths of the pending recovery records, oldest first. */
    List<Path> recoveries() {
        Path folder = state.resolve("recoveries");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path recoveryFile(String id) {
        return state.resolve("recoveries").resolve(id + ".json");
    }

    void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(Path file, byte[] bytes) {
        try {
            Files.createDirectories(file.getParent());
            Path beside = file.resolveSibling(file.getFileName() + ".new");
            try (FileChannel channel = FileChannel.open(
                    beside,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                java.nio.ByteBuffer buffer = java.nio.ByteBuffer.wrap(bytes);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
                channel.force(true);
            }
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
                folder.force(true);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path contentFile(String address, String digest) {
        return state.resolve("resources").resolve(Resource.catalogPath(address, digest));
    }
}
