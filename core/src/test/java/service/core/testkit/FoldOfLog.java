package service.core.testkit;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Image;

/** The expected content of the tables: for each incarnation a map of its entities, copied whole at every fork. */
public final class FoldOfLog {
    /** An entity's name. */
    public record Name(int type, String id) implements Comparable<Name> {
        @Override
        public int compareTo(Name other) {
            return type != other.type ? Integer.compare(type, other.type) : id.compareTo(other.id);
        }
    }

    private final Map<Integer, NavigableMap<Name, Image>> states = new HashMap<>();

    public FoldOfLog() {
        states.put(0, new TreeMap<>());
    }

    public void apply(Event event) {
        switch (event) {
            case Event.Commit commit ->
                fold(commit.header().incarnation(), commit.changes().changes());
            case Event.BranchFastForwarded moved ->
                fold(moved.targetIncarnation(), moved.changes().changes());
            case Event.BranchCreated created ->
                states.put(
                        created.incarnation(),
                        new TreeMap<>(state(created.fork().parentIncarnation())));
            case Event.BranchDeleted ignored -> {}
            case Event.WriteRemembered ignored -> {}
        }
    }

    private void fold(int incarnation, Iterable<EntityChange> changes) {
        NavigableMap<Name, Image> state = state(incarnation);
        for (EntityChange change : changes) {
            Name name = new Name(change.typeIdentity(), change.id());
            Image after = change.after();
            if (after == null) {
                state.remove(name);
            } else {
                state.put(name, after);
            }
        }
    }

    public NavigableMap<Name, Image> state(int incarnation) {
        NavigableMap<Name, Image> state = states.get(incarnation);
        if (state == null) {
            throw new IllegalArgumentException("incarnation " + incarnation);
        }
        return state;
    }
}
