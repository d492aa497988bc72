package service.log.group;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.Event;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;
import service.log.testkit.GroupSinkContract;
import service.log.testkit.MemoryGroupSink.Fault;

/** The sink of a log's environment, with faults before and after the commit of LMDB. */
final class LmdbGroupSinkTest extends GroupSinkContract {
    @TempDir
    Path directory;

    private @Nullable Fault fault;
    private EventLog log;
    private LogTail start;

    private final CommitHook faults = new CommitHook() {
        @Override
        public void beforeCommit(Path environment) {
            if (fault == Fault.LOST_BEFORE) {
                fault = null;
                throw new StorageFailure(StorageFailure.Kind.IO, "lost");
            }
        }

        @Override
        public void afterCommit(Path environment) {
            if (fault != null) {
                fault = fault == Fault.LOST_AFTER_AND_LOOK ? fault : null;
                throw new StorageFailure(StorageFailure.Kind.IO, "no answer");
            }
        }
    };

    @AfterEach
    void close() {
        log.close();
    }

    /** Its look fails once when the fault says so; the environment itself is always readable here. */
    @Override
    protected GroupSink open() {
        log = EventLog.create(
                directory.resolve("g"), LmdbOptions.unsynced(), faults, SmallGraph.SCHEMA, "tester", 1_000);
        start = log.tail();
        GroupSink sink = log.sink();
        return new GroupSink() {
            @Override
            public OpenGroup begin(EncodedGroup group) {
                return sink.begin(group);
            }

            @Override
            public Outcome settle() {
                if (fault == Fault.LOST_AFTER_AND_LOOK) {
                    fault = null;
                    return new Outcome.Unknown(new StorageFailure(StorageFailure.Kind.IO, "no answer"));
                }
                return sink.settle();
            }
        };
    }

    @Override
    protected Ulid graph() {
        return log.graph();
    }

    @Override
    protected LogTail start() {
        return start;
    }

    @Override
    protected List<Event> read() {
        List<Event> events = new ArrayList<>();
        try (EventReader reader = log.read()) {
            reader.scan(
                    start.offset() + 1,
                    (offset, bytes) -> events.add(reader.codec().decode(bytes, offset)));
        }
        return events;
    }

    @Override
    protected void fail(Fault next) {
        fault = next;
    }
}
