package service.projection.apply;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import service.log.commit.Projector;
import service.log.format.EventLog;
import service.log.lmdb.CommitHook;
import service.log.testkit.ProjectorContract;
import service.projection.TestGraph;
import service.projection.table.IdTable;
import service.projection.table.ProjectionEnvironment;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/** The projector of the tables keeps the contract of {@link service.log.commit.Projector}. */
class LiveProjectorTest extends ProjectorContract {
    private ProjectionEnvironment tables;

    @Override
    protected Projector open(EventLog events, Path scratch) {
        tables = ProjectionEnvironment.open(scratch, TestGraph.options().projection(), CommitHook.NONE);
        return new LiveProjector(
                tables,
                events,
                new Sessions(tables, events, TestGraph.CATALOGS, ViewSource.TABLES),
                TestGraph.CATALOGS,
                IdTable.ORDINALS_MAX,
                service.projection.resident.DirtyMarks.none());
    }

    @AfterEach
    void closeTables() {
        tables.close();
    }
}
