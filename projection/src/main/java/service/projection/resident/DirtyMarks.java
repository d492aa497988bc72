package service.projection.resident;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Takes what the writer changes and marks it in the dirty sets of the blocks that hold it. Events that are applied
 * without marks, such as those of a replay, must be preceded by {@link #forgetAll}. Writer thread.
 */
public final class DirtyMarks {
    private final Int2ObjectHashMap<List<DirtySet>> entities = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<List<DirtySet>> sources = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<List<DirtySet>> destinations = new Int2ObjectHashMap<>();
    private final Runnable forgotten;

    DirtyMarks(Runnable forgotten) {
        this.forgotten = forgotten;
    }

    /** Marks for tables without blocks: no set is ever added. */
    public static DirtyMarks none() {
        return new DirtyMarks(() -> {});
    }

    /** An entity was inserted, changed or deleted, on any branch. */
    public void entity(int type, int ordinal) {
        mark(entities, type, ordinal);
    }

    /** An edge between two nodes was inserted or deleted, on any branch. */
    public void pair(int edgeType, int source, int destination) {
        mark(sources, edgeType, source);
        mark(destinations, edgeType, destination);
    }

    /** Drops all blocks, before a change that marks do not describe, such as one of the schema, becomes visible. */
    public void forgetAll() {
        entities.clear();
        sources.clear();
        destinations.clear();
        forgotten.run();
    }

    void add(Part part, DirtySet set) {
        of(part).computeIfAbsent(part.type(), type -> new ArrayList<>()).add(set);
    }

    void remove(Part part, DirtySet set) {
        List<DirtySet> sets = of(part).get(part.type());
        if (sets != null && sets.remove(set) && sets.isEmpty()) {
            of(part).remove(part.type());
        }
    }

    private Int2ObjectHashMap<List<DirtySet>> of(Part part) {
        return switch (part.kind()) {
            case OUT -> sources;
            case IN -> destinations;
            case LIVE, COLUMN -> entities;
        };
    }

    private static void mark(Int2ObjectHashMap<List<DirtySet>> sets, int type, int ordinal) {
        if (sets.isEmpty()) {
            return;
        }
        List<DirtySet> those = sets.get(type);
        if (those != null) {
            for (int i = 0; i < those.size(); i++) {
                those.get(i).mark(ordinal);
            }
        }
    }
}
