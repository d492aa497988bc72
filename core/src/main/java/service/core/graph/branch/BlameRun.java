package service.core.graph.branch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.event.CommitHeader;
import service.core.event.Image;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.TimeBudget;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.Ulid;
import service.core.value.Value;

/**
 * Finds who set the present values of one entity: for each value the newest commit of the first-parent history before
 * which it was another one. Where merged commits count, and the value that a merge set is the one of its merged parent,
 * the search goes on there. A value that no commit set came with a property that a migration added with a default: the
 * migration set it.
 *
 * <p>One use, one thread.
 */
final class BlameRun {
    private final GraphSession session;
    private final Caller caller;
    private final TimeBudget time;
    private final EntityHistory.Request request;
    private final EntityHistory.Seen seen;
    private final Map<Integer, CommitHeader> setBy = new HashMap<>();
    private final Deque<Search> open = new ArrayDeque<>();
    private @Nullable Ulid truncatedAt;

    /** Values to look for along the first-parent history of a commit, as {@link ThreeWay#part} names them. */
    private record Search(CommitGraph.Place at, Set<Integer> values) {}

    BlameRun(
            GraphSession session,
            Caller caller,
            TimeBudget time,
            EntityHistory.Request request,
            EntityHistory.Seen seen) {
        this.session = session;
        this.caller = caller;
        this.time = time;
        this.request = request;
        this.seen = seen;
    }

    EntityBlame run() {
        Image state = Objects.requireNonNull(seen.state());
        Set<Integer> values = new LinkedHashSet<>();
        if (state.from() != null) {
            values.add(ThreeWay.FROM);
            values.add(ThreeWay.TO);
        }
        seen.type().properties().stream()
                .map(Property::identity)
                .filter(property -> state.properties().get(property) != null)
                .forEach(values::add);
        open.add(new Search(seen.place(), values));
        while (!open.isEmpty()) {
            search(open.pop());
        }
        return new EntityBlame(request.entity(), seen.target().head(), lines(state), truncatedAt);
    }

    private void search(Search search) {
        Set<Integer> left = new LinkedHashSet<>(search.values);
        EntityVersions versions = new EntityVersions(session, time, seen.entity(), search.at, false, Long.MAX_VALUE);
        while (!left.isEmpty()) {
            EntityVersions.Change change = versions.next();
            if (change == null) {
                break;
            }
            set(change, left);
            if (change.before() == null) {
                // Nothing earlier is about this life of the entity; the other values came with the schema.
                long insert = session.sequence(new CommitPosition(
                        change.commit().offset(), change.commit().incarnation()));
                left.forEach(property -> setBy.put(property, migration(search.at, insert, property)));
                left.clear();
            }
        }
        long reclaimed = versions.lastReclaimed();
        for (int each : List.copyOf(left)) {
            if (each > 0 && reclaimed >= 0 && !has(search.at.incarnation(), reclaimed, each)) {
                setBy.put(each, migration(search.at, reclaimed, each));
                left.remove(each);
            }
        }
        if (!left.isEmpty()) {
            truncatedAt = versions.truncatedAt();
        }
    }

    /** Takes out of the values those that a change has set. */
    private void set(EntityVersions.Change change, Set<Integer> left) {
        Set<Integer> merged = new LinkedHashSet<>();
        Image after = Objects.requireNonNull(change.after(), "an entity that lives was not deleted last");
        CommitPosition source = request.merged() ? mergedParent(change.commit()) : null;
        Image taken = source == null ? null : at(source.point());
        for (int each : List.copyOf(left)) {
            Value value = ThreeWay.part(after, each);
            if (value == null || value.equals(ThreeWay.part(change.before(), each))) {
                continue;
            }
            left.remove(each);
            if (value.equals(ThreeWay.part(taken, each))) {
                merged.add(each);
            } else {
                setBy.put(each, change.commit());
            }
        }
        if (source != null && !merged.isEmpty()) {
            open.add(new Search(
                    new CommitGraph.Place(source.incarnation(), session.sequence(source), source.offset()), merged));
        }
    }

    private @Nullable CommitPosition mergedParent(CommitHeader commit) {
        Ulid parent = commit.mergedParent();
        CommitPosition position = parent == null ? null : session.position(parent);
        return position == null || session.isReclaimed(position.incarnation(), position.offset()) ? null : position;
    }

    private @Nullable Image at(ReadPoint point) {
        try (GraphView view = session.view(point)) {
            return seen.entity().in(view);
        }
    }

    /**
     * The commit with which a property came, along first parents after a place that did not have it; identities of
     * properties are never given again.
     */
    private CommitHeader migration(CommitGraph.Place at, long before, int property) {
        long low = before;
        long high = at.sequence();
        while (low + 1 < high) {
            time.step();
            long middle = (low + high) >>> 1;
            if (has(at.incarnation(), middle, property)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return session.header(session.history(at.incarnation(), high));
    }

    private boolean has(int incarnation, long sequence, int property) {
        CommitHeader commit = session.header(session.history(incarnation, sequence));
        EntityType type = session.catalog(new ReadPoint(commit.incarnation(), commit.offset()))
                .type(seen.entity().type());
        return type != null && type.property(property) != null;
    }

    private List<EntityBlame.Line> lines(Image state) {
        List<EntityBlame.Line> lines = new ArrayList<>();
        if (state.from() != null && state.to() != null) {
            EntityType.EdgeType edge = (EntityType.EdgeType) seen.type();
            lines.add(new EntityBlame.Line.OfEnd(
                    "from", edge.source(), state.fromType(), state.from(), shown(ThreeWay.FROM)));
            lines.add(new EntityBlame.Line.OfEnd(
                    "to", edge.destination(), state.toType(), state.to(), shown(ThreeWay.TO)));
        }
        for (Property property : seen.type().properties()) {
            Value value = state.properties().get(property.identity());
            if (value != null) {
                lines.add(new EntityBlame.Line.OfProperty(property, value, shown(property.identity())));
            }
        }
        return lines;
    }

    private @Nullable CommitRecord shown(int which) {
        CommitHeader commit = setBy.get(which);
        return commit != null && caller.may(Action.READ, commit.branch()) ? CommitRecord.of(commit) : null;
    }
}
