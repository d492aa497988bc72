package service.core.schema;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.lifecycle.Uninterrupted;

/**
 * A regular expression of a schema or a query. RE2/J matches in linear time, but three things grow with an expression,
 * some of them far beyond its length: the program, since counted repetitions are unrolled; the work for each character,
 * which is proportional to the program; and the stack, since the compiler and the matcher recurse. So an expression is
 * measured before it is compiled ({@link PatternScanner}), and refused when it is too large; its memory is charged, its
 * work is counted. Any thread; an object that threads share matches for all of them at a time.
 */
public final class TextPattern {
    /** Maximum length of an expression. */
    public static final int LENGTH_MAX = 1_000;

    /** Maximum number of instructions of a program. */
    public static final int INSTRUCTIONS_MAX = 20_000;

    /**
     * Maximum number of instructions that the matcher may follow without reading a character, by recursion: a frame has
     * up to 250 bytes, so this is a quarter of the stack of a thread.
     */
    static final int CHAIN_MAX = 1_000;

    /** The depth of a syntax tree that is compiled on the thread of the caller; a frame has up to 400 bytes. */
    private static final int DEPTH_HERE_MAX = 300;

    /** Stack for the compiler's recursion over the deepest tree, {@code {0,1000}} with what is around it. */
    private static final long COMPILER_STACK_BYTES = 16 << 20;

    private static final int SHOWN_MAX = 40;

    /** Heap bytes of a pattern with its matcher, without what follows. */
    private static final long FIXED_BYTES = 1 << 10;

    /** Of an instruction with its place in the program and in the matcher's two queues, and a matcher's thread. */
    private static final long INSTRUCTION_BYTES = 136;

    /** Of a group, for each instruction: a matcher's thread notes where the group begins and ends. */
    private static final long GROUP_BYTES = 2L * Integer.BYTES;

    /** Of a class of Unicode: up to some thousand ranges. */
    private static final long NAMED_CLASS_BYTES = 12 << 10;

    /** For a character of any other class; one that ignores case may have several ranges for each. */
    private static final long CLASS_CHARACTER_BYTES = 64;

    /** Instructions that a matcher follows in about the time of one step. */
    private static final int INSTRUCTIONS_A_STEP = 16;

    /** A matcher of more instructions is not kept by a pattern that threads share: each would leave one. */
    private static final int KEPT_MATCHER_MAX = 1_000;

    /** Stack for the matcher's recursion over an instruction, a frame of which has up to 250 bytes. */
    private static final long CHAIN_STACK_BYTES = 512;

    private static final long STACK_BYTES = 1 << 20;

    private final Pattern pattern;
    private final int stepsACharacter;

    /** The stack that a matcher needs; 0 where that of any thread does. */
    private final long stackBytes;

    private TextPattern(Pattern pattern, long chain) {
        this.pattern = pattern;
        this.stepsACharacter = 1 + pattern.programSize() / INSTRUCTIONS_A_STEP;
        this.stackBytes =
                chain <= CHAIN_MAX ? 0 : STACK_BYTES + CHAIN_STACK_BYTES * Math.min(chain, pattern.programSize());
    }

    /**
     * The compiled expression.
     *
     * @param charge called with the heap bytes that the pattern and its matcher will hold at most, before they are
     *     allocated
     * @throws IllegalArgumentException with a message that names the expression and the mistake; a limit of memory is
     *     the exception of {@code charge}
     */
    public static TextPattern compile(String expression, LongConsumer charge) {
        if (expression.length() > LENGTH_MAX) {
            throw refused(expression, "is longer than " + LENGTH_MAX + " characters");
        }
        PatternScanner scanner = new PatternScanner(expression);
        PatternSize size = scanner.size();
        if (size.instructions() > INSTRUCTIONS_MAX) {
            throw refused(
                    expression,
                    "compiles to more than " + INSTRUCTIONS_MAX
                            + " instructions: lower its counted repetitions, such as `{1000}`");
        }
        if (size.chain() > CHAIN_MAX) {
            throw refused(
                    expression,
                    "has more than " + CHAIN_MAX
                            + " parts in a row that may match nothing: lower the repetition around `?`, `*` or `|`");
        }
        charge.accept(bytes(scanner, size));
        try {
            return compiled(expression, size);
        } catch (PatternSyntaxException e) {
            throw refused(expression, "does not parse: " + e.getDescription());
        }
    }

