package service.projection.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.event.EventFormatException;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;
import service.log.retain.Retention;
import service.projection.apply.CatchUp;
import service.projection.retain.OrdinalReclaim;
import service.projection.table.AppliedTable;
import service.projection.table.ProjectionEnvironment;

/**
 * Opens the tables of a graph whose log is open. With the writer lock, {@link #open} takes the existing tables, or else
 * the newest checkpoint, or else empty tables, and replays the rest of the log. Without the lock,
 * {@link #openForReading} only opens tables that are complete.
 */
final class GraphTables {
    /** The directory of the tables in the directory of the graph. */
    static final String DIRECTORY = "projection";

    private static final Logger LOG = LoggerFactory.getLogger(GraphTables.class);

    private final EventLog log;
    private final StorageOptions options;
    private final Path directory;
    private final TrustFile trust;

    GraphTables(EventLog log, StorageOptions options) {
        this.log = log;
        this.options = options;
        this.directory = log.directory().resolve(DIRECTORY);
        this.trust = TrustFile.of(log, options);
    }

    TrustFile trust() {
        return trust;
    }

    /** Tables that have applied the whole log, and what the replay did. The caller closes the tables. */
    record Opened(ProjectionEnvironment environment, CatchUp.Result replayed) {}

    /**
     * Opens the tables for writing and replays the events that they have not applied.
     *
     * @param progress called with the last offset of each replayed batch
     * @throws StorageFailure DAMAGED when the base image from which a replay must start is missing
     */
    Opened open(LongConsumer progress) {
        ProjectionEnvironment environment = prepare();
        try {
            long last = log.tail().offset();
            if (applied(environment) < last) {
                trust.markFilling();
            }
            CatchUp.Result replayed = new CatchUp(log, environment, options.catalogs()).run(last, progress);
            if (log.retention().isSweptInKeyOrder()) {
                log.retain(log.retention().withTablesOfLog());
            }
            trust.opened();
            return new Opened(environment, replayed);
        } catch (RuntimeException e) {
            environment.close();
            throw e;
        }
    }

    /** Replays the events that the tables have not applied, syncs the tables and closes them. */
    CatchUp.Result catchUp(LongConsumer progress) {
        Opened opened = open(progress);
        try (ProjectionEnvironment environment = opened.environment()) {
            environment.environment().sync();
        }
        trust.markClean();
        return opened.replayed();
    }

    /**
     * Frees the ordinals of entities that no readable state has, in tables that a rebuild has just made from a base
     * image, and makes these tables the new base image, because a replay must assign the same ordinals again. When the
     * process is killed, the next open makes the tables from the old base image or the new one.
     */
    void reclaimOrdinals(Checkpoints checkpoints) {
        if (log.retention().base() == null || log.retention().phase() != Retention.Phase.DONE) {
            return;
        }
        trust.forget();
        try (ProjectionEnvironment environment = openForWriting()) {
            long reclaimed = OrdinalReclaim.run(environment);
            if (reclaimed > 0) {
                LOG.info("{}: {} ordinals of deleted entities are free for new entities", log.directory(), reclaimed);
                checkpoints.write(
                        environment,
                        log.retention(),
                        log.tail().offset(),
                        base -> log.retain(log.retention().based(base, Retention.Phase.DONE)));
            }
            environment.environment().sync();
        }
        trust.markClean();
    }

    /**
     * Opens the tables for reading if they are complete.
     *
     * @param least an offset that they must have applied
     * @return null when the tables must first be brought up to date under the writer lock
     */
    static @Nullable ProjectionEnvironment openForReading(EventLog log, StorageOptions options, long least) {
        TrustFile trust = TrustFile.of(log, options);
        if (!trust.isComplete()) {
            return null;
        }
        ProjectionEnvironment environment;
        try {
            environment = ProjectionEnvironment.open(
                    log.directory().resolve(DIRECTORY), LmdbOptions.reading(), CommitHook.NONE);
        } catch (StorageFailure e) {
            LOG.debug("{}: the tables cannot be opened for reading yet", log.directory(), e);
            return null;
        }
        // A writer withdraws the mark before it replaces the tables. So if the mark is still there, it is about these
        // tables.
        if (trust.isComplete() && isCurrent(environment, least)) {
            return environment;
        }
        environment.close();
        return null;
    }

