package service.projection.view;

import java.util.function.LongSupplier;
import service.core.port.WriteSession;
import service.core.value.Ulid;
import service.log.commit.WriterClock;
import service.projection.table.TableAccess;

/** The session in the transaction of the writer; it sees the events that the group has applied so far. */
final class TableWriteSession extends TableSession implements WriteSession {
    private final WriterClock clock;
    private final LongSupplier applied;

    TableWriteSession(TableAccess access, Catalogs catalogs, History history, WriterClock clock, LongSupplier applied) {
        super(access, catalogs, ViewSource.TABLES, history, () -> {}, null);
        this.clock = clock;
        this.applied = applied;
    }

    @Override
    public long appliedOffset() {
        return applied.getAsLong();
    }

    @Override
    public Ulid nextId() {
        return clock.nextId();
    }

    @Override
    public long nowMicros() {
        return clock.nowMicros();
    }
}
