package service.projection.query.path;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.Value;

/**
 * A path. An entity is its type in the upper and its ordinal in the lower 32 bits.
 *
 * @param nodes one more than edges
 */
public record Path(long[] nodes, long[] edges) {
    /** A path without edges. */
    static Path empty(long node) {
        return new Path(new long[] {node}, new long[0]);
    }

    /** The path as a value of a query. */
    Value.Path value(@Nullable Double cost) {
        return new Value.Path(list(nodes), list(edges), cost);
    }

    private static Value.ListOf list(long[] entities) {
        List<Value> items = new ArrayList<>(entities.length);
        for (long entity : entities) {
            items.add(new Value.Entity((int) (entity >>> 32), (int) entity));
        }
        return new Value.ListOf(items);
    }

    public static long entity(int type, int ordinal) {
        return (long) type << 32 | ordinal;
    }
}
