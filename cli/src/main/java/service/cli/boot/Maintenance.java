package service.cli.boot;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import service.cli.client.CommandFailure;
import service.core.error.ServiceException;
import service.core.port.RetentionPolicy;
import service.log.backup.BackupManifest;
import service.log.files.DurableFiles;
import service.log.files.FileTrees;
import service.log.lmdb.FileMask;
import service.projection.storage.Cleanup;
import service.projection.storage.Compaction;
import service.projection.storage.GraphBackup;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ReadOnlyGraphStorage;

/** Cleans up, compacts, backs up and restores directories of graphs. */
public final class Maintenance {
    private static final int BUFFER_BYTES = 256 << 10;

    private Maintenance() {}

    /** What a command does with what can be reclaimed. */
    public enum Cleaning {
        /** It reports it. */
        PREVIEW,
        /** It reclaims it, unless a backup would be larger afterwards. */
        IF_SMALLER,
        /** It reclaims it. */
        ALWAYS
    }

    /** Reclaims history, or reports what it would reclaim. */
    public static ObjectNode cleanup(GraphDirectory graph, RetentionPolicy policy, Cleaning how) {
        Cleanup.Report report = how == Cleaning.PREVIEW ? preview(graph, policy) : reclaim(graph, policy, how);
        return JsonNodeFactory.instance
                .objectNode()
                .put("graph_id", graph.graphId())
                .put("confirmed", how != Cleaning.PREVIEW)
                .put("commits_reclaimed", report.commits())
                .put("versions_reclaimed", report.versions())
                .put("blobs_reclaimed", report.blobs())
                .put("log_bytes_reclaimed", report.logBytes())
                .put("image_bytes", report.imageBytes())
                .put("smaller", report.isSmaller());
    }

    private static Cleanup.Report reclaim(GraphDirectory graph, RetentionPolicy policy, Cleaning how) {
        try (LmdbGraphStorage storage = Places.graph(graph.place()).open(Stores.OPTIONS)) {
            return how == Cleaning.ALWAYS
                    ? storage.cleanup().run(policy, Duration.ZERO)
                    : storage.cleanup().runIfSmaller(policy, Duration.ZERO);
        }
    }

    /** Only reads, so that it works beside a process that writes the graph. */
    private static Cleanup.Report preview(GraphDirectory graph, RetentionPolicy policy) {
        return Places.graph(graph.place()).withFiles(files -> {
            try (ReadOnlyGraphStorage storage = ReadOnlyGraphStorage.open(files, Stores.OPTIONS)) {
                return storage.previewCleanup(policy);
            }
        });
    }

    /** Returns freed disk space to the file system. */
    public static ObjectNode compact(GraphDirectory graph) {
        Compaction.Report report = Places.graph(graph.place()).compact();
        return JsonNodeFactory.instance
                .objectNode()
                .put("graph_id", graph.graphId())
                .put("log_bytes_before", report.logBefore())
                .put("log_bytes", report.logAfter())
                .put("projection_bytes_before", report.tablesBefore())
                .put("projection_bytes", report.tablesAfter());
    }

    /** Writes a backup to a stream, which stays open. */
    public static ObjectNode backup(GraphDirectory graph, OutputStream into) {
        return Places.graph(graph.place()).withFiles(files -> backup(graph.graphId(), files, into));
    }

    private static ObjectNode backup(String graphId, Path files, OutputStream into) {
        Counting counting = new Counting(into);
        try {
            BackupManifest manifest = GraphBackup.write(files, graphId, counting);
            counting.flush();
            return report(manifest).put("bytes", counting.bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes a backup to a new file, which appears whole and synced, or not at all.
     *
     * @param observed wraps the stream that is written, to count its bytes
     */
    public static ObjectNode backup(GraphDirectory graph, Path file, UnaryOperator<OutputStream> observed) {
        Path target = file.toAbsolutePath().normalize();
        if (Files.exists(target)) {
            throw ServiceException.conflict(file + " exists already: name a file that does not, or move this one away");
        }
        Path draft = target.resolveSibling("." + target.getFileName() + ".writing");
        try {
            ObjectNode report;
            Files.deleteIfExists(draft);
            try (FileChannel channel = FileChannel.open(
                            draft, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FileMask.file());
                    OutputStream out = new BufferedOutputStream(
                            java.nio.channels.Channels.newOutputStream(channel), BUFFER_BYTES)) {
                report = backup(graph, observed.apply(out));
                out.flush();
                channel.force(true);
            }
            DurableFiles.move(draft, target);
            return report.put("file", file.toString());
        } catch (IOException | UncheckedIOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "the backup cannot be written to " + file + ": " + why(e));
        } finally {
            FileTrees.deleteOrWarn(draft);
        }
    }

    /**
     * Makes a graph from a backup.
     *
     * @param from a file, or {@code -} for standard input
     * @param target does not exist
     */
    public static ObjectNode restore(String from, GraphDirectory target, LongConsumer progress) {
        Path spooled = null;
        try {
            Path file = Path.of(from);
            if (from.equals("-")) {
                spooled = Files.createTempFile("service-restore", ".backup");
                Files.copy(System.in, spooled, StandardCopyOption.REPLACE_EXISTING);
                file = spooled;
            }
            BackupManifest manifest = Places.graph(target.place()).restore(file, progress);
            return report(manifest)
                    .put("graph_id", target.graphId())
                    .put("directory", target.place().toString());
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "the backup " + from + " cannot be restored: " + why(e));
        } finally {
            if (spooled != null) {
                FileTrees.deleteOrWarn(spooled);
            }
        }
    }

    private static ObjectNode report(BackupManifest manifest) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("graph_id", manifest.graphId())
                .put("graph", manifest.graph())
                .put("created_at", manifest.createdAt())
                .put("log_offset", manifest.headOffset())
                .put("events", manifest.headOffset() + 1);
    }

    private static String why(Exception failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause instanceof NoSuchFileException
                ? "there is no such file or directory"
                : String.valueOf(cause.getMessage());
    }

    /** Counts the bytes that are read or written. */
    private static final class Counting extends FilterOutputStream {
        private long bytes;

        Counting(OutputStream below) {
            super(below);
        }

        @Override
        public void write(int value) throws IOException {
            bytes++;
            out.write(value);
        }

        @Override
        public void write(byte[] source, int from, int count) throws IOException {
            bytes += count;
            out.write(source, from, count);
        }
    }
}
