package service.core.graph.request;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.port.Branch;
import service.core.value.PointInTime;

/**
 * What people write for a commit, as it is written: a commit id or the last six or more characters of one, a branch for
 * its head, a tag, {@code main@2h} for what the branch pointed to then, and any of these with {@code ~3} for the third
 * commit before it along first parents, or {@code ^2} for its merged parent. {@code branch:x}, {@code tag:x} and
 * {@code commit:x} say which is meant.
 *
 * @param text the whole
 */
record CommitRef(String text, Base base, List<Step> steps) {
    /** The end of a message that refuses a ref. */
    static final String FORMS =
            "a commit is written as its id, the last 6 or more characters of it, BRANCH, TAG, REF~N,"
                    + " BRANCH@TIME (RFC 3339, or an age such as 2h), or REF^2 for a merged parent";

    private static final Pattern STEP = Pattern.compile("([~^])([0-9]{0,9})");
    private static final Pattern MORE_PARENTS = Pattern.compile("\\^0*(?:[3-9]|[1-9][0-9])");

    /** A branch name has 255 characters at most. */
    private static final int CHARACTERS_MAX = 1_000;

    private static final String OF_BRANCH = "branch:";
    private static final String OF_TAG = "tag:";
    private static final String OF_COMMIT = "commit:";

    /** Where the steps begin. */
    sealed interface Base {
        /** A branch, a tag, or the end of an id. */
        record Name(String text) implements Base {}

        record OfBranch(String branch) implements Base {}

        record OfTag(String tag) implements Base {}

        /** An id in either case, or the end of one. */
        record OfCommit(String id) implements Base {}

        /**
         * What a branch pointed to.
         *
         * @param time RFC 3339 with an offset, a day (where it begins in UTC), or an age such as {@code 2h}
         */
        record AtTime(String branch, String time) implements Base {
            /**
             * The time in microseconds since the epoch, at a present time.
             *
             * @throws ServiceException BAD_REQUEST when it is no time
             */
            long micros(Instant now) {
                return ReadTarget.AtTime.micros(PointInTime.of(time, now), "the time after `@`");
            }
        }
    }

    /** A step from a commit to one of its parents. */
    sealed interface Step {
        /** Along first parents. */
        record Back(long commits) implements Step {}

        /** To the head of the branch that the commit merged. */
        record Merged() implements Step {}
    }

    /** The ref that a text is; null when it is none. */
    static @Nullable CommitRef parse(String text) {
        int length = baseLength(text);
        if (length == 0 || text.length() > CHARACTERS_MAX) {
            return null;
        }
        Matcher each = STEP.matcher(text);
        int at = length;
        List<Step> steps = new ArrayList<>();
        while (at < text.length()) {
            each.region(at, text.length());
            Step step = each.lookingAt() ? step(each.group(1), each.group(2)) : null;
            if (step == null) {
                return null;
            }
            steps.add(step);
            at = each.end();
        }
        return new CommitRef(text, base(text.substring(0, length)), List.copyOf(steps));
    }

    /** Whether a text that is no ref would be one, if commits had more than two parents. */
    static boolean namesThirdParent(String text) {
        return MORE_PARENTS.matcher(text).find();
    }

    private static int baseLength(String text) {
        int at = 0;
        while (at < text.length() && text.charAt(at) != '~' && text.charAt(at) != '^') {
            at++;
        }
        return at;
    }

    /** As in git, {@code ^} is the first parent and {@code ^0} the commit itself; a commit has two parents at most. */
    private static @Nullable Step step(String sign, String digits) {
        long number = digits.isEmpty() ? 1 : Long.parseLong(digits);
        return sign.equals("~") || number < 2 ? new Step.Back(number) : number == 2 ? new Step.Merged() : null;
    }

    private static Base base(String text) {
        int at = text.indexOf('@');
        String name = at < 0 ? text : text.substring(0, at);
        boolean branch = name.startsWith(OF_BRANCH);
        if (at >= 0) {
            String of = branch ? name.substring(OF_BRANCH.length()) : name;
            return new Base.AtTime(of.isEmpty() ? Branch.MAIN : of, text.substring(at + 1));
        }
        if (branch) {
            return new Base.OfBranch(name.substring(OF_BRANCH.length()));
        }
        if (name.startsWith(OF_TAG)) {
            return new Base.OfTag(name.substring(OF_TAG.length()));
        }
        return name.startsWith(OF_COMMIT) ? new Base.OfCommit(name.substring(OF_COMMIT.length())) : new Base.Name(name);
    }
}
