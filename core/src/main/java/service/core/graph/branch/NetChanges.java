package service.core.graph.branch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.event.CommitHeader;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.check.ChangeSet;
import service.core.graph.request.History;
import service.core.graph.request.TimeBudget;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.EntityKind;

/**
 * In which entities two states differ, and how.
 *
 * <p>Read from the events between them: along first parents the first image before and the last image after are the
 * answer; elsewhere the events only tell which entities to look up in both states. Where cleanup has taken an event's
 * images, the states themselves are compared, entity by entity: slow, but right. One thread, with its session.
 */
final class NetChanges {
    private final GraphSession session;
    private final CommitGraph graph;
    private final TimeBudget time;

    NetChanges(GraphSession session, CommitGraph graph, TimeBudget time) {
        this.session = session;
        this.graph = graph;
        this.time = time;
    }

    /** An entity that may differ. */
    private static final class Touched {
        private final EntityKind kind;
        private final @Nullable Image before;
        private @Nullable Image after;

        Touched(EntityChange first) {
            kind = first.kind();
            before = first.before();
            after = first.after();
        }
    }

    /** Everything that the events touch, by type and id. */
    private static final class Fold {
        private final Map<Integer, Map<String, Touched>> types = new LinkedHashMap<>();

        void add(EntityChange change) {
            Map<String, Touched> ids = types.computeIfAbsent(change.typeIdentity(), ignored -> new LinkedHashMap<>());
            Touched known = ids.get(change.id());
            if (known == null) {
                ids.put(change.id(), new Touched(change));
            } else {
                known.after = change.after();
            }
        }
    }

    /** From an ancestor to a commit that descends from it. */
    ChangeSet since(CommitGraph.Place ancestor, CommitGraph.Place descendant) {
        CommitGraph.Path path = graph.changedSince(ancestor, descendant);
        Fold fold = fold(path.offsets());
        if (fold == null) {
            return compared(point(ancestor), point(descendant));
        }
        return path.linear() ? folded(fold) : lookedUp(fold, point(ancestor), point(descendant));
    }

    /** Between any two commits, through their merge base. */
    ChangeSet between(CommitGraph.Place from, CommitGraph.Place to) {
        CommitGraph.Place base = graph.mergeBase(from, to);
        if (base.offset() == from.offset()) {
            return since(from, to);
        }
        List<Long> offsets = new ArrayList<>(graph.changedSince(base, from).offsets());
        offsets.addAll(graph.changedSince(base, to).offsets());
        Fold fold = fold(offsets);
        return fold == null ? compared(point(from), point(to)) : lookedUp(fold, point(from), point(to));
    }

    private ReadPoint point(CommitGraph.Place place) {
        CommitHeader header = session.header(place.offset());
        return new ReadPoint(header.incarnation(), place.offset());
    }

    /** What the events touch, or null when cleanup has taken one of them. */
    private @Nullable Fold fold(List<Long> offsets) {
        for (long offset : offsets) {
            if (session.isReclaimed(session.header(offset).incarnation(), offset)) {
                return null;
            }
        }
        Fold fold = new Fold();
        for (long offset : offsets) {
            time.check();
            session.changes(offset, fold::add);
        }
        return fold;
    }

    private static ChangeSet folded(Fold fold) {
        List<EntityChange> changes = new ArrayList<>();
        fold.types.forEach((type, ids) ->
                ids.forEach((id, entity) -> add(changes, entity.kind, type, id, entity.before, entity.after)));
        return ChangeSet.of(changes);
    }

    private ChangeSet lookedUp(Fold fold, ReadPoint from, ReadPoint to) {
        List<EntityChange> changes = new ArrayList<>();
        try (GraphView before = session.view(from);
                GraphView after = session.view(to)) {
            fold.types.forEach((type, ids) -> {
                time.check();
                ids.forEach((id, entity) ->
                        add(changes, entity.kind, type, id, before.find(type, id), after.find(type, id)));
            });
        }
        return ChangeSet.of(changes);
    }

    private static void add(
            List<EntityChange> changes,
            EntityKind kind,
            int type,
            String id,
            @Nullable Image before,
            @Nullable Image after) {
        if (!Objects.equals(before, after)) {
            changes.add(new EntityChange(kind, type, id, before, after));
        }
    }

    private ChangeSet compared(ReadPoint from, ReadPoint to) {
        List<EntityChange> changes = new ArrayList<>();
        try (GraphView before = session.view(from);
                GraphView after = session.view(to)) {
            Catalog catalog = after.catalog();
            for (EntityType type : History.typesInOrder(catalog)) {
                compare(type, before, after, false, changes);
                compare(type, after, before, true, changes);
            }
        }
        return ChangeSet.of(changes);
    }

    /**
     * Adds what one state has and the other has not or has otherwise; of two different images only the second run, over
     * the state after, adds.
     */
    private void compare(
            EntityType type, GraphView one, GraphView other, boolean oneIsAfter, List<EntityChange> changes) {
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = one.scan(type.identity())) {
            int size;
            while ((size = scan.next(found)) > 0) {
                time.check();
                for (int row = 0; row < size; row++) {
                    int ordinal = found.ordinals[row];
                    boolean live = other.isLive(type.identity(), ordinal);
                    if (live && !oneIsAfter) {
                        continue;
                    }
                    Image here = one.image(type.identity(), ordinal);
                    Image there = live ? other.image(type.identity(), ordinal) : null;
                    add(
                            changes,
                            type.kind(),
                            type.identity(),
                            one.id(type.identity(), ordinal),
                            oneIsAfter ? there : here,
                            oneIsAfter ? here : there);
                }
            }
        }
    }
}
