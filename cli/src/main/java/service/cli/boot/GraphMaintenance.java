package service.cli.boot;

import com.fasterxml.jackson.databind.node.ArrayNode;
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
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.core.error.ServiceException;
import service.core.event.EventFormatException;
import service.core.graph.request.Targets;
import service.core.policy.Caller;
import service.core.port.GraphSession;
import service.core.port.RetentionPolicy;
import service.core.port.SearchIndex;
import service.log.backup.BackupManifest;
import service.log.files.DurableFiles;
import service.log.files.FileTrees;
import service.log.lmdb.FileMask;
import service.log.lmdb.StorageFailure;
import service.projection.apply.CatchUp;
import service.projection.storage.Cleanup;
import service.projection.storage.Compaction;
import service.projection.storage.GraphBackup;
import service.projection.storage.GraphVerification;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ReadOnlyGraphStorage;

/** The commands that maintain a graph, and their reports: cleanup, compact, backup, restore, verify, rebuild. */
public final class GraphMaintenance {
    private static final int BUFFER_BYTES = 256 << 10;

    private GraphMaintenance() {}

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
    public static ObjectNode cleanup(GraphAddress graph, RetentionPolicy policy, Cleaning how) {
        Cleanup.Report report = how == Cleaning.PREVIEW ? preview(graph, policy) : reclaim(graph, policy, how);
        ObjectNode answer = JsonNodeFactory.instance
                .objectNode()
                .put("graph_id", graph.graphId())
                .put("confirmed", how != Cleaning.PREVIEW)
                .put("commits_reclaimed", report.commits())
                .put("versions_reclaimed", report.versions())
                .put("blobs_reclaimed", report.blobs())
                .put("log_bytes_reclaimed", report.logBytes())
                .put("image_bytes", report.imageBytes())
                .put("smaller", report.isSmaller() && reclaims(report));
        ArrayNode pinnedBy = answer.putArray("pinned_by");
        report.pinnedBy()
                .forEach(tag -> pinnedBy.addObject()
                        .put("tag", tag.name())
                        .put("commit_id", tag.commit().toString()));
        return answer;
    }

    private static boolean reclaims(Cleanup.Report report) {
        return report.commits() > 0 || report.versions() > 0 || report.blobs() > 0 || report.logBytes() > 0;
    }

    private static Cleanup.Report reclaim(GraphAddress graph, RetentionPolicy policy, Cleaning how) {
        try (LmdbGraphStorage storage = StorageKinds.graph(graph.place()).open(PlacedGraph.OPTIONS)) {
            return how == Cleaning.ALWAYS
                    ? storage.cleanup().run(policy, Duration.ZERO)
                    : storage.cleanup().runIfSmaller(policy, Duration.ZERO);
        }
    }

    /** Only reads, so that it works beside a process that writes the graph. */
    private static Cleanup.Report preview(GraphAddress graph, RetentionPolicy policy) {
        return StorageKinds.graph(graph.place()).withFiles(files -> {
            try (ReadOnlyGraphStorage storage = ReadOnlyGraphStorage.open(files, PlacedGraph.OPTIONS)) {
                return storage.previewCleanup(policy);
            }
        });
    }

    /** Returns freed disk space to the file system. */
    public static ObjectNode compact(GraphAddress graph) {
        Compaction.Report report = StorageKinds.graph(graph.place()).compact();
        return JsonNodeFactory.instance
                .objectNode()
                .put("graph_id", graph.graphId())
                .put("log_bytes_before", report.logBefore())
                .put("log_bytes", report.logAfter())
                .put("projection_bytes_before", report.tablesBefore())
                .put("projection_bytes", report.tablesAfter());
    }

