package service.core.graph.branch;

import java.util.List;
import java.util.stream.Stream;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.EntityChange;
import service.core.port.ReadPoint;

/**
 * What a merge brings to its target, whatever the target's head is.
 *
 * @param base state of the merge base
 * @param source net changes from the base to the source's head
 * @param others net changes from the base to each further merge base of a criss-cross history
 * @param byProperty whether changes of different properties of an entity are combined
 */
record MergeInput(
        ReadPoint base,
        ChangeBlock source,
        List<ChangeBlock> others,
        boolean byProperty,
        List<Resolution> resolutions,
        RequestBudget budget)
        implements AutoCloseable {
    /** How each further merge base that has the entity differently differs from the base. */
    Stream<EntityChange> ofOthers(int type, String id) {
        return others.stream().flatMap(other -> Stream.ofNullable(other.find(type, id)));
    }

    /** Whether the merge depends on the entity. */
    boolean concerns(int type, String id) {
        return source.indexOf(type, id) >= 0 || others.stream().anyMatch(other -> other.indexOf(type, id) >= 0);
    }

    /** The number of entities to decide, those of several blocks counted for each. */
    long size() {
        return source.count() + others.stream().mapToLong(ChangeBlock::count).sum();
    }

    /** Releases the changes. */
    @Override
    public void close() {
        source.close();
        others.forEach(ChangeBlock::close);
    }
}
