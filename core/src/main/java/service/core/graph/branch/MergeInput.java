package service.core.graph.branch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.EntityChange;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.RulesCache;
import service.core.graph.request.TimeBudget;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.WriteSession;
import service.core.schema.Catalog;

/**
 * What a merge brings to its target, whatever the target's head is.
 *
 * @param base state of the merge base
 * @param schema the schema of the target, in which all changes are shown
 * @param source net changes from the base to the source's head
 * @param others net changes from the base to each further merge base of a criss-cross history
 * @param written what the source wrote under an earlier schema; null when it has that of the target
 */
record MergeInput(
        ReadPoint base,
        Catalog schema,
        ChangeBlock source,
        List<ChangeBlock> others,
        @Nullable Written written,
        Asked asked,
        RequestBudget budget)
        implements AutoCloseable {
    /** Maximum number of changes that the writer decides again before the last attempt. */
    private static final int QUICK_CHANGES = 1_000;

    /** Maximum number of changed entities of later commits on the target that the writer checks to validate a merge. */
    private static final long SINCE_MAX = 16_384;

    /**
     * The net changes of a source that has an earlier schema than the target.
     *
     * @param changes as the schema has them
     */
    record Written(Catalog schema, ChangeBlock changes) {}

    /**
     * What the request asks for.
     *
     * @param sides what the source and the target are
     * @param byProperty whether changes of different properties of an entity are combined
     */
    record Asked(MergeSides sides, boolean byProperty, List<Resolution> resolutions) {}

    MergeSides sides() {
        return asked.sides;
    }

    boolean byProperty() {
        return asked.byProperty;
    }

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

    /**
     * The merge over a later head of the target: the prepared one if it is still valid, else a new one if that is quick
     * or this is the last attempt; null when the caller's thread must prepare it again. On the writer's thread.
     *
     * @param prepared over an earlier head; null when there was nothing to merge
     */
    MergeRun.@Nullable Merged overLaterHead(
            WriteSession session,
            Branch target,
            MergeRun.@Nullable Merged prepared,
            boolean last,
            TimeBudget time,
            RulesCache rules) {
        if (!session.catalog(target.headPoint()).fingerprint().equals(schema.fingerprint())) {
            return null;
        }
        if (prepared != null
                && prepared.checked().advance(session, target, SINCE_MAX, since -> concerns(since.type(), since.id()))
                        == CheckedChanges.Verdict.VALID) {
            return prepared;
        }
        return last || size() <= QUICK_CHANGES ? over(session, target, time.onWriter(), rules) : null;
    }

    /** The merge over the head of the target. */
    MergeRun.Merged over(GraphSession session, Branch target, TimeBudget time, RulesCache rules) {
        try (GraphView view = session.view(target.headPoint())) {
            Map<MergeRun.Entity, MergeRun.Entity> kept = new HashMap<>();
            while (true) {
                int before = kept.size();
                MergeRun.Merged merged = new MergeRun(session, this, target, view, kept, time).run(rules);
                if (kept.size() == before) {
                    return merged;
                }
                merged.changes().close();
            }
        }
    }

    /** Releases the changes. */
    @Override
    public void close() {
        source.close();
        others.forEach(ChangeBlock::close);
        if (written != null) {
            written.changes.close();
        }
    }
}
