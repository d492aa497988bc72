package service.core.graph.branch;

import org.jspecify.annotations.Nullable;

/** What the two sides of a merge are, or of what works like one, in the words of its refusals. Any thread. */
enum MergeSides {
    /** Two branches. */
    MERGE("merge_granularity", "the source", "the target"),
    /** The state before a commit, and the branch; the base is the commit. */
    REVERT("granularity", "the state before the commit", "the branch"),
    /** The state before some commits, and the branch; the base is the last one. */
    REVERT_RANGE("granularity", "the state before the commits", "the branch"),
    /** A commit, and the branch; the base is the state before the commit. */
    PICK("granularity", "the commit", "the branch");

    /** The name under which a request asks for changes to be combined by property. */
    final String granularity;

    /** What a resolution takes with {@code source}. */
    final String source;

    /** What a resolution takes with {@code target}. */
    final String target;

    MergeSides(String granularity, String source, String target) {
        this.granularity = granularity;
        this.source = source;
        this.target = target;
    }

    /**
     * What an entity has that the two sides have changed differently. Each state is whether the entity exists in it.
     *
     * @param branch the name of the target
     * @param what the properties that are in conflict; may be empty
     */
    String explain(
            MergeConflict.Kind kind, boolean base, boolean ofSource, boolean ofTarget, String branch, String what) {
        if (kind == MergeConflict.Kind.AMBIGUOUS_BASE) {
            return "the sides differ in " + (what.isEmpty() ? "it" : "its " + what)
                    + ", and the merge bases disagree on what it was";
        }
        String content = what.isEmpty() ? "different content" : "a different " + what;
        if (this != MERGE) {
            boolean changes = base && ofSource;
            boolean inserts = this == PICK ? !base : !ofSource;
            return commits() + (changes ? " changed " : inserts ? " inserted " : " deleted ")
                    + (changes && ofTarget && !what.isEmpty() ? "its " + what : "it")
                    + ", but `" + branch + "` "
                    + (!ofTarget
                            ? "does not have it"
                            : changes && !what.isEmpty() ? "has yet another value" : "has it with " + content);
        }
        return switch (kind) {
            case DIVERGENT_INSERT -> "both sides inserted it with " + content;
            case DELETE_VS_UPDATE ->
                ofSource
                        ? "the source changed it, the target deleted it"
                        : "the source deleted it, the target changed it";
            case DIVERGENT_UPDATE -> what.isEmpty() ? "both sides changed it" : "both sides changed its " + what;
            case AMBIGUOUS_BASE,
                    ORPHAN_EDGE,
                    UNIQUE_VIOLATION,
                    CARDINALITY_VIOLATION,
                    VALUE_CONSTRAINT_VIOLATION,
                    SCHEMA_CONFLICT -> throw new IllegalArgumentException(kind + " is not about the sides");
        };
    }

    /**
     * Why an edge would lose an end.
     *
     * @param node the node at that end
     * @param bySource whether the source does not have the node any more; else the target
     */
    String orphan(String node, boolean bySource, String branch) {
        return "its end, " + node + ", "
                + switch (this) {
                    case MERGE -> "was deleted by the " + (bySource ? "source" : "target");
                    case REVERT, REVERT_RANGE ->
                        bySource ? "was inserted by " + commits() : "is not on `" + branch + "`";
                    case PICK -> bySource ? "was deleted by the commit" : "is not on `" + branch + "`";
                };
    }

    private String commits() {
        return this == REVERT_RANGE ? "the commits" : "the commit";
    }

    /** What the words of a resolution mean, where they are not branches; null for a merge. */
    @Nullable
    String meaning() {
        return this == MERGE ? null : "`source` is " + source + ", `target` " + target;
    }
}
