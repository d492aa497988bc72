package service.core.graph.check;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeBlock;
import service.core.event.ChangeLookup;
import service.core.event.ChangeReader;
import service.core.event.CommitReader;
import service.core.event.Image;
import service.core.event.ResolvedIds;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.schema.Catalog;
import service.core.schema.EntityType;

/**
 * Changes that were made and checked over the head of a branch, off the writer's thread, and the check whether they may
 * be committed over a later head: optimistic concurrency control with validation against the commits since.
 *
 * <p><b>Rule.</b> The changes are valid over the later head when no commit since
 *
 * <ul>
 *   <li>has changed an entity that they change, or that {@link Watch} depends on,
 *   <li>has deleted a node that one of their edges may end in, or has given an edge an end that they delete,
 *   <li>has taken a unique tuple that they take, or has changed edges of a bounded type whose edges they change.
 * </ul>
 *
 * Then the images before are the same, and every check has the same result. Where the rule is stricter than necessary
 * (deleted nodes, bounded edges), valid changes are made again, which costs only time.
 *
 * <p>One thread at a time.
 */
public final class CheckedChanges implements AutoCloseable {
    private static final long NOT_RESOLVED = Long.MIN_VALUE;

    /** Further entities that the commits since must not have changed. */
    @FunctionalInterface
    public interface Watch {
        /** No further entities. */
        Watch NOTHING = change -> false;

        /** Whether the changes depend on the entity of the reader's current change. */
        boolean concerns(ChangeReader change);
    }

    /** The outcome of {@link #advance}. */
    public enum Verdict {
        /** The changes are valid over the later head. */
        VALID,
        /** The changes must be made again. */
        INVALID,
        /** There are too many changes since to check them here. */
        TOO_MUCH
    }

    private final Catalog catalog;
    private final Map<Integer, TypeRules> rules;
    private final UniquenessCheck uniqueness;

    /** Node types that an edge among the changes may end in. */
    private final Set<Integer> endTypes = new HashSet<>();

    private ChangeBlock changes;
    private Branch over;

    CheckedChanges(
            Branch over,
            Catalog catalog,
            Map<Integer, TypeRules> rules,
            ChangeBlock changes,
            UniquenessCheck uniqueness) {
        this.over = over;
        this.catalog = catalog;
        this.rules = rules;
        this.changes = changes;
        this.uniqueness = uniqueness;
        for (EntityType.EdgeType edge : catalog.edges()) {
            if (changes.touches(edge.identity())) {
                endTypes.addAll(edge.source().identities());
                endTypes.addAll(edge.destination().identities());
            }
        }
    }

    /** The changes; after {@link #advance} with the ordinals of the later state, if it knows them. */
    public ChangeBlock changes() {
        return changes;
    }

    /** The branch with the head that the changes are valid over. */
    public Branch over() {
        return over;
    }

    /**
     * Checks the changes against the commits since their head. After VALID they are valid over the later head.
     *
     * @param to the same branch with a later head
     * @param changesMax maximum number of changed entities to check
     */
    public Verdict advance(GraphSession session, Branch to, long changesMax, Watch watch) {
        if (to.equals(over)) {
            return Verdict.VALID;
        }
        if (to.incarnation() != over.incarnation()
                || to.historyLength() < over.historyLength()
                || !session.catalog(to.headPoint()).fingerprint().equals(catalog.fingerprint())) {
            return Verdict.INVALID;
        }
        ResolvedIds resolved = changes.resolved();
        long last = resolved == null ? NOT_RESOLVED : resolved.offset();
        long seen = 0;
        for (long place = over.historyLength(); place < to.historyLength(); place++) {
            long offset = session.history(to.incarnation(), place);
            CommitReader commit = session.commit(offset, 0);
            if (session.isReclaimed(commit.incarnation(), offset)) {
                return Verdict.INVALID;
            }
            ChangeReader since = commit.changes();
            seen += since.count();
            if (seen > changesMax) {
                return Verdict.TOO_MUCH;
            }
            ChangeLookup lookup = new ChangeLookup(changes);
            while (since.next()) {
                if (watch.concerns(since) || concerns(since, lookup)) {
                    return Verdict.INVALID;
                }
            }
            // Events of other branches may have given an ordinal to an entity that had none.
            last = offset == last + 1 ? offset : NOT_RESOLVED;
        }
        over = to;
        if (resolved != null && last > resolved.offset()) {
            changes = changes.with(resolved.at(last));
        }
        return Verdict.VALID;
    }

    /** @param lookup of the changes, for the commit that the reader reads */
    private boolean concerns(ChangeReader since, ChangeLookup lookup) {
        int type = since.type();
        boolean touched = changes.touches(type);
        if (touched && lookup.indexOf(since) >= 0) {
            return true;
        }
        if (!since.isEdge()) {
            return (!since.hasAfter() && endTypes.contains(type)) || (touched && collides(since));
        }
        EntityType.EdgeType edge = (EntityType.EdgeType) catalog.requireType(type);
        if (since.hasAfter() && changes.counts().nodesDeleted() > 0) {
            Image after = Objects.requireNonNull(since.after());
            if (isDeleted(edge.source().type(after.fromType()), after.from())
                    || isDeleted(edge.destination().type(after.toType()), after.to())) {
                return true;
            }
        }
        return touched && (edge.cardinality().isBounded() || collides(since));
    }

    private boolean collides(ChangeReader since) {
        TypeRules typeRules = Objects.requireNonNull(rules.get(since.type()));
        return !typeRules.unique.isEmpty()
                && since.hasAfter()
                && uniqueness.collides(typeRules, Objects.requireNonNull(since.after()));
    }

    private boolean isDeleted(int type, @Nullable String id) {
        int index = id == null || !changes.touches(type) ? -1 : changes.indexOf(type, id);
        return index >= 0 && changes.change(index).after() == null;
    }

    /** Releases the changes. */
    @Override
    public void close() {
        changes.close();
    }
}
