package service.core.schema;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Measures a regular expression before RE2/J compiles it. It takes an expression apart exactly as RE2/J's parser does,
 * without the parts' meaning. For a malformed expression the result has no meaning: RE2/J refuses it while it parses,
 * before it unrolls anything. One thread.
 */
final class PatternScanner {
    private static final int REPETITIONS_MAX = 1_000;
    private static final String PERL_CLASSES = "dDsSwW";
    private static final String ASSERTIONS = "AbBz";

    /** A group that is open, or the whole expression. */
    private static final class Level {
        final boolean captures;

        /** The alternatives that are complete. */
        @Nullable
        PatternSize alternatives;

        int count;

        /** The present alternative without its last part. */
        @Nullable
        PatternSize before;

        /** What a repetition refers to. */
        @Nullable
        PatternSize part;

        Level(boolean captures) {
            this.captures = captures;
        }

        void add(PatternSize next) {
            before = concatenated();
            part = next;
        }

        private @Nullable PatternSize concatenated() {
            PatternSize first = before;
            PatternSize last = part;
            return first == null ? last : last == null ? first : first.then(last);
        }

        void endAlternative() {
            PatternSize whole = concatenated();
            PatternSize next = whole == null ? PatternSize.EMPTY : whole.deeper(1);
            alternatives = alternatives == null ? next : alternatives.or(next);
            count++;
            before = null;
            part = null;
        }

        PatternSize close() {
            endAlternative();
            PatternSize all = alternatives;
            if (all == null) {
                throw new IllegalStateException("a group has an alternative");
            }
            PatternSize whole = count == 1 ? all : PatternSize.alternatives(all, count);
            return captures ? whole.captured() : whole;
        }
    }

    private final String expression;
    private final Deque<Level> outer = new ArrayDeque<>();
    private Level level = new Level(false);
    private int at;
    private int groups;
    private int namedClasses;
    private int otherClasses;

    /** Scans an expression. */
    PatternScanner(String expression) {
        this.expression = expression;
        while (at < expression.length()) {
            next();
        }
        while (!outer.isEmpty()) {
            endGroup();
        }
    }

    /** The program without the two instructions that every program has. */
    PatternSize size() {
        return level.close();
    }

    /** Groups that keep what they match. */
    int groups() {
        return groups;
    }

    /** Classes such as {@code \pL}, alone or within brackets, and all classes that ignore case. */
    int namedClasses() {
        return namedClasses;
    }

    /** Characters of other classes. */
    int otherClasses() {
        return otherClasses;
    }

    private char peek() {
        return expression.charAt(at);
    }

    private boolean isMore() {
        return at < expression.length();
    }

    private void skipCharacter() {
        at += Character.charCount(expression.codePointAt(at));
    }

    private void next() {
        switch (peek()) {
            case '(' -> group();
            case ')' -> {
                at++;
                if (!outer.isEmpty()) {
                    endGroup();
                }
            }
            case '|' -> {
                at++;
                level.endAlternative();
            }
            case '^', '$' -> {
                at++;
                level.add(PatternSize.EMPTY);
            }
            case '[' -> bracketed();
            case '*' -> repeat(0, -1);
            case '+' -> repeat(1, -1);
            case '?' -> repeat(0, 1);
            case '{' -> counted();
            case '\\' -> escaped();
            default -> {
                skipCharacter();
                level.add(PatternSize.CHARACTER);
            }
        }
    }

    private void group() {
        if (!expression.startsWith("(?", at)) {
            at++;
            begin(true);
            return;
        }
        if (expression.startsWith("(?P<", at) || expression.startsWith("(?<", at)) {
            int end = expression.indexOf('>', at);
            at = end < 0 ? expression.length() : end + 1;
            begin(true);
            return;
        }
        at += 2;
        while (isMore()) {
            char c = peek();
            at++;
            if (c == ':') {
                begin(false);
                return;
            }
            if ("imsU-".indexOf(c) < 0) {
                return;
            }
        }
    }

    private void begin(boolean captures) {
        groups += captures ? 1 : 0;
        outer.push(level);
        level = new Level(captures);
    }

    private void endGroup() {
        PatternSize whole = level.close();
        level = outer.pop();
        level.add(whole);
    }

    /** Repeats the last part; one that is missing is a mistake that RE2/J reports. */
    private void repeat(int least, int most) {
        at++;
        if (isMore() && peek() == '?') {
            at++;
        }
        PatternSize part = level.part;
        if (part != null) {
            level.part = most == 1 && least == 0
                    ? part.optional()
                    : most < 0 && least < 2 ? part.repeated(least == 1) : part.counted(least, most);
        }
    }

