package service.core.graph.feed;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Positions that were found in the history of their branch. They stay there while the storage is open, because a
 * history only grows and a new branch of the same name is another incarnation. A thousand consumers that wait at one
 * commit come back from the same position, so a few positions are kept: one for each remainder of the sequence.
 *
 * <p>Any thread.
 */
final class KnownPlaces {
    /** A power of two, less one. */
    private static final int MASK = 15;

    private final AtomicReferenceArray<FeedToken.@Nullable Place> places = new AtomicReferenceArray<>(MASK + 1);

    boolean contains(FeedToken.Place place) {
        return place.equals(places.get((int) place.sequence() & MASK));
    }

    void add(FeedToken.Place place) {
        places.set((int) place.sequence() & MASK, place);
    }
}
