package service.projection.resident;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Takes what the writer changes and marks it in the dirty sets of the blocks that hold it. An event is marked in the
 * blocks of its branch and of the ancestors of this branch. No view that uses a block of another branch shows the
 * event. So the cost of a change does not grow with the number of branches that have blocks. Events that are applied
 * without marks, such as those of a replay, must be preceded by {@link #forgetAll}. Writer thread.
 */
public final class DirtyMarks {
    /** By type and incarnation. */
    private final Long2ObjectHashMap<List<DirtySet>> entities = new Long2ObjectHashMap<>();

    private final Long2ObjectHashMap<List<DirtySet>> sources = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<List<DirtySet>> destinations = new Long2ObjectHashMap<>();
    private final Runnable forgotten;
    private final IntConsumer deleted;

    /**
     * Makes one without sets.
     *
     * @param forgotten drops all blocks
     * @param deleted drops the blocks of an incarnation whose branch is deleted
     */
    DirtyMarks(Runnable forgotten, IntConsumer deleted) {
        this.forgotten = forgotten;
        this.deleted = deleted;
    }

    /** Marks for tables without blocks: no set is ever added. */
    public static DirtyMarks none() {
        return new DirtyMarks(() -> {}, any -> {});
    }

    /**
     * An entity was inserted, changed or deleted.
     *
     * @param lineage the incarnation of the event and those that it descends from
     */
    public void entity(int[] lineage, int type, int ordinal) {
        mark(entities, lineage, type, ordinal);
    }

    /**
     * An edge between two nodes was inserted or deleted.
     *
     * @param lineage the incarnation of the event and those that it descends from
     */
    public void pair(int[] lineage, int edgeType, int source, int destination) {
        mark(sources, lineage, edgeType, source);
        mark(destinations, lineage, edgeType, destination);
    }

    /** A branch was deleted. */
    public void deleted(int incarnation) {
        deleted.accept(incarnation);
    }

    /** Drops all blocks, before a change that marks do not describe, such as one of the schema, becomes visible. */
    public void forgetAll() {
        entities.clear();
        sources.clear();
        destinations.clear();
        forgotten.run();
    }

    void add(Part part, DirtySet set) {
        of(part).computeIfAbsent(key(part.type(), part.incarnation()), any -> new ArrayList<>())
                .add(set);
    }

    void remove(Part part, DirtySet set) {
        long key = key(part.type(), part.incarnation());
        List<DirtySet> sets = of(part).get(key);
        if (sets != null && sets.remove(set) && sets.isEmpty()) {
            of(part).remove(key);
        }
    }

    private Long2ObjectHashMap<List<DirtySet>> of(Part part) {
        return switch (part.kind()) {
            case OUT -> sources;
            case IN -> destinations;
            case LIVE, COLUMN -> entities;
        };
    }

    private static long key(int type, int incarnation) {
        return (long) type << Integer.SIZE | incarnation;
    }

    private static void mark(Long2ObjectHashMap<List<DirtySet>> sets, int[] lineage, int type, int ordinal) {
        if (sets.isEmpty()) {
            return;
        }
        for (int incarnation : lineage) {
            List<DirtySet> those = sets.get(key(type, incarnation));
            if (those != null) {
                for (int i = 0; i < those.size(); i++) {
                    those.get(i).mark(ordinal);
                }
            }
        }
    }
}