    /** As {@link #compile(String, LongConsumer)}, for a pattern that no request is charged for. */
    public static TextPattern compile(String expression) {
        return compile(expression, bytes -> {});
    }

    /**
     * The expression of a schema that a graph has, without limits: an older version has accepted it. Where the matcher
     * recurses deeper than the stack of a thread allows, each match starts a thread with a larger stack, which is slow.
     *
     * @throws IllegalArgumentException with a message that names the expression and the mistake
     */
    public static TextPattern stored(String expression) {
        try {
            return compiled(expression, new PatternScanner(expression).size());
        } catch (PatternSyntaxException e) {
            throw refused(expression, "does not parse: " + e.getDescription());
        }
    }

    private static TextPattern compiled(String expression, PatternSize size) {
        return new TextPattern(
                size.depth() <= DEPTH_HERE_MAX ? Pattern.compile(expression) : compileDeep(expression), size.chain());
    }

    /**
     * As {@link #compile(String, LongConsumer)}, for a pattern that a query got as a value.
     *
     * @throws ServiceException BAD_REQUEST instead of an {@link IllegalArgumentException}
     */
    public static TextPattern ofQuery(String expression, LongConsumer charge) {
        try {
            return compile(expression, charge);
        } catch (IllegalArgumentException e) {
            throw ServiceException.badRequest(Reason.EVALUATION, "`matches`: " + e.getMessage());
        }
    }

    private static long bytes(PatternScanner scanner, PatternSize size) {
        return FIXED_BYTES
                + size.instructions() * (INSTRUCTION_BYTES + GROUP_BYTES * scanner.groups())
                + NAMED_CLASS_BYTES * scanner.namedClasses()
                + CLASS_CHARACTER_BYTES * scanner.otherClasses();
    }

    private static IllegalArgumentException refused(String expression, String why) {
        String shown = expression.length() > SHOWN_MAX ? expression.substring(0, SHOWN_MAX) + "…" : expression;
        return new IllegalArgumentException("the regular expression `" + shown + "` " + why);
    }

    /** Compiles on a thread with a larger stack. */
    private static Pattern compileDeep(String expression) {
        return onStack(COMPILER_STACK_BYTES, () -> Pattern.compile(expression));
    }

    private static <T> T onStack(long bytes, Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(null, task, "pattern", bytes);
        thread.start();
        try {
            return Uninterrupted.get(task::get);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException refusal) {
                throw refusal;
            }
            throw new IllegalStateException("RE2/J failed on an expression", e.getCause());
        }
    }

    /** Instructions of the program. */
    public int instructions() {
        return pattern.programSize();
    }

    /** The expression. */
    public String text() {
        return pattern.pattern();
    }

    /**
     * Whether any part of a text matches.
     *
     * @param steps called with the units of work while the text is read; may throw to end it
     */
    public boolean isIn(String text, IntConsumer steps) {
        Matcher matcher = pattern.matcher(new Watched(text, steps, stepsACharacter));
        return stackBytes == 0 ? matcher.find() : onStack(stackBytes, matcher::find);
    }

    /** Whether the whole of a text matches; see {@link #isIn}. */
    public boolean matches(String text, IntConsumer steps) {
        Matcher matcher = pattern.matcher(new Watched(text, steps, stepsACharacter));
        return stackBytes == 0 ? matcher.matches() : onStack(stackBytes, matcher::matches);
    }

    /** Lets the matchers go that threads have left, if they are large. For a pattern that outlives a request. */
    public void trim() {
        if (pattern.programSize() > KEPT_MATCHER_MAX) {
            pattern.reset();
        }
    }

    /** Counts the work of a matcher by the characters that it reads. */
    private record Watched(String text, IntConsumer steps, int stepsACharacter) implements CharSequence {
        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            steps.accept(stepsACharacter);
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Watched(text.substring(start, end), steps, stepsACharacter);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