    /** {@code {2}}, {@code {2,}} or {@code {2,4}}; anything else is a brace. */
    private void counted() {
        int start = at;
        at++;
        int least = number();
        int most = least;
        boolean isCount = least >= 0 && isMore();
        if (isCount && peek() == ',') {
            at++;
            isCount = isMore();
            most = isCount && peek() != '}' ? number() : -1;
            isCount &= most >= 0 || (isMore() && peek() == '}' && expression.charAt(at - 1) == ',');
        }
        if (!isCount || !isMore() || peek() != '}') {
            at = start + 1;
            level.add(PatternSize.CHARACTER);
            return;
        }
        // Larger numbers, and a second one that is less than the first, are mistakes that RE2/J reports.
        repeat(Math.min(least, REPETITIONS_MAX), Math.min(most, REPETITIONS_MAX));
    }

    /** A number without leading zeros; -1 when there is none, or when it is not written so. */
    private int number() {
        int start = at;
        while (isMore() && peek() >= '0' && peek() <= '9') {
            at++;
        }
        int length = at - start;
        if (length == 0 || (length > 1 && expression.charAt(start) == '0')) {
            return -1;
        }
        return length > 8 ? Integer.MAX_VALUE : Integer.parseInt(expression, start, at, 10);
    }

    private void escaped() {
        if (at + 1 == expression.length()) {
            at++;
            return;
        }
        char c = expression.charAt(at + 1);
        if (ASSERTIONS.indexOf(c) >= 0) {
            at += 2;
            level.add(PatternSize.EMPTY);
        } else if (c == 'Q') {
            quoted();
        } else {
            classOrCharacter();
            level.add(PatternSize.CHARACTER);
        }
    }

    private void quoted() {
        at += 2;
        int end = expression.indexOf("\\E", at);
        int to = end < 0 ? expression.length() : end;
        while (at < to) {
            skipCharacter();
            level.add(PatternSize.CHARACTER);
        }
        at = Math.min(expression.length(), to + 2);
    }

    /** A backslash with what belongs to it: a class, or one character. */
    private void classOrCharacter() {
        at++;
        if (!isMore()) {
            return;
        }
        char c = peek();
        skipCharacter();
        switch (c) {
            case 'p', 'P' -> {
                namedClasses++;
                if (isMore()) {
                    int end = peek() == '{' ? expression.indexOf('}', at) : at;
                    at = end < 0 ? expression.length() : end;
                    if (isMore()) {
                        skipCharacter();
                    }
                }
            }
            case 'x' -> hexadecimal();
            case '0', '1', '2', '3', '4', '5', '6', '7' -> octal();
            default -> otherClasses += PERL_CLASSES.indexOf(c) >= 0 ? 1 : 0;
        }
    }

    private void hexadecimal() {
        if (isMore() && peek() == '{') {
            int end = expression.indexOf('}', at);
            at = end < 0 ? expression.length() : end + 1;
            return;
        }
        for (int i = 0; i < 2 && isMore(); i++) {
            skipCharacter();
        }
    }

    private void octal() {
        for (int i = 1; i < 3 && isMore() && peek() >= '0' && peek() <= '7'; i++) {
            at++;
        }
    }

    /** {@code [a-z]}. */
    private void bracketed() {
        int start = at;
        at++;
        if (isMore() && peek() == '^') {
            at++;
        }
        boolean first = true;
        while (isMore() && (first || peek() != ']')) {
            first = false;
            int end = expression.startsWith("[:", at) ? expression.indexOf(":]", at) : -1;
            if (end >= 0) {
                at = end + 2;
            } else {
                member();
            }
        }
        at = Math.min(expression.length(), at + 1);
        otherClasses += at - start;
        level.add(PatternSize.CHARACTER);
    }

    private void member() {
        if (peek() == '\\') {
            boolean isClass =
                    at + 1 < expression.length() && (PERL_CLASSES + "pP").indexOf(expression.charAt(at + 1)) >= 0;
            classOrCharacter();
            if (isClass) {
                return;
            }
        } else {
            skipCharacter();
        }
        if (isMore() && peek() == '-' && at + 1 < expression.length() && expression.charAt(at + 1) != ']') {
            at++;
            if (peek() == '\\') {
                classOrCharacter();
            } else {
                skipCharacter();
            }
        }
    }
}
