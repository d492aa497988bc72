package service.core.policy;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The branches that a policy protects, as names and patterns in which {@code *} stands for any text, slashes included:
 * a pattern that protected less than it seems to would be found out too late.
 */
public final class ProtectedBranches {
    private static final Pattern PATTERN = Pattern.compile("[A-Za-z0-9._/*-]{1,255}");

    /** What is protected where a bundle does not say. */
    public static final ProtectedBranches DEFAULT = new ProtectedBranches(List.of("main"));

    private final List<Pattern> patterns;

    /**
     * The branches that match one of the patterns.
     *
     * @throws IllegalArgumentException for what can match no branch name
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
