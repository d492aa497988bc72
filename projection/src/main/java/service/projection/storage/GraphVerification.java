package service.projection.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.lmdbjava.LmdbNativeException;
import service.core.error.DamagedDataException;
import service.core.port.GraphSession;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.log.format.LogVerification;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.log.retain.Retention;
import service.projection.apply.CatchUp;
import service.projection.table.AppliedTable;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/**
 * Checks a graph: the checksum and the chain hash of every event, every table against the tables that a replay makes in
 * a temporary environment, and the bytes of every blob against its digest. Only reads; another process may write
 * meanwhile.
 */
public final class GraphVerification {
    /**
     * The result of a check.
     *
     * @param applied the last offset that was compared; −1 when the tables could not be read
     * @param findings one sentence each; empty when the graph is undamaged
     */
    public record Report(long events, long changes, long bytes, long blobs, long applied, List<String> findings) {
        public boolean sound() {
            return findings.isEmpty();
        }
    }

    private GraphVerification() {}

    /**
     * Verifies a graph that this process does not have open.
     *
     * @param scratch an existing directory with room for the tables
     */
    public static Report run(Path graphDirectory, StorageOptions options, Path scratch) {
        try (EventLog log = EventLog.openReadOnly(graphDirectory)) {
            LogVerification.Report events = LogVerification.run(log);
            List<String> findings = new ArrayList<>();
            events.damaged().forEach(damage -> findings.add(String.valueOf(damage.getMessage())));
            findings.addAll(events.blobFindings());
            long applied = -1;
            if (events.damaged().isEmpty() && TrustFile.of(log, options).isComplete()) {
                applied = compare(log, graphDirectory, options, scratch, findings);
            }
            return new Report(
                    events.events(), events.changes(), events.bytes(), events.blobs(), applied, List.copyOf(findings));
        }
    }

    private static long compare(
            EventLog log, Path graphDirectory, StorageOptions options, Path scratch, List<String> findings) {
        try (ProjectionEnvironment tables = ProjectionEnvironment.open(
                graphDirectory.resolve(GraphTables.DIRECTORY), LmdbOptions.reading(), CommitHook.NONE)) {
            return compare(log, tables, options, scratch, findings);
        } catch (StorageFailure e) {
            if (e.kind() != StorageFailure.Kind.DAMAGED) {
                throw e;
            }
            findings.add("the tables cannot be opened (" + e.getMessage() + "): run rebuild");
            return -1;
        }
    }

    /** Compares open tables with a replay; returns the offset up to which they were compared. */
    static long compare(
            EventLog log, ProjectionEnvironment tables, StorageOptions options, Path scratch, List<String> findings) {
        try {
            Path fresh = Files.createTempDirectory(scratch, "verify-");
            try (ReadTransaction read = tables.environment().read()) {
                // Cleanup makes its marks durable before it deletes entries, so the marks are read after the tables are
                // opened.
                Retention retention = log.reloadRetention();
                if (retention.base() != null
                        && !new Checkpoints(log.directory())
                                .restore(
                                        fresh,
                                        options.projection(),
                                        retention.base().offset())) {
                    findings.add(
                            "the base image that the last cleanup made is missing or damaged: restore the graph from a backup");
                    return -1;
                }
                return compare(log, tables.access(read), retention, options, fresh, findings);
            } catch (LmdbNativeException e) {
                if (StorageFailure.of(e, log.directory()).kind() != StorageFailure.Kind.DAMAGED) {
                    throw e;
                }
                findings.add("the tables cannot be read (" + e.getMessage() + "): run rebuild");
                return -1;
            } catch (DamagedDataException e) {
                findings.add(e.damage());
                return -1;
            } finally {
                FileTrees.delete(fresh);
            }
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    scratch + ": no room to verify in (" + e.getMessage() + "); name another folder with --scratch",
                    e);
        }
    }

    private static long compare(
            EventLog log,
            TableAccess access,
            Retention retention,
            StorageOptions options,
            Path fresh,
            List<String> findings) {
        long applied = AppliedTable.offset(access);
        if (applied > log.tail().offset()) {
            findings.add("the tables have applied event "
                    + applied
                    + ", the log ends with event "
                    + log.tail().offset()
                    + ": run rebuild");
            return applied;
        }
        try (ProjectionEnvironment again = ProjectionEnvironment.open(fresh, options.projection(), CommitHook.NONE)) {
            new CatchUp(log, again, options.catalogs()).run(applied, offset -> {});
            try (ReadTransaction readAgain = again.environment().read()) {
                TableAccess made = again.access(readAgain);
                TablesCompared.Difference difference = TablesCompared.difference(access, made, retention);
                try (GraphSession session =
                        new Sessions(again, log, options.catalogs(), ViewSource.TABLES).over(made)) {
                    TableFindings named = new TableFindings(made, session);
                    if (difference != null) {
                        findings.add(named.sentence(difference) + ": run rebuild");
                    } else {
                        findings.addAll(named.miscounted());
                    }
                }
            }
            return applied;
        }
    }
}
