package service.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.Value;

/**
 * A contiguous range of an index: equality on its first members, then at most one member with bounds or a prefix.
 *
 * @param index identity of the {@code IndexDefinition}
 * @param equal values of the first members, none null, an edge's ends as Int of their ordinals; may be empty
 * @param low lower bound of the next member, or null when open
 * @param high upper bound of the next member, or null when open
 * @param prefix text prefix of the next member, or null; exclusive with the bounds
 */
public record IndexRange(
        int index,
        List<Value> equal,
        @Nullable Value low,
        boolean lowInclusive,
        @Nullable Value high,
        boolean highInclusive,
        @Nullable String prefix) {
    public static IndexRange equal(int index, List<Value> values) {
        return new IndexRange(index, List.copyOf(values), null, false, null, false, null);
    }
}
