package service.projection.view;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import service.core.port.GraphSession;
import service.core.port.WriteSession;
import service.log.commit.WriterClock;
import service.log.format.EventLog;
import service.log.lmdb.ReadTransaction;
import service.log.retain.Retention;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;

/** Opens sessions on the projection and the log of one graph. Any thread. */
public final class Sessions {
    private final ProjectionEnvironment environment;
    private final EventLog log;
    private final Catalogs catalogs;
    private final Heads heads = new Heads();
    private final ViewSource views;

    /** @param views the views of reading sessions */
    public Sessions(ProjectionEnvironment environment, EventLog log, CatalogSource source, ViewSource views) {
        this.environment = environment;
        this.log = log;
        this.catalogs = new Catalogs(source);
        this.views = views;
    }

    /** A session on the newest committed state; belongs to the calling thread. */
    @SuppressWarnings("MustBeClosedChecker") // closed by the session
    @MustBeClosed
    public GraphSession reading() {
        return reading(() -> {});
    }

    /**
     * As {@link #reading()}.
     *
     * @param ended called when the session is closed; not when this throws
     */
    @SuppressWarnings("MustBeClosedChecker") // closed by the session
    @MustBeClosed
    public GraphSession reading(Runnable ended) {
        return reading(log::retention, ended);
    }

    /** @param marks gives what was reclaimed when the transaction had begun */
    @SuppressWarnings("MustBeClosedChecker") // closed by the session
    @MustBeClosed
    private GraphSession reading(Supplier<Retention> marks, Runnable ended) {
        ReadTransaction read = environment.environment().read();
        TableAccess access = environment.access(read);
        Runnable end = () -> {
            try {
                access.end();
            } finally {
                read.close();
            }
        };
        Runnable closed = () -> {
            try {
                end.run();
            } finally {
                ended.run();
            }
        };
        try {
            Retention begun = marks.get();
            return new TableSession(
                    access,
                    catalogs,
                    views,
                    new TableSession.History(log::read, () -> begun, log::retention),
                    closed,
                    new TableSession.CommittedHeads(heads, read.txn().getId()));
        } catch (RuntimeException e) {
            end.run();
            throw e;
        }
    }

    /**
     * The same while another process writes. Its cleanup sets marks in the log before it deletes from the tables, so
     * the marks are read after the transaction on the tables has begun.
     *
     * @param ended called when the session is closed; not when this throws
     */
    @MustBeClosed
    public GraphSession readingBeside(Runnable ended) {
        return reading(log::reloadRetention, ended);
    }

    /**
     * A session on tables that the caller has opened; the caller closes them after the session.
     *
     * @param access used by the calling thread alone
     */
    @MustBeClosed
    public GraphSession over(TableAccess access) {
        return new TableSession(
                access, catalogs, views, TableSession.History.of(log::read, log::retention), () -> {}, null);
    }

    /** Forgets what an aborted group has cached. Writer thread. */
    public void aborted() {
        catalogs.forget();
    }

    /**
     * A session inside the writer's transaction.
     *
     * @param applied the last offset applied in it
     * @param reclaimed what cleanup has taken, with the events applied in it
     */
    public WriteSession writing(
            TableAccess access, WriterClock clock, LongSupplier applied, Supplier<Retention> reclaimed) {
        return new TableWriteSession(
                access, catalogs, new TableSession.History(log::readInside, reclaimed, reclaimed), clock, applied);
    }
}
