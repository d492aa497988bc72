package service.core.policy;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The branches that a policy protects, as names and as patterns in which {@code *} matches any text, including slashes.
 * A {@code *} that did not match slashes would protect fewer branches than its author expects.
 */
public final class ProtectedBranches {
    private static final Pattern PATTERN = Pattern.compile("[A-Za-z0-9._/*-]{1,255}");

    /** The default of a bundle that names no protected branches. */
    public static final ProtectedBranches DEFAULT = new ProtectedBranches(List.of("main"));

    private final List<String> patterns;

    /**
     * The branches that match one of the patterns.
     *
     * @throws IllegalArgumentException for a pattern that can match no branch name
     */
    public ProtectedBranches(List<String> patterns) {
        for (String pattern : patterns) {
            if (!isPattern(pattern)) {
                throw new IllegalArgumentException("no pattern of branch names: " + pattern);
            }
        }
        this.patterns = List.copyOf(patterns);
    }

    static boolean isPattern(String text) {
        return PATTERN.matcher(text).matches();
    }

    /** Whether a branch is protected. Allocates nothing. */
    public boolean contains(String branch) {
        for (int i = 0; i < patterns.size(); i++) {
            if (matches(patterns.get(i), branch)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Compares from left to right. Where the texts differ, the last {@code *} takes one character more: an earlier one
     * never needs to, so the time is bounded by the product of the lengths.
     */
    private static boolean matches(String pattern, String name) {
        int at = 0;
        int inPattern = 0;
        int star = -1;
        int taken = 0;
        while (at < name.length()) {
            if (inPattern < pattern.length() && pattern.charAt(inPattern) == '*') {
                star = inPattern++;
                taken = at;
            } else if (inPattern < pattern.length() && pattern.charAt(inPattern) == name.charAt(at)) {
                inPattern++;
                at++;
            } else if (star >= 0) {
                inPattern = star + 1;
                at = ++taken;
            } else {
                return false;
            }
        }
        while (inPattern < pattern.length() && pattern.charAt(inPattern) == '*') {
            inPattern++;
        }
        return inPattern == pattern.length();
    }
}
