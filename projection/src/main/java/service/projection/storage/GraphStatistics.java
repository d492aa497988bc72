package service.projection.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.log.format.EventLog;
import service.log.lmdb.ReadTransaction;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/**
 * Sizes and counts of a graph. Each figure costs one look-up and no scan.
 *
 * @param events events in the log
 * @param applied last offset applied to the tables
 * @param logBytes bytes of the log on disk
 * @param projectionBytes bytes of the tables on disk
 * @param checkpointOffset offset of the newest checkpoint; −1 when there is none
 * @param branches number of live branches
 * @param entities number of live entities on main, by type name
 * @param tableEntries entries by table: all versions on all branches
 */
public record GraphStatistics(
        long events,
        long applied,
        long logBytes,
        long projectionBytes,
        long checkpointOffset,
        int branches,
        Map<String, Long> entities,
        Map<String, Long> tableEntries) {

    static GraphStatistics of(LmdbGraphStorage storage) {
        EventLog log = storage.events();
        Path directory = log.directory();
        try (GraphSession session = storage.session();
                ReadTransaction read = storage.environment().environment().read()) {
            TableAccess access = storage.environment().access(read);
            Map<String, Long> tables = new LinkedHashMap<>();
            for (ProjectionTable table : ProjectionTable.values()) {
                tables.put(table.tableName(), access.entries(table));
            }
            return new GraphStatistics(
                    log.tail().offset() + 1,
                    session.appliedOffset(),
                    size(directory.resolve(EventLog.DIRECTORY)),
                    size(directory.resolve(LmdbGraphStorage.PROJECTION)),
                    new Checkpoints(directory).newestOffset(),
                    session.branchCount(),
                    entities(session),
                    tables);
        }
    }

    private static Map<String, Long> entities(GraphSession session) {
        Map<String, Long> entities = new LinkedHashMap<>();
        Branch main = session.branch("main");
        if (main != null) {
            try (GraphView view = session.view(main.headPoint())) {
                for (EntityType type : view.catalog().nodes()) {
                    entities.put(type.name(), view.count(type.identity()));
                }
                for (EntityType type : view.catalog().edges()) {
                    entities.put(type.name(), view.count(type.identity()));
                }
            }
        }
        return entities;
    }

    private static long size(Path environment) {
        try {
            return Files.size(environment.resolve("data.mdb"));
        } catch (IOException e) {
            return 0;
        }
    }
}
