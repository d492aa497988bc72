package service.core.error;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Suggests a known name for a mistyped one: the nearest by edit distance with transpositions (Damerau and Levenshtein,
 * restricted), ignoring case.
 */
public final class Suggestion {
    private static final int LENGTH_MAX = 64;

    private Suggestion() {}

    /** The nearest of the names; null when more than a third of the letters differ from every name. */
    public static @Nullable String nearest(String wrong, Collection<String> names) {
        String best = null;
        int bestDistance = Integer.MAX_VALUE;
        if (wrong.length() > LENGTH_MAX) {
            return null;
        }
        String lowered = wrong.toLowerCase(Locale.ROOT);
        for (String name : names) {
            int longest = Math.max(wrong.length(), name.length());
            if (longest > LENGTH_MAX) {
                continue;
            }
            int allowed = Math.max(1, longest / 3);
            if (Math.abs(wrong.length() - name.length()) > allowed) {
                continue;
            }
            int distance = distance(lowered, name.toLowerCase(Locale.ROOT));
            if (distance <= allowed && distance < longest && distance < bestDistance) {
                best = name;
                bestDistance = distance;
            }
        }
        return best;
    }

    /** A name that differs from a wrong one by one edit: a letter more, less or other, or two neighbours exchanged. */
    public static @Nullable String oneEdit(String wrong, Collection<String> names) {
        if (wrong.length() > LENGTH_MAX) {
            return null;
        }
        String lowered = wrong.toLowerCase(Locale.ROOT);
        for (String name : names) {
            if (Math.abs(name.length() - wrong.length()) <= 1
                    && distance(lowered, name.toLowerCase(Locale.ROOT)) == 1) {
                return name;
            }
        }
        return null;
    }

    /** {@code did you mean `name`?}, or null when no name is near. */
    public static @Nullable String didYouMean(String wrong, Collection<String> names) {
        String nearest = nearest(wrong, names);
        return nearest == null ? null : "did you mean `" + nearest + "`?";
    }

    private static int distance(String left, String right) {
        int[] beforeLast = new int[right.length() + 1];
        int[] last = new int[right.length() + 1];
        int[] current = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                boolean same = left.charAt(i - 1) == right.charAt(j - 1);
                int best = Math.min(last[j - 1] + (same ? 0 : 1), Math.min(last[j], current[j - 1]) + 1);
                boolean swapped = i > 1
                        && j > 1
                        && left.charAt(i - 1) == right.charAt(j - 2)
                        && left.charAt(i - 2) == right.charAt(j - 1);
                current[j] = swapped ? Math.min(best, beforeLast[j - 2] + 1) : best;
            }
            int[] reused = beforeLast;
            beforeLast = last;
            last = current;
            current = reused;
        }
        return last[right.length()];
    }
}
