package service.core.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The actions that a policy can allow ({@code docs/policies.md}). */
public enum Action {
    READ(Subject.BRANCH),
    EXPORT(Subject.BRANCH),
    CHANGE(Subject.BRANCH),
    SCHEMA_APPLY(Subject.TARGET_BRANCH),
    BRANCH_CREATE(Subject.TARGET_BRANCH),
    BRANCH_DELETE(Subject.TARGET_BRANCH),
    BRANCH_MERGE(Subject.TARGET_BRANCH),
    INVOKE_QUERY(Subject.GRAPH),
    ADMIN(Subject.GRAPH),
    GRAPH_LIST(Subject.CLUSTER),
    CONFIG_MANAGE(Subject.CLUSTER);

    /** The object of an action. It determines which scope a rule may set. */
    public enum Subject {
        /** The branch that is read or changed: {@code branch_scope}. */
        BRANCH,
        /** The branch created, deleted, merged into or migrated: {@code target_branch_scope}. */
        TARGET_BRANCH,
        /** The graph as a whole: no scope. */
        GRAPH,
        /** The cluster: no scope, and only in a bundle that is bound to the cluster. */
        CLUSTER
    }

    private static final List<String> WIRE_NAMES =
            Arrays.stream(values()).map(Action::wireName).toList();

    private final Subject subject;

    Action(Subject subject) {
        this.subject = subject;
    }

    public Subject subject() {
        return subject;
    }

    /** Whether the action applies to a branch; otherwise it applies to the graph or the cluster as a whole. */
    public boolean isOfBranch() {
        return switch (subject) {
            case BRANCH, TARGET_BRANCH -> true;
            case GRAPH, CLUSTER -> false;
        };
    }

    /** Whether the action applies to the cluster, so that only the policy of the cluster can allow it. */
    public boolean isOfCluster() {
        return subject == Subject.CLUSTER;
    }

    /** The word in policies and answers, such as {@code branch_create}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The action of that word, or null when there is none. */
    public static @Nullable Action of(String wireName) {
        int index = WIRE_NAMES.indexOf(wireName);
        return index < 0 ? null : values()[index];
    }

    /** The words of all actions. */
    public static List<String> wireNames() {
        return WIRE_NAMES;
    }
}
