package service.core.graph.request;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Note;
import service.core.value.EntityKind;
import service.core.value.PointInTime;

/**
 * Which commits a list shows: those that meet every condition that is given.
 *
 * @param actor who made it; null for anyone
 * @param kinds one of these; empty for all
 * @param since not before this time, in microseconds since the epoch; null for any
 * @param until not after this time
 * @param types it changed an entity of one of these types; empty for all
 * @param entity it changed this entity of the type; null for any
 * @param meta it has these pairs
 */
public record CommitFilter(
        @Nullable String actor,
        Set<CommitKind> kinds,
        @Nullable Long since,
        @Nullable Long until,
        List<String> types,
        @Nullable Entity entity,
        SortedMap<String, String> meta) {
    /** Every commit. */
    public static final CommitFilter ALL =
            new CommitFilter(null, Set.of(), null, null, List.of(), null, new TreeMap<>());

    /**
     * An entity of the one type of a filter.
     *
     * @param kind {@code node} or {@code edge}
     */
    public record Entity(String kind, String id) {}

    public CommitFilter {
        kinds = Set.copyOf(kinds);
        types = List.copyOf(types);
        if (entity != null && types.size() != 1) {
            throw ServiceException.badRequest("`entity` names one entity: give one `type` and its `id` with it");
        }
        if (entity != null && EntityKind.ofWireName(entity.kind) == null) {
            throw ServiceException.badRequest("`entity` must be node or edge, not `" + entity.kind + "`");
        }
    }

    /** The kinds of commits with these names. */
    public static Set<CommitKind> kinds(List<String> names) {
        Set<CommitKind> kinds = EnumSet.noneOf(CommitKind.class);
        for (String name : names) {
            CommitKind found = null;
            for (CommitKind kind : CommitKind.values()) {
                found = kind.wireName().equals(name) ? kind : found;
            }
            if (found == null) {
                throw ServiceException.badRequest("`kind` must be " + names() + ", not `" + name + "`");
            }
            kinds.add(found);
        }
        return kinds;
    }

    private static String names() {
        StringBuilder names = new StringBuilder();
        for (CommitKind kind : CommitKind.values()) {
            names.append(names.isEmpty() ? "" : ", ").append(kind.wireName());
        }
        return names.toString();
    }

    /**
     * The time that a text names: RFC 3339, a day (where it begins in UTC), or an age such as {@code 2h}.
     *
     * @param what names it in a refusal
     */
    public static @Nullable Long micros(@Nullable String time, String what) {
        return time == null ? null : ReadTarget.AtTime.micros(PointInTime.of(time, Instant.now()), "`" + what + "`");
    }

    /** Whether the changes of a commit must be read. */
    public boolean needsChanges() {
        return !types.isEmpty();
    }

    /** Whether a commit meets the conditions that its header decides, but for the times. */
    public boolean accepts(CommitHeader commit) {
        return (actor == null || actor.equals(commit.actor()))
                && (kinds.isEmpty() || kinds.contains(commit.kind()))
                && (meta.isEmpty() || hasPairs(commit.stamp().note()));
    }

    private boolean hasPairs(@Nullable Note note) {
        if (note == null) {
            return false;
        }
        for (Map.Entry<String, String> pair : meta.entrySet()) {
            if (!pair.getValue().equals(note.meta().get(pair.getKey()))) {
                return false;
            }
        }
        return true;
    }
}
