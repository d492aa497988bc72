package service.projection.view;

import java.util.function.LongSupplier;
import service.core.port.GraphSession;
import service.core.port.WriteSession;
import service.log.commit.WriterClock;
import service.log.format.EventLog;
import service.log.lmdb.ReadTransaction;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;

/** Opens sessions on the projection of one graph and the log beside it. Any thread. */
public final class Sessions {
    private final ProjectionEnvironment environment;
    private final EventLog log;
    private final Catalogs catalogs;

    public Sessions(ProjectionEnvironment environment, EventLog log, CatalogSource source) {
        this.environment = environment;
        this.log = log;
        this.catalogs = new Catalogs(source);
    }

    /** A session on the newest committed state; belongs to the calling thread. */
    public GraphSession reading() {
        ReadTransaction read = environment.environment().read();
        TableAccess access = environment.access(read);
        return new TableSession(access, catalogs, log::read, log::retention, () -> {
            access.end();
            read.close();
        });
    }

    /**
     * The same beside another process that writes: what its cleanup takes is marked in the log before it leaves the
     * tables, so the marks are read after the tables' transaction has begun.
     */
    public GraphSession readingBeside() {
        GraphSession session = reading();
        try {
            log.reloadRetention();
            return session;
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /**
     * A session on tables that somebody else has opened, and closes after it.
     *
     * @param access used by the calling thread alone
     */
    public GraphSession over(TableAccess access) {
        return new TableSession(access, catalogs, log::read, log::retention, () -> {});
    }

    /** Forgets what only an aborted group has seen; writer thread. */
    public void aborted() {
        catalogs.forget();
    }

    /**
     * A session inside the writer's transaction.
     *
     * @param applied the last offset applied in it
     */
    public WriteSession writing(TableAccess access, WriterClock clock, LongSupplier applied) {
        return new TableWriteSession(access, catalogs, log::readInside, log::retention, clock, applied);
    }
}
