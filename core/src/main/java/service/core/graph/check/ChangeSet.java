package service.core.graph.check;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.event.EntityChange;
import service.core.value.ValueOrder;

/** The changes of one commit, each entity once, in an event's order, and found by entity. One thread. */
public final class ChangeSet {
    /** Nodes before edges, then type identity, then id by code point, which is also the order of its UTF-8 bytes. */
    public static final Comparator<EntityChange> ORDER = (left, right) -> {
        int byKind = left.kind().compareTo(right.kind());
        if (byKind != 0) {
            return byKind;
        }
        int byType = Integer.compare(left.typeIdentity(), right.typeIdentity());
        return byType != 0 ? byType : ValueOrder.compareText(left.id(), right.id());
    };

    private final List<EntityChange> changes;
    private final Map<Integer, Stretch> byType = new HashMap<>();

    /** The changes of one type; the map by id is made when it is first asked. */
    private final class Stretch {
        private final int start;
        private final int end;
        private @Nullable Map<String, EntityChange> byId;

        Stretch(int start, int end) {
            this.start = start;
            this.end = end;
        }

        @Nullable
        EntityChange find(String id) {
            Map<String, EntityChange> map = byId;
            if (map == null) {
                map = HashMap.newHashMap(end - start);
                for (EntityChange change : changes.subList(start, end)) {
                    map.put(change.id(), change);
                }
                byId = map;
            }
            return map.get(id);
        }
    }

    private ChangeSet(List<EntityChange> changes) {
        this.changes = changes;
        int start = 0;
        while (start < changes.size()) {
            int type = changes.get(start).typeIdentity();
            int end = start;
            while (end < changes.size() && changes.get(end).typeIdentity() == type) {
                end++;
            }
            byType.put(type, new Stretch(start, end));
            start = end;
        }
    }

    /** Sorts the list in place and takes it over. */
    public static ChangeSet of(List<EntityChange> changes) {
        changes.sort(ORDER);
        return new ChangeSet(changes);
    }

    /** Takes over a list that is in order already. */
    public static ChangeSet ofSorted(List<EntityChange> changes) {
        return new ChangeSet(changes);
    }

    public List<EntityChange> changes() {
        return changes;
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    public @Nullable EntityChange find(int type, String id) {
        Stretch stretch = byType.get(type);
        return stretch == null ? null : stretch.find(id);
    }

    boolean touches(int type) {
        return byType.containsKey(type);
    }
}
