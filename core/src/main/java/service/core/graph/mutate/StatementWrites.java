package service.core.graph.mutate;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.Image;
import service.core.schema.EntityType;

/**
 * What one statement writes for its rows. It takes effect when all rows were evaluated, so that each row sees the state
 * before the statement, in whichever order they come. One thread.
 */
final class StatementWrites {
    /**
     * What a row writes.
     *
     * @param image null for a deletion
     */
    record Write(EntityType type, String id, @Nullable Image image, int row) {}

    /** Heap bytes of a write with its entry, without the bytes of id and image. */
    private static final int WRITE_BYTES = 160;

    private final PendingChanges pending;
    private final RequestBudget budget;
    private final Map<Rows.Key, Write> writes = new LinkedHashMap<>();
    private long charged;

    StatementWrites(PendingChanges pending, RequestBudget budget) {
        this.pending = pending;
        this.budget = budget;
    }

    /** The write of an earlier row to the same entity, or null after this one was added. */
    @Nullable
    Write add(EntityType type, String id, @Nullable Image image, int row) {
        Rows.Key key = new Rows.Key(type.identity(), id);
        Write earlier = writes.get(key);
        if (earlier != null) {
            return earlier;
        }
        pending.requireRoom(writes.size() + 1);
        long bytes = (long) WRITE_BYTES + id.length();
        if (image != null) {
            bytes += image.properties().bytes().length;
        }
        budget.memory().charge(bytes, "the mutation", "change fewer entities at a time");
        charged += bytes;
        writes.put(key, new Write(type, id, image, row));
        return null;
    }

    /** Lets the writes take effect. */
    void apply() {
        for (Write write : writes.values()) {
            if (write.image == null) {
                pending.delete(write.type, write.id);
            } else {
                pending.put(write.type, write.id, write.image);
            }
        }
        budget.memory().release(charged);
    }
}
