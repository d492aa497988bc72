package service.core.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.Value;

/**
 * A constraint of one type. Members are property identities, or the pseudo-members {@link #SRC} and {@link #DST} of an
 * edge.
 */
public sealed interface Constraint {
    int SRC = -1;
    int DST = -2;

    record Unique(List<Integer> members) implements Constraint {}

    /** Inclusive bounds; null means no bound. */
    record Range(
            int property, @Nullable Value min, @Nullable Value max) implements Constraint {}

    /** A regular expression that the whole value must match. */
    record Check(int property, String pattern) implements Constraint {}
}
