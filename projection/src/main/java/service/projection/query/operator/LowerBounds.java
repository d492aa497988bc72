package service.projection.query.operator;

import service.core.value.HeapBytes;

/**
 * The best lower bounds of similarities so far, as many as are wanted, the least first: a heap. What is certainly
 * farther than all of them is not wanted. Of n similarities in any order about k·ln(n/k) + k may be. One thread.
 */
final class LowerBounds {
    private final double[] best;
    private int held;

    /** @param wanted positive; the caller is charged for {@link #bytes} */
    LowerBounds(int wanted) {
        this.best = new double[wanted];
    }

    static long bytes(int wanted) {
        return HeapBytes.array(wanted, Double.BYTES);
    }

    boolean isFull() {
        return held == best.length;
    }

    /** A similarity below this is not wanted. */
    double least() {
        return isFull() ? best[0] : Double.NEGATIVE_INFINITY;
    }

    /** Takes the bounds of a similarity; returns whether it may be wanted. */
    boolean add(double low, double high) {
        if (!isFull()) {
            push(low);
            return true;
        }
        if (high < best[0]) {
            return false;
        }
        if (low > best[0]) {
            replaceLeast(low);
        }
        return true;
    }

    private void push(double low) {
        int at = held++;
        while (at > 0 && best[(at - 1) >>> 1] > low) {
            best[at] = best[(at - 1) >>> 1];
            at = (at - 1) >>> 1;
        }
        best[at] = low;
    }

    private void replaceLeast(double low) {
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child >= best.length) {
                break;
            }
            if (child + 1 < best.length && best[child + 1] < best[child]) {
                child++;
            }
            if (best[child] >= low) {
                break;
            }
            best[at] = best[child];
            at = child;
        }
        best[at] = low;
    }
}
