package service.core.graph.branch;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.ChangeBlockWriter;
import service.core.event.ChangeReader;
import service.core.event.ChangeSorter;
import service.core.event.CommitHeader;
import service.core.event.Image;
import service.core.graph.request.History;
import service.core.graph.request.TimeBudget;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.Catalog;
import service.core.schema.EntityType;

/**
 * Computes the entities in which two states differ, with their images.
 *
 * <p>It reads the events between them: along first parents the first image before and the last image after are the
 * result; otherwise the events give only the entities to look up in both states. Types that a migration between them
 * has changed, and all types if cleanup has removed an event's images, are compared entity by entity, which is slow.
 *
 * <p>Both states may be shown as one schema has them ({@link #as}), by the identities of types and properties. Then a
 * migration between them changes nothing.
 *
 * <p>Memory does not grow with the changes: they are sorted in runs on disk, and a large result is not on the heap. One
 * thread, with its session.
 */
final class NetChanges {
    private final GraphSession session;
    private final CommitGraph graph;
    private final TimeBudget time;
    private final RequestBudget budget;

    /** The schema that shows both states; null when each state is shown as its own has it. */
    private @Nullable Catalog schema;

    NetChanges(GraphSession session, CommitGraph graph, TimeBudget time, RequestBudget budget) {
        this.session = session;
        this.graph = graph;
        this.time = time;
        this.budget = budget;
    }

    /** Shows all states as a schema has them. */
    NetChanges as(Catalog shown) {
        schema = shown;
        return this;
    }

    /** From an ancestor to a descendant. */
    ChangeBlock since(CommitGraph.Place ancestor, CommitGraph.Place descendant) {
        CommitGraph.Path path = graph.changedSince(ancestor, descendant);
        return differences(path.offsets(), path.linear(), ancestor, descendant);
    }

    /** Between any two commits, through their merge base. */
    ChangeBlock between(CommitGraph.Place from, CommitGraph.Place to) {
        CommitGraph.Place base = graph.mergeBase(from, to);
        if (base.offset() == from.offset()) {
            return since(from, to);
        }
        List<Long> offsets = new ArrayList<>(graph.changedSince(base, from).offsets());
        offsets.addAll(graph.changedSince(base, to).offsets());
        return differences(offsets, false, from, to);
    }

    /**
     * The net changes of some events.
     *
     * @param linear whether each event's images follow the previous one's, from the first state to the second
     */
    private ChangeBlock differences(List<Long> offsets, boolean linear, CommitGraph.Place from, CommitGraph.Place to) {
        StateComparison comparison = new StateComparison(session.catalog(point(from)), session.catalog(point(to)));
        ChangeBlockWriter result = new ChangeBlockWriter(budget);
        try (ChangeSorter sorter = new ChangeSorter(budget)) {
            if (!addEvents(offsets, sorter)) {
                addStates(point(from), point(to), type -> true, sorter);
                merge(sorter, result);
            } else if (linear && comparison.isOneSchema() && isShownBy(comparison.before())) {
                merge(sorter, result);
            } else {
                if (schema == null && !comparison.isOneSchema()) {
                    addStates(point(from), point(to), comparison::isMigrated, sorter);
                }
                lookUp(sorter, point(from), point(to), result);
            }
            return result.finish();
        }
    }

    private boolean isShownBy(Catalog own) {
        return schema == null || schema.fingerprint().equals(own.fingerprint());
    }

    @MustBeClosed
    private GraphView view(ReadPoint point) {
        return schema == null ? session.view(point) : session.viewAs(point, schema);
    }

    private ReadPoint point(CommitGraph.Place place) {
        CommitHeader header = session.header(place.offset());
        return new ReadPoint(header.incarnation(), place.offset());
    }

    /**
     * Adds the changes of the events; false, without adding any, when cleanup has removed the images of one of them.
     */
    private boolean addEvents(List<Long> offsets, ChangeSorter sorter) {
        for (long offset : offsets) {
            time.step();
            if (session.isReclaimed(session.header(offset).incarnation(), offset)) {
                return false;
            }
        }
        for (long offset : offsets) {
            ChangeReader changes = session.commit(offset, 0).changes();
            while (changes.next()) {
                time.step();
                sorter.add(changes);
            }
        }
        return true;
    }

    private void merge(ChangeSorter sorter, ChangeBlockWriter result) {
        sorter.merge((first, last) -> {
            time.step();
            result.addNet(first, last);
        });
    }

    private void lookUp(ChangeSorter sorter, ReadPoint from, ReadPoint to, ChangeBlockWriter result) {
        try (GraphView before = view(from);
                GraphView after = view(to)) {
            sorter.merge((first, last) -> {
                time.step();
                int type = first.type();
                String id = first.id();
                Image was = has(before, type) ? before.find(type, id) : null;
                Image is = has(after, type) ? after.find(type, id) : null;
                if (!Objects.equals(was, is)) {
                    result.add(first.kind(), type, id, was, is);
                }
            });
        }
    }

    /** The tables keep the entities of a dropped type. */
    private static boolean has(GraphView view, int type) {
        return view.catalog().type(type) != null;
    }

    /** Adds the differences in all entities of some types. */
    private void addStates(ReadPoint from, ReadPoint to, IntPredicate chosen, ChangeSorter sorter) {
        try (GraphView before = view(from);
                GraphView after = view(to)) {
            List<EntityType> types = new ArrayList<>(History.typesInOrder(after.catalog()));
            History.typesInOrder(before.catalog()).stream()
                    .filter(type -> after.catalog().type(type.identity()) == null)
                    .forEach(types::add);
            for (EntityType type : types) {
                if (chosen.test(type.identity())) {
                    compare(type, before, after, false, sorter);
                    compare(type, after, before, true, sorter);
                }
            }
        }
    }

    /**
     * Adds the entities that one state has and the other lacks or has with another image. Of two different images only
     * the second run, over the state after, adds the change.
     */
    private void compare(EntityType type, GraphView one, GraphView other, boolean oneIsAfter, ChangeSorter sorter) {
        if (!has(one, type.identity())) {
            return;
        }
        boolean both = has(other, type.identity());
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = one.scan(type.identity())) {
            int size;
            while ((size = scan.next(found)) > 0) {
                for (int row = 0; row < size; row++) {
                    time.step();
                    int ordinal = found.ordinals[row];
                    boolean live = both && other.isLive(type.identity(), ordinal);
                    if (live && !oneIsAfter) {
                        continue;
                    }
                    Image here = one.image(type.identity(), ordinal);
                    Image there = live ? other.image(type.identity(), ordinal) : null;
                    Image was = oneIsAfter ? there : here;
                    Image is = oneIsAfter ? here : there;
                    if (!Objects.equals(was, is)) {
                        sorter.add(type.kind(), type.identity(), one.id(type.identity(), ordinal), was, is);
                    }
                }
            }
        }
    }
}
