package service.projection.search;

import java.util.Arrays;
import java.util.List;
import service.core.text.Work;

/** A text that has, for each term of a query, a term which is at most some edits away. One thread. */
public final class FuzzyMatch extends TextMatch {
    private static final int SHORT = 2;
    private static final int MIDDLING = 5;

    private final Work work;
    private final int[][] wanted;
    private final int[] edits;
    private final boolean[] found;
    private int missing;

    /** The points of the current term of the text. */
    private int[] points = new int[64];

    private int length;
    private final int[][] rows;

    /** @param edits allowed for each term; −1 for as many as its length allows */
    public FuzzyMatch(QueryTerms terms, int edits, Work work) {
        this.work = work;
        List<String> distinct = terms.distinct();
        this.wanted = distinct.stream().map(term -> term.codePoints().toArray()).toArray(int[][]::new);
        this.edits = Arrays.stream(wanted)
                .mapToInt(term -> edits >= 0 ? edits : allowed(term.length))
                .toArray();
        this.found = new boolean[wanted.length];
        int longest = Arrays.stream(wanted).mapToInt(term -> term.length).max().orElse(0);
        this.rows = new int[3][longest + 1];
    }

    /** The edits that a term of a length is allowed. */
    public static int allowed(int points) {
        return points <= SHORT ? 0 : points <= MIDDLING ? 1 : 2;
    }

    @Override
    public void begin() {
        Arrays.fill(found, false);
        missing = wanted.length;
    }

    @Override
    public boolean holds() {
        return missing == 0 && wanted.length > 0;
    }

    @Override
    public void term(char[] term, int chars, int position) {
        work.step();
        if (missing == 0) {
            return;
        }
        length = 0;
        if (points.length < chars) {
            points = new int[chars];
        }
        for (int i = 0; i < chars; ) {
            int point = Character.codePointAt(term, i, chars);
            points[length++] = point;
            i += Character.charCount(point);
        }
        for (int i = 0; i < wanted.length; i++) {
            if (!found[i] && isNear(wanted[i], edits[i])) {
                found[i] = true;
                missing--;
            }
        }
    }

    /**
     * Whether the restricted distance of a wanted term from the current one is at most {@code most}. Only the band of
     * cells that can be within it is computed.
     */
    private boolean isNear(int[] term, int most) {
        int n = term.length;
        work.step();
        if (Math.abs(n - length) > most) {
            return false;
        }
        if (most == 0) {
            return Arrays.equals(term, 0, n, points, 0, length);
        }
        int far = most + 1;
        int[] before = rows[0];
        int[] above = rows[1];
        int[] row = rows[2];
        for (int j = 0; j <= n; j++) {
            above[j] = Math.min(j, far);
        }
        for (int i = 1; i <= length; i++) {
            work.step();
            int from = Math.max(1, i - most);
            int to = Math.min(n, i + most);
            row[from - 1] = from == 1 ? Math.min(i, far) : far;
            int least = row[from - 1];
            for (int j = from; j <= to; j++) {
                int cost = points[i - 1] == term[j - 1] ? 0 : 1;
                int cell = above[j - 1] + cost;
                cell = Math.min(cell, row[j - 1] + 1);
                if (j < i + most) {
                    cell = Math.min(cell, above[j] + 1);
                }
                boolean swapped = i > 1 && j > 1 && points[i - 1] == term[j - 2] && points[i - 2] == term[j - 1];
                if (swapped) {
                    cell = Math.min(cell, before[j - 2] + 1);
                }
                row[j] = Math.min(cell, far);
                least = Math.min(least, row[j]);
            }
            if (least > most && isHopeless(above, from, to, most)) {
                return false;
            }
            int[] spare = before;
            before = above;
            above = row;
            row = spare;
        }
        return above[n] <= most;
    }

    /** Whether a swap, which reads the row above, cannot come back within the bound either. */
    private static boolean isHopeless(int[] above, int from, int to, int most) {
        for (int j = Math.max(0, from - 1); j <= to; j++) {
            if (above[j] <= most) {
                return false;
            }
        }
        return true;
    }
}
