package service.projection.retain;

import java.util.List;
import java.util.Map;
import service.core.port.ReadPoint;

/**
 * What reads in progress need of a graph.
 *
 * @param offset all events after it
 * @param branches all events of an incarnation after an offset
 * @param states these states
 */
public record ReadNeeds(long offset, Map<Integer, Long> branches, List<ReadPoint> states) {
    public static final ReadNeeds NOTHING = new ReadNeeds(Long.MAX_VALUE, Map.of(), List.of());

    public ReadNeeds {
        branches = Map.copyOf(branches);
        states = List.copyOf(states);
    }

    /** The first event of an incarnation that is needed. */
    long firstNeeded(int incarnation) {
        long last = Math.min(offset, branches.getOrDefault(incarnation, Long.MAX_VALUE));
        return last == Long.MAX_VALUE ? Long.MAX_VALUE : last + 1;
    }
}
