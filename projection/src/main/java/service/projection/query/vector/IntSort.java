package service.projection.query.vector;

/** A stable merge sort of row numbers by a comparator on them, without boxing. */
public final class IntSort {
    private static final int RUN = 16;

    public interface Order {
        int compare(int left, int right);
    }

    private IntSort() {}

    /** Sorts {@code rows[from .. to)}. */
    public static void sort(int[] rows, int from, int to, Order order) {
        for (int start = from; start < to; start += RUN) {
            insertion(rows, start, Math.min(to, start + RUN), order);
        }
        int[] source = rows;
        int[] target = new int[to - from];
        int sourceAt = from;
        int targetAt = 0;
        int n = to - from;
        boolean inPlace = true;
        for (int width = RUN; width < n; width *= 2) {
            for (int left = 0; left < n; left += 2 * width) {
                int middle = Math.min(n, left + width);
                int right = Math.min(n, left + 2 * width);
                merge(source, sourceAt, left, middle, right, target, targetAt, order);
            }
            int[] rowsBefore = source;
            source = target;
            target = rowsBefore;
            int atBefore = sourceAt;
            sourceAt = targetAt;
            targetAt = atBefore;
            inPlace = !inPlace;
        }
        if (!inPlace) {
            System.arraycopy(source, 0, rows, from, n);
        }
    }

    private static void insertion(int[] rows, int from, int to, Order order) {
        for (int i = from + 1; i < to; i++) {
            int row = rows[i];
            int at = i;
            while (at > from && order.compare(rows[at - 1], row) > 0) {
                rows[at] = rows[at - 1];
                at--;
            }
            rows[at] = row;
        }
    }

    private static void merge(
            int[] source, int sourceAt, int left, int middle, int right, int[] target, int targetAt, Order order) {
        int l = left;
        int r = middle;
        for (int i = left; i < right; i++) {
            boolean takeLeft =
                    l < middle && (r >= right || order.compare(source[sourceAt + l], source[sourceAt + r]) <= 0);
            target[targetAt + i] = source[sourceAt + (takeLeft ? l++ : r++)];
        }
    }
}
