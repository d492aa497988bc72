package service.log.commit;

import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.event.Event;
import service.core.port.WriteSession;
import service.core.testkit.MemoryTables;
import service.core.testkit.SmallGraph;
import service.log.format.EventLog;
import service.log.format.EventReader;

/** Projects nodes to a map on the heap. Forgets a group that was not committed. Writer thread only. */
public final class MemoryProjector implements Projector {
    private final EventLog log;
    private volatile MemoryTables committed = new MemoryTables(SmallGraph.CATALOG);
    private @Nullable MemoryTables open;
    Consumer<Event> onApply = event -> {};
    Runnable onCommit = () -> {};
    Runnable onCatchUp = () -> {};
    int growths;

    public MemoryProjector(EventLog log) {
        this.log = log;
    }

    @Override
    public WriteSession begin(WriterClock ids) {
        requireNoGroup();
        MemoryTables group = committed.copy();
        open = group;
        return group.session(ids::nextId, ids::nowMicros);
    }

    private void requireNoGroup() {
        if (open != null) {
            throw new AssertionError("a group is open");
        }
    }

    @Override
    public void apply(Event event) {
        onApply.accept(event);
        Objects.requireNonNull(open).apply(event);
    }

    @Override
    public void commit() {
        MemoryTables next = Objects.requireNonNull(open);
        onCommit.run();
        open = null;
        committed = next;
    }

    @Override
    public void abort() {
        open = null;
    }

    @Override
    public long appliedOffset() {
        return committed.appliedOffset();
    }

    @Override
    public void grow() {
        requireNoGroup();
        growths++;
    }

    @Override
    public void catchUp(long lastOffset) {
        requireNoGroup();
        onCatchUp.run();
        MemoryTables next = committed.copy();
        try (EventReader reader = log.read()) {
            reader.scan(next.appliedOffset() + 1, (offset, bytes) -> {
                next.apply(reader.codec().decode(bytes, offset));
                return true;
            });
        }
        committed = next;
    }

    /** Ids of the nodes of {@link Commands} on main. */
    Set<String> ids() {
        return committed
                .head("main")
                .getOrDefault(Commands.TYPE, new TreeMap<>())
                .keySet();
    }
}
