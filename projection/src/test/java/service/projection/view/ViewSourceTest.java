package service.projection.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.MustBeClosed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.log.commit.WriterClock;
import service.log.format.EventLog;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.projection.TestGraph;
import service.projection.apply.LiveProjector;
import service.projection.table.IdTable;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

final class ViewSourceTest {
    private static final WriterClock CLOCK = new WriterClock() {
        @Override
        public long nowMicros() {
            return 0;
        }

        @Override
        public Ulid nextId() {
            throw new UnsupportedOperationException();
        }
    };

    @TempDir
    Path directory;

    /** Gives the views of the tables and notes their points. */
    private static final class Noting implements ViewSource {
        final List<ReadPoint> opened = new ArrayList<>();

        @MustBeClosed
        @Override
        public GraphView view(TableAccess access, Chain chain, ReadPoint point, Catalogs.Compiled schema) {
            opened.add(point);
            return TABLES.view(access, chain, point, schema);
        }
    }

    private static ReadPoint readMain(GraphSession session) {
        ReadPoint head = Objects.requireNonNull(session.branch("main")).headPoint();
        try (GraphView view = session.view(head)) {
            assertThat(view.count(SmallGraph.PERSON)).isZero();
        }
        return head;
    }

    @Test
    void readingSessionsUseTheSourceAndTheWriterReadsTheTables() {
        Noting source = new Noting();
        try (EventLog log = EventLog.create(
                        directory.resolve("graph"),
                        LmdbOptions.unsynced(),
                        CommitHook.NONE,
                        SmallGraph.SCHEMA,
                        "tester",
                        0);
                ProjectionEnvironment tables = ProjectionEnvironment.open(
                        directory.resolve("tables"), TestGraph.options().projection(), CommitHook.NONE)) {
            Sessions sessions = new Sessions(tables, log, TestGraph.CATALOGS, source);
            new LiveProjector(
                            tables,
                            log,
                            sessions,
                            TestGraph.CATALOGS,
                            IdTable.ORDINALS_MAX,
                            service.projection.resident.DirtyMarks.none())
                    .catchUp(0);
            try (GraphSession session = sessions.reading()) {
                assertThat(source.opened).isEmpty();
                assertThat(readMain(session)).isEqualTo(source.opened.getFirst());
            }
            try (ReadTransaction read = tables.environment().read()) {
                TableAccess access = tables.access(read);
                try (GraphSession session = sessions.writing(access, CLOCK, () -> 0, log::retention)) {
                    readMain(session);
                } finally {
                    access.end();
                }
            }
            assertThat(source.opened).hasSize(1);
        }
    }
}
