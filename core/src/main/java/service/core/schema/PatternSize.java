package service.core.schema;

/**
 * What a part of a regular expression needs when RE2/J compiles and runs it. All numbers are upper bounds: RE2/J
 * factors alternatives and merges classes, which makes programs smaller.
 *
 * <p><b>Chains.</b> RE2/J's matcher follows instructions that read no character by recursion, so the longest chain of
 * such instructions is the depth of its stack. A chain may go through a whole part, begin at its start, come to its
 * end, or are within it, between two characters. The lengths are combined as the parts are.
 *
 * @param instructions of the program
 * @param depth of the syntax tree once its counted repetitions are unrolled, and so of the recursion of the compiler
 * @param through the longest chain from the start to the end; {@link #NEVER} when every way reads a character
 * @param first the longest chain from the start
 * @param last the longest chain to the end, after a character
 * @param within the longest chain between two characters
 */
record PatternSize(long instructions, int depth, int through, int first, int last, int within) {
    static final int NEVER = -1;

    /** What an alternative adds to a chain: its branch, and an empty part when it is the beginning of another one. */
    private static final int BRANCH = 3;

    /** Numbers stay below this one: it is above every limit. */
    private static final long MANY = 1_000_000_000;

    /** Reads one character. */
    static final PatternSize CHARACTER = new PatternSize(1, 1, NEVER, 1, 0, 0);

    /** Reads nothing, with one instruction: an assertion or an empty part. */
    static final PatternSize EMPTY = new PatternSize(1, 1, 1, 1, 0, 0);

    PatternSize {
        instructions = Math.min(instructions, MANY);
        depth = (int) Math.min(depth, MANY);
    }

    /** The longest chain. */
    int chain() {
        return Math.max(Math.max(through, first), Math.max(last, within));
    }

    private static int sum(int left, int right) {
        return left == NEVER || right == NEVER ? NEVER : (int) Math.min((long) left + right, MANY);
    }

    private static int plus(int left, int right) {
        return (int) Math.min((long) Math.max(0, left) + Math.max(0, right), MANY);
    }

    /** One part after the other. */
    PatternSize then(PatternSize next) {
        return new PatternSize(
                instructions + next.instructions,
                Math.max(depth, next.depth),
                sum(through, next.through),
                through == NEVER ? first : Math.max(first, plus(through, next.first)),
                next.through == NEVER ? next.last : Math.max(next.last, plus(last, next.through)),
                Math.max(Math.max(within, next.within), plus(last, next.first)));
    }

    /** A part that may be left out. */
    PatternSize optional() {
        return new PatternSize(
                instructions + 1, depth + 1, 1 + Math.max(0, through), 1 + Math.max(first, 0), last, within);
    }

    /**
     * A part any number of times, at least once or not. RE2/J writes {@code x*} as {@code (?:x+)?} where {@code x} may
     * match nothing.
     */
    PatternSize repeated(boolean atLeastOnce) {
        if (!atLeastOnce && through != NEVER) {
            return repeated(true).optional();
        }
        int passed = Math.max(0, through);
        // A chain leaves the part, passes the branch, and may enter the part again.
        int again = plus(plus(last, 1), Math.max(first, passed));
        return new PatternSize(
                instructions + 1,
                depth + 1,
                atLeastOnce ? sum(through, 1) : 1,
                plus(plus(passed, 1), first),
                plus(plus(last, 1), passed),
                Math.max(within, again));
    }

    /**
     * A counted repetition. RE2/J writes {@code x{2,4}} as {@code xx(?:x(?:x)?)?}.
     *
     * @param most -1 for any number
     */
    PatternSize counted(int least, int most) {
        if (most == 0) {
            return EMPTY;
        }
        PatternSize size = null;
        int plain = most < 0 && least > 0 ? least - 1 : least;
        for (int i = 0; i < plain; i++) {
            size = size == null ? this : size.then(this);
        }
        if (most < 0) {
            PatternSize rest = repeated(least > 0);
            return size == null ? rest : size.then(rest);
        }
        PatternSize rest = null;
        for (int i = least; i < most; i++) {
            rest = (rest == null ? this : then(rest)).deeper(1).optional();
        }
        return rest == null ? size == null ? EMPTY : size : size == null ? rest : size.then(rest);
    }

    /** A part in a group that keeps what it matched. */
    PatternSize captured() {
        return new PatternSize(
                instructions + 2,
                depth + 1,
                through == NEVER ? NEVER : plus(through, 2),
                plus(first, 1),
                plus(last, 1),
                within);
    }

    /** The same in so many more levels of the syntax tree. */
    PatternSize deeper(int levels) {
        return new PatternSize(instructions, depth + levels, through, first, last, within);
    }

    /**
     * Alternatives, taken together by one branch less than there are. RE2/J factors common beginnings, so a chain may
     * begin where the text of an alternative continues: every chain is taken to be as long as the longest.
     *
     * @param all the sum of the alternatives' instructions, and the maximum of everything else
     */
    static PatternSize alternatives(PatternSize all, int count) {
        int longest = plus(all.chain(), BRANCH * count);
        return new PatternSize(
                all.instructions + count - 1L,
                all.depth + 2 * count,
                all.through == NEVER ? NEVER : longest,
                longest,
                longest,
                longest);
    }

    /** Both of several alternatives; see {@link #alternatives}. */
    PatternSize or(PatternSize other) {
        return new PatternSize(
                instructions + other.instructions,
                Math.max(depth, other.depth),
                Math.max(through, other.through),
                Math.max(first, other.first),
                Math.max(last, other.last),
                Math.max(within, other.within));
    }
}
