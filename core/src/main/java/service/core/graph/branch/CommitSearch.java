package service.core.graph.branch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitReader;
import service.core.event.Event;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedFilter;
import service.core.graph.request.CommitFilter;
import service.core.graph.request.CommitQuery;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.History;
import service.core.graph.request.Page;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.TypeChanges;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.EntityKind;
import service.core.value.Ulid;

/**
 * Lists commits in pages, newest first: those of a branch's first-parent history, or all of the log. The events of both
 * ascend in offset and time, so that a page begins and ends by a search.
 *
 * <p>The commits of one entity are found by its {@link EntityEvents}, all others by looking at each event.
 *
 * <p>A page ends when it is full, at the end, or when its work is done: after so many events, more of which do not make
 * it longer than some tens of milliseconds. What comes next is then named by the offset of the last event that was
 * looked at, because the caller may not be allowed to read that one. Any thread.
 */
public final class CommitSearch {
    /** Events of a page, shown or not. Changes that are read count as well, {@link #CHANGES_PER_STEP} as one. */
    private static final long STEPS_MAX = 20_000;

    private static final int CHANGES_PER_STEP = 16;
    private static final int BYTES_PER_STEP = 16 << 10;

    private final GraphStorage storage;
    private final long stepsMax;

    public CommitSearch(GraphStorage storage) {
        this(storage, STEPS_MAX);
    }

    /** @param stepsMax the work of a page */
    CommitSearch(GraphStorage storage, long stepsMax) {
        this.storage = storage;
        this.stepsMax = stepsMax;
    }

    /**
     * A page of commits that the caller may read.
     *
     * @throws ServiceException BAD_REQUEST for an unknown type
     */
    public Page page(Caller caller, CommitQuery query, TimeBudget time) {
        try (GraphSession session = storage.session()) {
            return new Walk(session, caller, query, time).page();
        }
    }

    /** The events of one page. */
    private final class Walk {
        private final GraphSession session;
        private final Caller caller;
        private final CommitQuery query;
        private final CommitFilter filter;
        private final TimeBudget time;

        /** Null where the walk is along the log. */
        private final @Nullable Branch branch;

        private final FeedFilter types;

        /** The events to look at; null where these are all of the walk. */
        private final @Nullable EntityEvents ofEntity;

        private long place;
        private long steps;
        private @Nullable Ulid truncatedAt;

        Walk(GraphSession session, Caller caller, CommitQuery query, TimeBudget time) {
            this.session = session;
            this.caller = caller;
            this.query = query;
            this.filter = query.filter();
            this.time = time;
            branch = query.branch() == null ? null : Targets.readable(session, query.branch(), caller);
            Catalog schema = session.catalog((branch == null ? Targets.main(session) : branch).headPoint());
            types = filter.needsChanges()
                    ? FeedFilter.of(schema, new ChangeSelection(List.of(), filter.types(), List.of()))
                    : FeedFilter.ALL;
            place = first();
            ofEntity = filter.entity() == null ? null : events(schema, filter.entity());
        }

        private EntityEvents events(Catalog schema, CommitFilter.Entity entity) {
            String name = filter.types().getFirst();
            EntityType type = entity.kind().equals(EntityKind.NODE.wireName()) ? schema.node(name) : schema.edge(name);
            long before = type == null || place < 0 ? 0 : offset(place) + 1;
            return new EntityEvents(session, type == null ? 0 : type.identity(), entity.id(), before);
        }

        Page page() {
            List<CommitRecord> found = new ArrayList<>();
            for (long offset = next(); offset >= 0; offset = next()) {
                CommitHeader commit = session.outline(offset) instanceof Event.Commit event ? event.header() : null;
                if (commit != null && filter.since() != null && commit.timeMicros() < filter.since()) {
                    break;
                }
                if (commit != null && caller.may(Action.READ, commit.branch()) && accepts(commit)) {
                    if (found.size() == query.limit()) {
                        return new Page(found, found.getLast().id().toString(), truncatedAt);
                    }
                    found.add(record(commit));
                }
                time.step();
                if (++steps >= stepsMax && offset > 0) {
                    return new Page(found, CommitQuery.below(offset), truncatedAt);
                }
            }
            return new Page(found, null, ofEntity == null ? truncatedAt : newestReclaimed());
        }

        /** The offset of the next event of the walk; −1 at the end. */
        private long next() {
            if (ofEntity == null) {
                return place < 0 ? -1 : offset(place--);
            }
            for (CommitPosition event = ofEntity.next(); event != null; event = ofEntity.next()) {
                time.step();
                if (branch == null || History.sequenceOf(session, branch, event.offset()) >= 0) {
                    return event.offset();
                }
            }
            return -1;
        }

