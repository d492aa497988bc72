package service.core.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Compiles regular expressions from schemas and queries. RE2 matches in linear time, but it unrolls counted repetitions
 * when it compiles: the fifteen characters {@code (a{1000}){1000}} cost a million instructions. This class estimates
 * the unrolled size before it compiles and refuses large ones. Any thread.
 */
public final class BoundedPattern {
    /** Bounds the recursion of the compiler. */
    public static final int LENGTH_MAX = 1_000;

    /** Maximum estimated number of instructions. */
    static final long SIZE_MAX = 20_000;

    private BoundedPattern() {}

    /**
     * The compiled expression.
     *
     * @throws IllegalArgumentException with a message about the mistake
     */
    public static Pattern compile(String expression) {
        if (expression.length() > LENGTH_MAX) {
            throw new IllegalArgumentException("a regular expression has at most " + LENGTH_MAX + " characters");
        }
        if (size(expression) > SIZE_MAX) {
            throw new IllegalArgumentException(
                    "the repetitions of the regular expression multiply to more than " + SIZE_MAX);
        }
        try {
            return Pattern.compile(expression);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(e.getDescription(), e);
        }
    }

    /** An upper estimate of the instructions; for a malformed expression the number has no meaning. */
    static long size(String expression) {
        Deque<Long> outer = new ArrayDeque<>();
        long total = 0;
        long last = 0;
        int at = 0;
        while (at < expression.length()) {
            char c = expression.charAt(at++);
            switch (c) {
                case '(' -> {
                    outer.push(total + last);
                    total = 0;
                    last = 0;
                }
                case ')' -> {
                    last = total + last + 2;
                    total = outer.isEmpty() ? 0 : outer.pop();
                }
                case '{' -> last *= Math.max(1, count(expression, at));
                case '\\' -> {
                    total += last;
                    last = 1;
                    at++;
                }
                default -> {
                    total += last;
                    last = 1;
                }
            }
            if (total + last > SIZE_MAX) {
                return total + last;
            }
        }
        return total + last;
    }

    /** The greatest number of {@code n}, {@code n,} or {@code n,m} from here to the brace. */
    private static long count(String expression, int from) {
        long greatest = 0;
        long number = 0;
        for (int at = from; at < expression.length() && expression.charAt(at) != '}'; at++) {
            char c = expression.charAt(at);
            boolean digit = c >= '0' && c <= '9';
            number = digit ? Math.min(SIZE_MAX, number * 10 + (c - '0')) : 0;
            greatest = Math.max(greatest, number);
        }
        return greatest;
    }
}