    private static boolean isCurrent(ProjectionEnvironment environment, long least) {
        try (var read = environment.environment().read()) {
            var access = environment.access(read);
            return AppliedTable.isThisLayout(access) && AppliedTable.offset(access) >= least;
        }
    }

    /** Opens the existing tables if they may be trusted, else those of a checkpoint, else empty ones. */
    private ProjectionEnvironment prepare() {
        boolean distrusted = log.retention().isSweptInKeyOrder();
        if (distrusted) {
            LOG.warn(
                    "{}: an earlier version was stopped in a cleanup: the tables are made again from the log",
                    log.directory());
            new Checkpoints(log.directory()).keepBase(log.retention().base());
        }
        ProjectionEnvironment existing = trust.isUsable() && !distrusted ? openWhole() : null;
        if (existing != null) {
            if (fits(existing)) {
                return existing;
            }
            requireLogReaches(existing);
            LOG.warn("{}: the tables do not fit the log and are made again from it", log.directory());
            existing.close();
        }
        trust.forget();
        remove();
        if (new Checkpoints(log.directory()).restore(directory, options.projection(), leastApplied())) {
            ProjectionEnvironment environment = openForWriting();
            if (fits(environment)) {
                return environment;
            }
            environment.close();
            remove();
        }
        if (log.retention().base() != null) {
            throw new StorageFailure(
                    StorageFailure.Kind.DAMAGED,
                    log.directory()
                            + ": the base image that its last cleanup made is missing, damaged, or of another layout: restore the graph from a backup");
        }
        return openForWriting();
    }

    /** The offset that the tables must have applied at least, because a replay cannot apply stripped events. */
    private long leastApplied() {
        Retention.Base base = log.retention().base();
        return base == null ? -1 : base.offset();
    }

    private ProjectionEnvironment openForWriting() {
        return ProjectionEnvironment.open(directory, options.projection(), trust.onCommit(options.hook()));
    }

    /** The tables; null when their file is damaged, so that they must be made again. */
    private @Nullable ProjectionEnvironment openWhole() {
        try {
            return openForWriting();
        } catch (StorageFailure e) {
            if (e.kind() != StorageFailure.Kind.DAMAGED) {
                throw e;
            }
            LOG.warn("{}: the tables are made again from the log: {}", log.directory(), e.getMessage());
            return null;
        }
    }

    private boolean fits(ProjectionEnvironment environment) {
        try (var read = environment.environment().read()) {
            var access = environment.access(read);
            long applied = AppliedTable.offset(access);
            return (AppliedTable.isThisLayout(access) || AppliedTable.isEmpty(access))
                    && applied >= leastApplied()
                    && applied <= log.tail().offset();
        }
    }

    /** Tables are committed after the log, so complete tables of this layout never have events that the log lacks. */
    private void requireLogReaches(ProjectionEnvironment environment) {
        long last = log.tail().offset();
        long applied;
        boolean isThisLayout;
        try (var read = environment.environment().read()) {
            var access = environment.access(read);
            applied = AppliedTable.offset(access);
            isThisLayout = AppliedTable.isThisLayout(access);
        }
        if (isThisLayout && applied > last) {
            environment.close();
            throw EventFormatException.damaged(
                    last + 1,
                    "missing: the log ends with event " + last + ", the tables have applied event " + applied
                            + "; `service rebuild` accepts the log as it is");
        }
    }

    private static long applied(ProjectionEnvironment environment) {
        try (var read = environment.environment().read()) {
            return AppliedTable.offset(environment.access(read));
        }
    }

    private void remove() {
        try {
            FileTrees.delete(directory);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": cannot be removed (" + e.getMessage() + ")", e);
        }
    }
}
