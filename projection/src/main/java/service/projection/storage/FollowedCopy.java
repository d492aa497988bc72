package service.projection.storage;

import com.google.errorprone.annotations.MustBeClosed;
import java.time.Duration;
import java.util.Arrays;
import service.core.event.EventCodec;
import service.core.port.GraphSession;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.FollowedLog;
import service.log.format.StoredBlobs;
import service.log.group.LogTail;
import service.projection.apply.CatchUp;
import service.projection.table.ProjectionEnvironment;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/**
 * A copy of a graph that another process writes elsewhere: its log, and tables that have applied it. One thread at a
 * time appends to it; sessions and reads of blobs may begin on any thread until it is closed.
 */
final class FollowedCopy {
    private final FollowedLog home;
    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final OwnFiles files;
    private final Sessions sessions;
    private final StoredBlobs blobs;
    private final CatchUp catchUp;

    private FollowedCopy(FollowedLog home, EventLog log, StorageOptions options) {
        this.home = home;
        this.log = log;
        GraphTables tables = new GraphTables(log, options);
        this.environment = tables.open(offset -> {}).environment();
        this.files = new OwnFiles(log, environment, tables.trust());
        this.sessions = new Sessions(environment, log, options.catalogs(), ViewSource.TABLES);
        this.blobs = new StoredBlobs(log);
        this.catchUp = new CatchUp(log, environment, options.catalogs());
    }

    /** Opens the copy, or makes it, with every event that is durable now. Throws what {@link FollowedLog#open} does. */
    static FollowedCopy open(FollowedLog home, StorageOptions options) {
        EventLog log = home.open();
        try {
            return new FollowedCopy(home, log, options);
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
    }

    FollowedLog home() {
        return home;
    }

    EventLog log() {
        return log;
    }

    ProjectionEnvironment environment() {
        return environment;
    }

    StoredBlobs blobs() {
        return blobs;
    }

    @MustBeClosed
    GraphSession session(Runnable ended) {
        return sessions.reading(ended);
    }

    /** Whether sessions are open. */
    boolean isRead() {
        return environment.environment().openReads() > 0;
    }

    /** Appends new events to the log. See {@link FollowedLog#takeNew}. */
    long takeNew(Duration most) {
        return home.takeNew(log, most);
    }

    /** Applies the whole log to the tables, so that new sessions see it. */
    LogTail show() {
        LogTail tail = log.tail();
        catchUp.run(tail.offset(), offset -> {});
        return tail;
    }

    /** Whether this has the history of another copy up to its end, and maybe more. */
    boolean continues(FollowedCopy other) {
        LogTail end = other.log.tail();
        if (!log.graph().equals(other.log.graph()) || log.tail().offset() < end.offset()) {
            return false;
        }
        try (EventReader reader = log.read()) {
            return Arrays.equals(EventCodec.hashOf(reader.bytes(end.offset())), end.hash());
        }
    }

    OwnFiles files() {
        return files;
    }

    /** Waits for open sessions, then closes the copy for the next start. */
    void close() {
        try {
            files.closeTables();
        } finally {
            home.close(log);
        }
    }

    /** Waits for open sessions, then deletes the copy. */
    void delete() {
        home.retire();
        environment.close();
        home.close(log);
    }
}
