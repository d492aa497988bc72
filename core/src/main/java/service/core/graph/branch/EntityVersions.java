package service.core.graph.branch;

import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitReader;
import service.core.event.Event;
import service.core.event.Image;
import service.core.graph.request.History;
import service.core.graph.request.TimeBudget;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * The commits that changed one entity, newest first, as seen from one commit.
 *
 * <p>Of the events that changed an entity ({@link EntityEvents}) those that are commits of the first-parent history of
 * the one commit are its history; a binary search tells. So the cost grows with the changes of the entity, and by the
 * logarithm only with those of the graph. The images are read from the tables, not from the event, which may hold a
 * million other changes.
 *
 * <p>The walk ends at the newest commit of that history which cleanup has reclaimed: of earlier ones nothing is known.
 *
 * <p>One thread, with its session.
 */
final class EntityVersions {
    /** An entity by its type's identity and its id. */
    record Entity(int type, String id) {
        /** Its state in a view; null where it is not there, or its type is not. */
        @Nullable
        Image in(GraphView view) {
            return view.catalog().type(type) == null ? null : view.find(type, id);
        }
    }

    /**
     * One change.
     *
     * @param catalog the schema of that time, under which both images are shown
     * @param before null for an insert
     * @param after null for a deletion
     */
    record Change(
            CommitHeader commit,
            Catalog catalog,
            @Nullable Image before,
            @Nullable Image after) {}

    private final GraphSession session;
    private final CommitGraph graph;
    private final TimeBudget time;
    private final Entity entity;
    private final CommitGraph.Place at;
    private final boolean merged;
    private final long lastReclaimed;
    private final long horizon;
    private final EntityEvents events;

    /**
     * A walk.
     *
     * @param at the commit, whose own change is the first
     * @param merged whether to walk through merged parents as well
     * @param before only commits before this offset
     */
    EntityVersions(
            GraphSession session, TimeBudget time, Entity entity, CommitGraph.Place at, boolean merged, long before) {
        this.session = session;
        this.graph = new CommitGraph(session, time);
        this.time = time;
        this.entity = entity;
        this.at = at;
        this.merged = merged;
        this.events = new EntityEvents(session, entity.type, entity.id, Math.min(before, at.offset() + 1));
        this.lastReclaimed = session.lastReclaimed(at.incarnation(), at.sequence());
        this.horizon = lastReclaimed < 0 ? -1 : session.history(at.incarnation(), lastReclaimed);
    }

    /** The next change, or null at the end. */
    @Nullable
    Change next() {
        for (CommitPosition event = take(); event != null; event = take()) {
            time.step();
            if (session.outline(event.offset()) instanceof Event.Commit commit && isReached(event, commit.header())) {
                return change(event, commit.header());
            }
        }
        return null;
    }

    /** The place of the newest commit whose changes cleanup has reclaimed; −1 for none. */
    long lastReclaimed() {
        return lastReclaimed;
    }

    /** The newest commit whose changes cleanup has reclaimed, with which every walk ends; null for none. */
    @Nullable
    Ulid truncatedAt() {
        return lastReclaimed < 0 ? null : session.header(horizon).id();
    }

    private @Nullable CommitPosition take() {
        CommitPosition next = events.next();
        return next == null || next.offset() <= horizon ? null : next;
    }

    private boolean isReached(CommitPosition event, CommitHeader commit) {
        if (History.sequenceOf(session, at.incarnation(), at.sequence(), event.offset()) >= 0) {
            return true;
        }
        return merged
                && !session.isReclaimed(event.incarnation(), event.offset())
                && graph.isAncestor(graph.place(commit.id()), at);
    }

    private Change change(CommitPosition event, CommitHeader commit) {
        Catalog catalog;
        Image after;
        try (GraphView view = session.view(event.point())) {
            catalog = view.catalog();
            after = entity.in(view);
        }
        Ulid parent = commit.parent();
        CommitPosition earlier = parent == null ? null : session.position(parent);
        return new Change(commit, catalog, earlier == null ? null : before(event, earlier), after);
    }

    private @Nullable Image before(CommitPosition event, CommitPosition parent) {
        try (GraphView view = session.view(parent.point())) {
            return entity.in(view);
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.SNAPSHOT_RECLAIMED) {
                throw e;
            }
            // The first commit that cleanup has left: only its event still knows what it replaced.
            return beforeImage(event);
        }
    }

    private @Nullable Image beforeImage(CommitPosition event) {
        CommitReader commit = session.commit(event.offset(), 0);
        if (session.isReclaimed(event.incarnation(), event.offset())) {
            throw new ServiceException(
                    ErrorCode.SNAPSHOT_RECLAIMED, "cleanup has just reclaimed a part of this history: ask again");
        }
        ChangeReader change = commit.changes();
        while (change.next()) {
            time.step();
            if (change.type() == entity.type && change.id().equals(entity.id)) {
                return change.change().before();
            }
        }
        throw new IllegalStateException("event " + event.offset() + " did not change `" + entity.id + "`");
    }
}
