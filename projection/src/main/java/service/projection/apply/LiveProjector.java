package service.projection.apply;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import service.core.event.Event;
import service.core.port.WriteSession;
import service.log.commit.Projector;
import service.log.commit.WriterClock;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;
import service.projection.resident.DirtyMarks;
import service.projection.table.AppliedTable;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;
import service.projection.view.Sessions;

/**
 * Applies events of the writer. The entries of a small event are put one by one; those of a large load are put in
 * sorted runs, as in a replay.
 */
public final class LiveProjector implements Projector, AutoCloseable {
    private static final long WINDOW_BYTES = 16L << 20;
    private static final int BULK_CHANGES = 512;

    /** More events of other processes are replayed. */
    private static final int FOLLOWED_EVENTS_MAX = 1_000;

    private final ProjectionEnvironment environment;
    private final EventLog log;
    private final Sessions sessions;
    private final CatalogSource catalogs;
    private final int ordinalsMax;
    private final DirtyMarks marks;
    private @Nullable EventApplier applier;
    private @Nullable SortedPuts sorted;
    private @Nullable WriteTransaction write;
    private @Nullable TableAccess access;
    private @Nullable WriteSession session;
    private boolean touched;
    private long committed;
    private long applied;

    /** What cleanup has taken by an event of the open group; null without one. */
    private @Nullable Retention reclaimed;

    /**
     * @param ordinalsMax entities that a type can have had: {@link service.projection.table.IdTable#ORDINALS_MAX}
     * @param marks is told what changes, before the commit is visible
     */
    public LiveProjector(
            ProjectionEnvironment environment,
            EventLog log,
            Sessions sessions,
            CatalogSource catalogs,
            int ordinalsMax,
            DirtyMarks marks) {
        this.marks = marks;
        this.ordinalsMax = ordinalsMax;
        this.environment = environment;
        this.log = log;
        this.sessions = sessions;
        this.catalogs = catalogs;
        this.committed = appliedOffset(environment);
        this.applied = committed;
    }

    private static long appliedOffset(ProjectionEnvironment environment) {
        try (var read = environment.environment().read()) {
            return AppliedTable.offset(environment.access(read));
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // closed by commit() and abort()
    @Override
    public WriteSession begin(WriterClock ids) {
        WriteTransaction transaction = environment.environment().write();
        TableAccess tables = environment.access(transaction);
        write = transaction;
        access = tables;
        WriteSession opened = sessions.writing(tables, ids, () -> applied, this::retention);
        session = opened;
        return opened;
    }

    @Override
    public void apply(Event event) {
        if (event.offset() != applied + 1) {
            throw new IllegalStateException("event " + event.offset() + " after " + applied);
        }
        TableAccess tables = tables();
        EventApplier into = applier;
        if (into == null) {
            into = new EventApplier(catalogs, tables, new DirectPuts(tables), WINDOW_BYTES, ordinalsMax, marks);
            applier = into;
        }
        touched = true;
        if (event instanceof Event.HistoryReclaimed marks) {
            reclaimed = retention().markedAs(Retention.decode(marks.marks()));
        }
        if (event instanceof Event.Commit commit && isMigration(commit)) {
            // The values that blocks keep were read under the schema before.
            marks.forgetAll();
        }
        boolean bulky = bulky(event);
        into.into(tables, bulky ? sorted(tables) : new DirectPuts(tables));
        into.apply(event);
        into.drain();
        applied = event.offset();
        if (bulky) {
            giveBackMemory();
        }
    }

    private Retention retention() {
        Retention open = reclaimed;
        return open == null ? log.retention() : open;
    }

    /** Asks the tables with the events of the open group. Writer thread, inside of a command. */
    public boolean asks(Predicate<TableAccess> question) {
        return question.test(tables());
    }

    private static boolean bulky(Event event) {
        return switch (event) {
            case Event.Commit commit -> commit.changes().count() > BULK_CHANGES || isMigration(commit);
            case Event.BranchFastForwarded moved -> moved.changes().count() > BULK_CHANGES;
            case Event.BranchCreated ignored -> false;
            case Event.BranchDeleted ignored -> false;
            case Event.WriteRemembered ignored -> false;
            case Event.TagCreated ignored -> false;
            case Event.TagDeleted ignored -> false;
            case Event.HistoryReclaimed ignored -> false;
        };
    }

    /** It may make an index of all entities of a type. */
    private static boolean isMigration(Event.Commit commit) {
        return commit.header().schema() != null && commit.header().parent() != null;
    }

    private SortedPuts sorted(TableAccess tables) {
        if (sorted == null) {
            sorted = new SortedPuts(tables);
        } else {
            sorted.into(tables);
        }
        return sorted;
    }

    @Override
    public void commit() {
        TableAccess tables = tables();
        if (applied > committed) {
            EventApplier.mark(tables, applied);
        }
        WriteTransaction transaction = write;
        end();
        try {
            if (transaction != null) {
                transaction.commit();
            }
        } catch (RuntimeException | Error e) {
            forget();
            throw e;
        }
        committed = applied;
        touched = false;
    }

    @Override
    public void abort() {
        WriteTransaction transaction = write;
        end();
        forget();
        if (transaction != null) {
            transaction.close();
        }
    }

    private void forget() {
        if (touched) {
            applied = committed;
            touched = false;
            giveBackMemory();
            sessions.aborted();
        }
    }

    private void giveBackMemory() {
        if (applier != null) {
            applier.close();
            applier = null;
        }
        if (sorted != null) {
            sorted.close();
            sorted = null;
        }
    }

    private void end() {
        reclaimed = null;
        if (session != null) {
            session.close();
            session = null;
        }
        if (access != null) {
            access.end();
        }
        write = null;
        access = null;
    }

    private TableAccess tables() {
        if (access == null) {
            throw new IllegalStateException("no group is open");
        }
        return access;
    }

    @Override
    public long appliedOffset() {
        return committed;
    }

    @Override
    public void grow() {
        environment.environment().grow();
    }

    /** A few events are applied as the writer's, so that blocks keep what they do not change. */
    @Override
    public void follow(long lastOffset) {
        if (lastOffset - committed > FOLLOWED_EVENTS_MAX) {
            catchUp(lastOffset);
            return;
        }
        boolean done = false;
        while (!done) {
            try {
                followOnce(lastOffset);
                done = true;
            } catch (LmdbException e) {
                growOr(StorageFailure.of(e, environment.environment().directory()));
            } catch (StorageFailure e) {
                growOr(e);
            }
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // closed by commit() and abort()
    private void followOnce(long lastOffset) {
        boolean done = false;
        try (EventReader events = log.read()) {
            WriteTransaction transaction = environment.environment().write();
            write = transaction;
            access = environment.access(transaction);
            events.scan(committed + 1, (offset, bytes) -> {
                if (offset <= lastOffset) {
                    apply(events.codec().decode(bytes, offset));
                }
                return offset < lastOffset;
            });
            commit();
            done = true;
        } finally {
            if (!done) {
                abort();
            }
        }
    }

    private void growOr(StorageFailure failure) {
        if (failure.kind() != StorageFailure.Kind.MAP_FULL) {
            throw failure;
        }
        grow();
    }

    @Override
    public void catchUp(long lastOffset) {
        forget();
        giveBackMemory();
        // A replay marks nothing.
        marks.forgetAll();
        // A failed commit may have been written; the tables show whether it was.
        long reached = new CatchUp(log, environment, catalogs)
                .run(lastOffset, offset -> committed = offset)
                .applied();
        committed = reached;
        applied = reached;
    }

    @Override
    public void close() {
        giveBackMemory();
    }
}
