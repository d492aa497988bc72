package service.log.group;

import java.util.List;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.value.Ulid;
import service.log.testkit.GroupSinkContract;
import service.log.testkit.MemoryGroupSink;

final class MemoryGroupSinkTest extends GroupSinkContract {
    private static final Ulid GRAPH = new Ulid(5, 6);

    private final MemoryGroupSink sink = new MemoryGroupSink(GRAPH);

    @Override
    protected GroupSink open() {
        return sink;
    }

    @Override
    protected Ulid graph() {
        return GRAPH;
    }

    @Override
    protected LogTail start() {
        return new LogTail(0, EventCodec.hashBeforeFirst(), 0, new Ulid(1, 1), 1, LogTail.FIRST_GENERATION);
    }

    @Override
    protected List<Event> read() {
        return sink.events(start());
    }

    @Override
    protected void fail(MemoryGroupSink.Fault fault) {
        sink.fail(fault);
    }
}
