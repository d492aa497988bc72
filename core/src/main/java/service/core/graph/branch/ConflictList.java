package service.core.graph.branch;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.schema.EntityType;
import service.core.schema.Property;

/** The conflicts of one run of a merge, every one counted and the first ones kept. One thread. */
final class ConflictList {
    static final int CONFLICTS_MAX = 1_000;

    /** Heap bytes of an entity's name in a hash set, without the id's characters. */
    private static final int NAME_BYTES = 140;

    private static final Comparator<MergeConflict> ORDER = Comparator.comparing(
                    (MergeConflict conflict) -> conflict.type().kind())
            .thenComparingInt(conflict -> conflict.type().identity())
            .thenComparing(MergeConflict::entityId, service.core.value.ValueOrder::compareText)
            .thenComparing(MergeConflict::kind)
            .thenComparing(MergeConflict::message);

    /** @param about tells several conflicts of one kind of the entity apart */
    private record Name(MergeConflict.Kind kind, int type, String id, String about) {}

    private record Orphan(int type, String id) {}

    private final RequestBudget budget;
    private final MergeSides sides;

    /** The name of the target. */
    private final String branch;

    /** The first conflicts in their order; the last one is dropped when there are more than {@link #CONFLICTS_MAX}. */
    private final TreeSet<MergeConflict> conflicts = new TreeSet<>(ORDER);

    private int count;
    private final Set<Name> named = new HashSet<>();

    /** Edges that have a conflict as orphans. */
    private final Set<Orphan> orphans = new HashSet<>();

    /**
     * Begins an empty list.
     *
     * @param budget charged for the names of the conflicts
     * @param branch the name of the target
     */
    ConflictList(RequestBudget budget, MergeSides sides, String branch) {
        this.budget = budget;
        this.sides = sides;
        this.branch = branch;
    }

    /** The first ones, nodes before edges, then by type and id. */
    List<MergeConflict> first() {
        return List.copyOf(conflicts);
    }

    int count() {
        return count;
    }

    /** Whether an edge is in conflict as an orphan: each of its ends has then said who deleted it. */
    boolean isOrphan(int type, String id) {
        return orphans.contains(new Orphan(type, id));
    }

    /** Adds a conflict that can be found only once. */
    void add(MergeConflict conflict) {
        count++;
        conflicts.add(conflict);
        if (conflicts.size() > CONFLICTS_MAX) {
            conflicts.pollLast();
        }
    }

    /** Adds a conflict that may have been found before. */
    void addOnce(MergeConflict conflict, String about) {
        if (conflict.kind() == MergeConflict.Kind.ORPHAN_EDGE) {
            orphans.add(new Orphan(conflict.type().identity(), conflict.entityId()));
        }
        if (named.add(new Name(conflict.kind(), conflict.type().identity(), conflict.entityId(), about))) {
            charge(conflict.entityId() + about);
            add(conflict);
        }
    }

    /** Charges the entry of an entity in a hash set. */
    void charge(String text) {
        budget.memory()
                .charge(
                        NAME_BYTES + text.length(),
                        "the list of conflicts",
                        "merge in smaller steps, such as an older commit of the source first");
    }

    /**
     * The conflict of an entity that the two sides have changed differently.
     *
     * @param change has the state at the base as its state before
     * @param after the state at the source's head
     * @param current the state at the target's head
     * @param outcome what resolutions have decided of it; null when it can only be taken as a whole
     */
    MergeConflict divergent(
            EntityType type,
            EntityChange change,
            @Nullable Image after,
            @Nullable Image current,
            ThreeWay.Disputed found,
            Resolutions.@Nullable Outcome outcome) {
        List<Integer> open = outcome == null ? found.disputed() : outcome.open();
        String what = String.join(
                ", ", open.stream().map(part -> described(type, part)).toList());
        return new MergeConflict(
                type,
                change.id(),
                found.kind(),
                describe(type, change.id()) + ": "
                        + sides.explain(
                                found.kind(), change.before() != null, after != null, current != null, branch, what),
                outcome == null
                        ? List.of()
                        : open.stream().map(part -> name(type, part)).toList(),
                change.before(),
                after,
                current);
    }

    private static String described(EntityType type, int part) {
        return switch (part) {
            case ThreeWay.FROM -> "source node";
            case ThreeWay.TO -> "destination node";
            default -> "`" + name(type, part) + "`";
        };
    }

    /** The part as a resolution names it. */
    private static String name(EntityType type, int part) {
        Property found = type.property(part);
        return switch (part) {
            case ThreeWay.FROM -> "from";
            case ThreeWay.TO -> "to";
            default -> found == null ? Integer.toString(part) : found.name();
        };
    }

    static String describe(EntityType type, String id) {
        return type.kind().wireName() + " " + type.name() + " `" + id + "`";
    }
}
