package service.log.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Image;
import service.core.event.Origin;
import service.core.event.SchemaChange;
import service.core.port.Branch;
import service.core.port.GraphView;
import service.core.port.WriteCommand;
import service.core.port.WriteCommand.Decision;
import service.core.port.WriteCommand.Draft;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;

/** Commands for tests, made without GQ. */
public final class Commands {
    static final SchemaChange SCHEMA = new SchemaChange("node N {}", "sha256:00", new byte[] {1, 2}, List.of("{}"));

    /** The type of the nodes that the commands insert. */
    static final int TYPE = 1;

    private Commands() {}

    /** A strict insert of one node on main; returns the event. */
    static WriteCommand<Event> insert(String id) {
        return insert(id, 60);
    }

    static WriteCommand<Event> insert(String id, int textLength) {
        return session -> {
            Branch main = session.branch("main");
            try (GraphView view = session.view(main.headPoint())) {
                if (view.lookup(TYPE, id) >= 0) {
                    throw ServiceException.conflict("there is a " + id);
                }
            }
            return append(commit(main, id, textLength));
        };
    }

    /** An insert of a node with a value. */
    static WriteCommand<Event> insert(String id, Value value) {
        return session -> append(commit(session.branch("main"), id, value));
    }

    /** A commit of many nodes, long enough to be written by two threads. */
    static WriteCommand<Event> insertMany(String prefix, int nodes) {
        return session -> {
            Draft.Commit one = commit(session.branch("main"), prefix, 60);
            EntityChange first = one.changes().change(0);
            List<EntityChange> changes = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                changes.add(new EntityChange(EntityKind.NODE, TYPE, prefix + (100_000 + i), null, first.after()));
            }
            return append(new Draft.Commit(
                    one.kind(), one.branch(), null, one.origin(), null, null, ChangeBlock.of(changes)));
        };
    }

    static Decision<Event> append(Draft draft) {
        return new Decision.Append<>(draft, event -> event);
    }

    static Draft.Commit commit(Branch branch, String id, int textLength) {
        return commit(branch, id, new Value.Text("x".repeat(textLength)));
    }

    private static Draft.Commit commit(Branch branch, String id, Value value) {
        PropertyRow row = PropertyRow.of(Map.of(1, value, 2, new Value.Int(7)));
        EntityChange change = new EntityChange(EntityKind.NODE, TYPE, id, null, Image.ofNode(row));
        return new Draft.Commit(
                CommitKind.MUTATION, branch, null, Origin.of("act-ada"), null, null, ChangeBlock.of(List.of(change)));
    }

    /** A clock that a test moves. */
    static final class SetClock {
        final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);

        long read() {
            return micros.get();
        }
    }
}