        /** The newest commit that may have changed the entity, had cleanup not reclaimed it; null for none. */
        private @Nullable Ulid newestReclaimed() {
            if (branch != null) {
                long last = session.lastReclaimed(branch.incarnation(), branch.historyLength() - 1);
                return last < 0 ? null : reclaimed(session.history(branch.incarnation(), last));
            }
            for (long offset : session.reclaimed()) {
                if (caller.may(Action.READ, session.header(offset).branch())) {
                    return reclaimed(offset);
                }
            }
            return null;
        }

        private @Nullable Ulid reclaimed(long offset) {
            CommitHeader commit = session.header(offset);
            return filter.since() != null && commit.timeMicros() < filter.since() ? null : commit.id();
        }

        private long offset(long place) {
            return branch == null ? place : session.history(branch.incarnation(), place);
        }

        /** The place of the newest event of the page; −1 for none. */
        private long first() {
            long last = branch == null ? session.appliedOffset() : branch.historyLength() - 1;
            Long below = query.beforeOffset();
            if (below != null) {
                last = Math.min(last, lastAtMost(last, place -> offset(place) < below));
            } else if (query.before() != null) {
                last = placeOf(query.before()) - 1;
            }
            Long until = filter.until();
            return until == null ? last : lastAtMost(last, place -> timeOf(offset(place)) <= until);
        }

        private long timeOf(long offset) {
            return session.outline(offset).timeMicros();
        }

        /** The last place up to one for which a condition holds that holds for all places before it. */
        private long lastAtMost(long last, java.util.function.LongPredicate holds) {
            long low = 0;
            long high = last;
            while (low <= high) {
                long middle = (low + high) >>> 1;
                if (holds.test(middle)) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return high;
        }

        private long placeOf(String commitId) {
            long offset = Targets.readableCommit(session, commitId, caller).offset();
            if (branch == null) {
                return offset;
            }
            long place = History.sequenceOf(session, branch, offset);
            if (place < 0) {
                throw ServiceException.badRequest(
                        "before: commit `" + commitId + "` is not in the history of branch `" + branch.name() + "`");
            }
            return place;
        }

        private boolean accepts(CommitHeader commit) {
            if (!filter.accepts(commit)) {
                return false;
            }
            if (!filter.needsChanges()) {
                return true;
            }
            if (ofEntity != null) {
                return !session.isReclaimed(commit.incarnation(), commit.offset());
            }
            CommitReader event = read(commit);
            if (event == null) {
                if (truncatedAt == null) {
                    truncatedAt = commit.id();
                }
                return false;
            }
            if (!event.hasChanges()) {
                return false;
            }
            ChangeReader changes = event.changes();
            while (changes.next()) {
                if (types.accepts(changes)) {
                    return true;
                }
            }
            return false;
        }

        /** A commit whose changes are there; null where cleanup has reclaimed them. */
        private @Nullable CommitReader read(CommitHeader commit) {
            CommitReader event = session.commit(commit.offset(), 0);
            if (event.hasChanges() && session.isReclaimed(commit.incarnation(), commit.offset())) {
                return null;
            }
            steps += event.buffer().capacity() / BYTES_PER_STEP + changesOf(commit) / CHANGES_PER_STEP;
            return event;
        }

        private static long changesOf(CommitHeader commit) {
            return (long) commit.counts().nodes() + commit.counts().edges();
        }

        private CommitRecord record(CommitHeader commit) {
            CommitRecord record = CommitRecord.of(commit);
            CommitReader event = query.counts() ? read(commit) : null;
            return event == null ? record : record.withTypes(counted(commit, event));
        }

        private List<TypeChanges> counted(CommitHeader commit, CommitReader event) {
            Map<Integer, int[]> counts = new TreeMap<>();
            if (event.hasChanges()) {
                ChangeReader changes = event.changes();
                while (changes.next()) {
                    int operation = !changes.hasBefore() ? 0 : changes.hasAfter() ? 1 : 2;
                    counts.computeIfAbsent(changes.type(), any -> new int[3])[operation]++;
                }
            }
            Catalog catalog = session.catalog(new CommitPosition(commit.offset(), commit.incarnation()).point());
            List<TypeChanges> types = new ArrayList<>();
            counts.forEach((identity, count) -> {
                EntityType type = Objects.requireNonNull(catalog.type(identity));
                types.add(new TypeChanges(type.kind(), type.name(), count[0], count[1], count[2]));
            });
            types.sort(Comparator.comparing(TypeChanges::kind).thenComparing(TypeChanges::name));
            return types;
        }
    }
}
