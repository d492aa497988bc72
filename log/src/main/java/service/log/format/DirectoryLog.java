package service.log.format;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import service.core.event.SchemaChange;
import service.log.group.GroupSink;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;

/**
 * A log whose environment, in the directory of its graph, is the durable one.
 *
 * @param closed called when the log is closed: gives back what its opener holds, such as a lock
 */
public record DirectoryLog(Path directory, LmdbOptions options, CommitHook hook, Runnable closed) implements LogHome {
    /** A log whose opener holds nothing. */
    public DirectoryLog(Path directory, LmdbOptions options, CommitHook hook) {
        this(directory, options, hook, () -> {});
    }

    /**
     * Checks without opening it that there is a graph, whose log has all its pages.
     *
     * @throws service.core.error.ServiceException NOT_FOUND when there is no such graph
     * @throws service.log.lmdb.StorageFailure when the log is cut or cannot be read
     */
    public void requireGraph() {
        EventLogOpening.requireGraph(directory);
        LmdbEnvironment.requireWhole(directory.resolve(EventLog.DIRECTORY));
    }

    @Override
    public EventLog create(SchemaChange schema, @Nullable String actor, long nowMicros) {
        return EventLog.create(directory, options, hook, schema, actor, nowMicros);
    }

    @Override
    public EventLog open() {
        return EventLog.open(directory, options, hook);
    }

    @Override
    public GroupSink sink(EventLog log, Runnable settled) {
        return log.sink();
    }

    @Override
    public void close(EventLog log, GroupSink sink) {
        try {
            log.close();
        } finally {
            closed.run();
        }
    }
}
