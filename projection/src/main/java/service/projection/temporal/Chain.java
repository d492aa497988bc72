package service.projection.temporal;

import java.util.Arrays;

/**
 * What a view sees: of each incarnation the events up to an offset. The view's own incarnation stands first, then the
 * one it was forked from up to the fork, and so on to {@code main}. Since a child is always numbered above its parent,
 * incarnations descend. Immutable.
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