    /** Writes a backup to a stream, which stays open. */
    public static ObjectNode backup(GraphAddress graph, OutputStream into) {
        return StorageKinds.graph(graph.place()).withFiles(files -> backup(graph.graphId(), files, into));
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
    public static ObjectNode backup(GraphAddress graph, Path file, UnaryOperator<OutputStream> observed) {
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
    public static ObjectNode restore(String from, GraphAddress target, LongConsumer progress) {
        Path spooled = null;
        try {
            Path file = Path.of(from);
            if (from.equals("-")) {
                spooled = Files.createTempFile("service-restore", ".backup");
                Files.copy(System.in, spooled, StandardCopyOption.REPLACE_EXISTING);
                file = spooled;
            }
            BackupManifest manifest = StorageKinds.graph(target.place()).restore(file, progress);
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

    /**
     * Checks the checksum and the hash chain of every event, then replays the log into new tables and compares them
     * with the stored ones.
     *
     * @param folder where to make the new tables; null for beside the graph
     * @return the findings; {@code ok} is false where there are any
     */
    public static ObjectNode verify(GraphAddress graph, @Nullable Path folder) {
        try {
            return StorageKinds.graph(graph.place()).withCheckedFiles(files -> verify(graph.graphId(), files, folder));
        } catch (EventFormatException damage) {
            return unsound(graph, String.valueOf(damage.getMessage()));
        } catch (StorageFailure failure) {
            if (failure.kind() == StorageFailure.Kind.DISK_FULL) {
                throw new StorageFailure(
                        failure.kind(), failure.getMessage() + "; name a folder with room by --scratch DIR", failure);
            }
            String damage = failure.damage();
            if (damage == null) {
                throw failure;
            }
            return unsound(graph, damage);
        }
    }

    private static ObjectNode unsound(GraphAddress graph, String finding) {
        ObjectNode report = JsonNodeFactory.instance.objectNode().put("graph_id", graph.graphId());
        report.put("ok", false)
                .put("events", 0)
                .put("changes", 0)
                .put("log_bytes", 0)
                .put("blobs", 0);
        report.putArray("findings").add(finding);
        return report;
    }

    private static ObjectNode verify(String graphId, Path files, @Nullable Path folder) {
        Path scratch = scratch(files, folder);
        try {
            GraphVerification.Report found = GraphVerification.run(files, PlacedGraph.OPTIONS, scratch);
            ObjectNode report = JsonNodeFactory.instance
                    .objectNode()
                    .put("graph_id", graphId)
                    .put("ok", found.sound())
                    .put("events", found.events())
                    .put("changes", found.changes())
                    .put("log_bytes", found.bytes())
                    .put("blobs", found.blobs());
            found.findings().forEach(report.putArray("findings")::add);
            return report;
        } finally {
            FileTrees.deleteOrWarn(scratch);
        }
    }

    private static Path scratch(Path files, @Nullable Path folder) {
        FileMask.restrict();
        try {
            if (folder != null) {
                return Files.createTempDirectory(folder, "verify-");
            }
            Path beside = files.resolveSibling("." + files.getFileName() + ".verify");
            if (Files.isWritable(files.toAbsolutePath().getParent())) {
                FileTrees.delete(beside);
                return Files.createDirectories(beside);
            }
            return Files.createTempDirectory("service-verify-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compares the search index of a branch with its records; {@code ok} is false where they differ. */
    public static ObjectNode verifySearch(GraphAddress graph, String branch) {
        return StorageKinds.graph(graph.place()).withFiles(files -> {
            try (ReadOnlyGraphStorage storage = ReadOnlyGraphStorage.open(files, PlacedGraph.OPTIONS)) {
                try (GraphSession session = storage.session()) {
                    Targets.readable(session, branch, Caller.unrestricted(null));
                }
                SearchIndex.Comparison found = storage.compareSearch(branch);
                ObjectNode report = JsonNodeFactory.instance
                        .objectNode()
                        .put("graph_id", graph.graphId())
                        .put("branch", branch)
                        .put("ok", found.difference() == null)
                        .put("compared", found.compared());
                return found.difference() == null ? report : report.put("difference", found.difference());
            }
        });
    }

    /** Drops the tables and rebuilds them from the log. */
    public static ObjectNode rebuild(GraphAddress graph, LongConsumer progress) {
        CatchUp.Result result = StorageKinds.graph(graph.place()).rebuild(progress);
        return JsonNodeFactory.instance
                .objectNode()
                .put("graph_id", graph.graphId())
                .put("events", result.events())
                .put("changes", result.changes());
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
