package service.projection.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
 * Opens the tables of a graph whose log is open. Under the writer's lock, {@link #open} takes the tables that are
 * there, or the newest checkpoint, or none, and replays the rest of the log. Without the lock, {@link #openForReading}
 * only ever opens tables that are complete.
 */
final class GraphTables {
    /** The tables' directory inside the graph's. */
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

    /** Tables that have applied the whole log, to be closed by the caller, and what was replayed for it. */
    record Opened(ProjectionEnvironment environment, CatchUp.Result replayed) {}

    /**
     * Opens the tables for writing and brings them up to the log.
     *
     * @param progress told the last offset of each batch that was replayed
     * @throws StorageFailure DAMAGED when the base image that a replay would have to start from is missing
     */
    Opened open(LongConsumer progress) {
        ProjectionEnvironment environment = prepare();
        try {
            long last = log.tail().offset();
            if (applied(environment) < last) {
                trust.markFilling();
            }
            CatchUp.Result replayed = new CatchUp(log, environment, options.catalogs()).run(last, progress);
            trust.markOpen();
            return new Opened(environment, replayed);
        } catch (RuntimeException e) {
            environment.close();
            throw e;
        }
    }

    /** Brings the tables up to the log, makes them durable and closes them. */
    CatchUp.Result catchUp(LongConsumer progress) {
        Opened opened = open(progress);
        try (ProjectionEnvironment environment = opened.environment()) {
            environment.environment().sync();
        }
        trust.markClean();
        return opened.replayed();
    }

    /**
     * Gives back the ordinals of entities that no readable state knows, in tables that a rebuild has just made from a
     * base image, and makes them the new base image: a replay has to give the same ordinals again. Killed anywhere, the
     * next open makes the tables from one of the two images.
     */
    void reclaimOrdinals(Checkpoints checkpoints) {
        if (log.retention().base() == null || log.retention().phase() != Retention.Phase.DONE) {
            return;
        }
        trust.forget();
        try (ProjectionEnvironment environment = openForWriting()) {
            long reclaimed = OrdinalReclaim.run(environment);
            if (reclaimed > 0) {
                LOG.info("{}: {} ordinals of deleted entities can be given again", log.directory(), reclaimed);
                checkpoints.write(
                        environment,
                        log.tail().offset(),
                        base -> log.retain(log.retention().based(base, Retention.Phase.DONE)));
            }
            environment.environment().sync();
        }
        trust.markClean();
    }

    /**
     * Opens the tables for reading where they are complete and have applied the log as it was when it was opened.
     *
     * @return null when somebody has to bring them up to date under the writer's lock first
     */
    static @org.jspecify.annotations.Nullable ProjectionEnvironment openForReading(
            EventLog log, StorageOptions options) {
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
        // A writer that replaces the tables withdraws the mark first: marked still, these are the ones it is about.
        if (trust.isComplete() && isCurrent(environment, log)) {
            return environment;
        }
        environment.close();
        return null;
    }

    private static boolean isCurrent(ProjectionEnvironment environment, EventLog log) {
        try (var read = environment.environment().read()) {
            var access = environment.access(read);
            return AppliedTable.version(access) == AppliedTable.VERSION
                    && AppliedTable.offset(access) >= log.tail().offset();
        }
    }

    /** Opens the tables that may be trusted, else a checkpoint's, else empty ones. */
    private ProjectionEnvironment prepare() {
        if (trust.isUsable()) {
            ProjectionEnvironment environment = openForWriting();
            if (fits(environment)) {
                return environment;
            }
            LOG.warn("{}: the tables do not fit the log; they are made anew", log.directory());
            environment.close();
        }
        trust.forget();
        remove();
        if (new Checkpoints(log.directory()).restore(directory, leastApplied())) {
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

    /** What tables must have applied at least: a replay cannot go through stripped events. */
    private long leastApplied() {
        Retention.Base base = log.retention().base();
        return base == null ? -1 : base.offset();
    }

    private ProjectionEnvironment openForWriting() {
        return ProjectionEnvironment.open(directory, options.projection(), options.hook());
    }

    private boolean fits(ProjectionEnvironment environment) {
        try (var read = environment.environment().read()) {
            var access = environment.access(read);
            int version = AppliedTable.version(access);
            long applied = AppliedTable.offset(access);
            return (version == AppliedTable.VERSION || version == 0)
                    && applied >= leastApplied()
                    && applied <= log.tail().offset();
        }
    }

    private static long applied(ProjectionEnvironment environment) {
        try (var read = environment.environment().read()) {
            return AppliedTable.offset(environment.access(read));
        }
    }

    private void remove() {
        try {
            Checkpoints.deleteTree(directory);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": cannot be removed (" + e.getMessage() + ")", e);
        }
    }
}
