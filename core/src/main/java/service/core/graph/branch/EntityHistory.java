package service.core.graph.branch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.budget.RequestBudget;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.event.Image;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.EntityKind;

/** The changes of one entity, and who set its present values ({@code docs/time-travel.md}). */
public final class EntityHistory {
    /** The number of changes that one answer lists at most. */
    public static final int LIMIT_MAX = 1_000;

    /** A page ends before its images are larger. */
    private static final long PAGE_BYTES_MAX = 4 << 20;

    private final GraphStorage storage;

    public EntityHistory(GraphStorage storage) {
        this.storage = storage;
    }

    /**
     * An entity as a request names it.
     *
     * @param type by its name at the commit from which the history is seen
     */
    public record Entity(EntityKind kind, String type, String id) {}

    /**
     * What a request asks for.
     *
     * @param target from where the history is seen
     * @param merged whether commits that were merged count as well, beside those of the first-parent history
     */
    public record Request(Entity entity, ReadTarget target, boolean merged) {}

    /** The commit from which a history is seen, and the entity as its state has it. */
    record Seen(
            Targets.Resolved target,
            CommitGraph.Place place,
            EntityVersions.Entity entity,
            EntityType type,
            @Nullable Image state) {}

    /**
     * The commits that changed an entity, newest first, without those that the caller may not read.
     *
     * @param before a commit id, exclusive, or null
     * @throws ServiceException NOT_FOUND for an entity that never was there
     */
    public EntityPage page(
            Caller caller,
            Request request,
            int limit,
            @Nullable String before,
            Settings settings,
            RequestBudget budget) {
        NoWaiting.giveUp();
        TimeBudget time = TimeBudget.start("the history", settings, budget);
        try (GraphSession session = storage.session()) {
            Seen seen = seen(session, caller, request, time);
            long last = before == null
                    ? Long.MAX_VALUE
                    : Targets.readableCommit(session, before, caller).offset();
            EntityVersions versions = new EntityVersions(session, time, seen.entity, seen.place, request.merged, last);
            List<EntityPage.Entry> changes = new ArrayList<>();
            long bytes = 0;
            for (EntityVersions.Change change = versions.next(); change != null; change = versions.next()) {
                if (!caller.may(Action.READ, change.commit().branch())) {
                    continue;
                }
                long size = bytes(change.before()) + bytes(change.after());
                if (changes.size() == limit || (bytes + size > PAGE_BYTES_MAX && bytes > 0)) {
                    String next = changes.getLast().commit().id().toString();
                    return new EntityPage(request.entity, seen.target.head(), changes, next, null);
                }
                budget.memory().charge(2 * size, "the history of an entity", "ask for fewer changes with `limit`");
                bytes += size;
                changes.add(new EntityPage.Entry(
                        CommitRecord.of(change.commit()),
                        change.catalog().requireType(seen.entity.type()),
                        change.before(),
                        change.after()));
            }
            requireKnown(seen, request, changes.isEmpty() && before == null && versions.truncatedAt() == null);
            return new EntityPage(request.entity, seen.target.head(), changes, null, versions.truncatedAt());
        }
    }

    private static long bytes(@Nullable Image image) {
        return image == null ? 0 : image.properties().bytes().length;
    }

    private static void requireKnown(Seen seen, Request request, boolean hasNoHistory) {
        if (hasNoHistory && seen.state == null) {
            throw ServiceException.notFound(
                    Reason.ENTITY,
                    request.entity.kind.wireName() + " " + request.entity.type + " `" + request.entity.id
                            + "` was never there");
        }
    }

    /**
     * Who set the present values of an entity.
     *
     * @throws ServiceException NOT_FOUND for an entity that the state does not have
     */
    public EntityBlame blame(Caller caller, Request request, Settings settings, RequestBudget budget) {
        NoWaiting.giveUp();
        TimeBudget time = TimeBudget.start("the history", settings, budget);
        try (GraphSession session = storage.session()) {
            Seen seen = seen(session, caller, request, time);
            if (seen.state == null) {
                throw ServiceException.notFound(
                        Reason.ENTITY,
                        request.entity.kind.wireName() + " " + request.entity.type + " `" + request.entity.id
                                + "` is not there; its history shows whether it was deleted");
            }
            return new BlameRun(session, caller, time, request, seen).run();
        }
    }

    private static Seen seen(GraphSession session, Caller caller, Request request, TimeBudget time) {
        Targets.Resolved target = Targets.resolve(session, request.target, Action.READ, caller);
        CommitGraph.Place place = new CommitGraph(session, time).place(target.head());
        try (GraphView view = session.view(target.point())) {
            EntityType type = type(view.catalog(), request.entity);
            EntityVersions.Entity entity = new EntityVersions.Entity(type.identity(), request.entity.id);
            return new Seen(target, place, entity, type, view.find(entity.type(), entity.id()));
        }
    }

    private static EntityType type(Catalog catalog, Entity entity) {
        boolean node = entity.kind == EntityKind.NODE;
        EntityType type = node ? catalog.node(entity.type) : catalog.edge(entity.type);
        if (type == null) {
            Collection<? extends EntityType> all = node ? catalog.nodes() : catalog.edges();
            String meant = Suggestion.didYouMean(
                    entity.type, all.stream().map(EntityType::name).toList());
            boolean isOther = (node ? catalog.edge(entity.type) : catalog.node(entity.type)) != null;
            throw ServiceException.badRequest("unknown " + entity.kind.wireName() + " type `" + entity.type + "`"
                    + (isOther
                            ? (node
                                    ? ": it is an edge type, so ask for `entity=edge`"
                                    : ": it is a node type, so ask for `entity=node`")
                            : meant == null ? "" : "; " + meant));
        }
        return type;
    }
}
