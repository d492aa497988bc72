package service.projection.table;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.DirectBuffer;
import org.lmdbjava.Dbi;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;

/** An environment that holds the tables of one graph. */
public final class ProjectionEnvironment implements AutoCloseable {
    private final LmdbEnvironment environment;
    private final int pageBytes;
    private final Map<ProjectionTable, Dbi<DirectBuffer>> tables = new EnumMap<>(ProjectionTable.class);

    private final Queue<TableAccess.Tools> tools = new ConcurrentLinkedQueue<>();

    public ProjectionEnvironment(LmdbEnvironment environment) {
        this.environment = environment;
        this.pageBytes = environment.pageBytes();
        for (ProjectionTable table : ProjectionTable.values()) {
            if (environment.has(table.tableName())) {
                tables.put(table, environment.table(table.tableName()));
            }
        }
    }

    public static ProjectionEnvironment open(Path directory, LmdbOptions options, CommitHook hook) {
        return new ProjectionEnvironment(LmdbEnvironment.open(directory, options, ProjectionTable.lmdbTables(), hook));
    }

    public LmdbEnvironment environment() {
        return environment;
    }

    public TableAccess access(ReadTransaction read) {
        return new TableAccess(tables, read.txn(), read, pageBytes, tools);
    }

    public TableAccess access(WriteTransaction write) {
        return new TableAccess(tables, write.txn(), null, 0, tools);
    }

    @Override
    public void close() {
        environment.close();
    }
}
