package service.projection.temporal;

import java.util.Arrays;

/**
 * The events that a view sees: for each incarnation, those up to an offset. The first link is the view's own
 * incarnation, the next is its parent up to the fork, and so on to {@code main}. A child has a higher number than its
 * parent, so incarnations descend. Immutable.
 */
public final class Chain {
    private final int[] incarnations;
    private final long[] offsets;

    public Chain(int[] incarnations, long[] offsets) {
        for (int i = 1; i < incarnations.length; i++) {
            if (incarnations[i] >= incarnations[i - 1]) {
                throw new IllegalArgumentException(
                        "a branch numbered below its parent: " + Arrays.toString(incarnations));
            }
        }
        this.incarnations = incarnations.clone();
        this.offsets = offsets.clone();
    }

    public int length() {
        return incarnations.length;
    }

    public int incarnation(int link) {
        return incarnations[link];
    }

    public long offset(int link) {
        return offsets[link];
    }
}
