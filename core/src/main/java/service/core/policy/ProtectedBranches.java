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

    private final List<Pattern> patterns;

    /**
     * The branches that match one of the patterns.
     *
     * @throws IllegalArgumentException for a pattern that can match no branch name
     */
    public ProtectedBranches(List<String> patterns) {
        this.patterns = patterns.stream().map(ProtectedBranches::compile).toList();
    }

    static boolean isPattern(String text) {
        return PATTERN.matcher(text).matches();
    }

    public boolean contains(String branch) {
        return patterns.stream().anyMatch(pattern -> pattern.matcher(branch).matches());
    }

    private static Pattern compile(String text) {
        if (!isPattern(text)) {
            throw new IllegalArgumentException("no pattern of branch names: " + text);
        }
        return Pattern.compile(text.replace(".", "\\.").replaceAll("\\*+", ".*"));
    }
}
