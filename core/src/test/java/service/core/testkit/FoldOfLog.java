package service.core.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

    /** The changes of each incarnation by the offsets of their events. */
    private final Map<Integer, NavigableMap<Long, List<EntityChange>>> folded = new HashMap<>();

    /** The offsets of the events that moved each incarnation. */
    private final Map<Integer, List<Long>> moves = new HashMap<>();

    public FoldOfLog() {
        states.put(0, new TreeMap<>());
        moves.put(0, new ArrayList<>(List.of(0L)));
    }

    /** The offsets of the events that moved an incarnation, from its creation on. */
    public List<Long> moves(int incarnation) {
        return moves.getOrDefault(incarnation, List.of());
    }

    public void apply(Event event) {
        switch (event) {
            case Event.Commit commit -> {
                moved(event);
                fold(commit.incarnation(), commit.offset(), commit.changes().changes());
            }
            case Event.BranchFastForwarded moved -> {
                moved(event);
                fold(moved.incarnation(), moved.offset(), moved.changes().changes());
            }
            case Event.BranchCreated created -> {
                moved(event);
                states.put(
                        created.incarnation(),
                        state(created.fork().parentIncarnation(), created.fork().offset()));
            }
            case Event.BranchDeleted ignored -> {}
            case Event.WriteRemembered ignored -> {}
            case Event.TagCreated ignored -> {}
            case Event.TagDeleted ignored -> {}
            case Event.HistoryReclaimed ignored -> {}
        }
    }

    private void moved(Event event) {
        moves.computeIfAbsent(event.incarnation(), any -> new ArrayList<>()).add(event.offset());
    }

    private void fold(int incarnation, long offset, List<EntityChange> changes) {
        NavigableMap<Name, Image> state = state(incarnation);
        changes.forEach(change -> set(state, change, change.after()));
        folded.computeIfAbsent(incarnation, any -> new TreeMap<>()).put(offset, changes);
    }

    private static void set(NavigableMap<Name, Image> state, EntityChange change, Image image) {
        Name name = new Name(change.typeIdentity(), change.id());
        if (image == null) {
            state.remove(name);
        } else {
            state.put(name, image);
        }
    }

    /** The state that an incarnation had after one of its offsets, as a copy without the later changes. */
    private NavigableMap<Name, Image> state(int incarnation, long offset) {
        NavigableMap<Name, Image> state = new TreeMap<>(state(incarnation));
        folded.getOrDefault(incarnation, new TreeMap<>())
                .tailMap(offset, false)
                .descendingMap()
                .values()
                .forEach(changes -> changes.forEach(change -> set(state, change, change.before())));
        return state;
    }

    public NavigableMap<Name, Image> state(int incarnation) {
        NavigableMap<Name, Image> state = states.get(incarnation);
        if (state == null) {
            throw new IllegalArgumentException("incarnation " + incarnation);
        }
        return state;
    }
}
