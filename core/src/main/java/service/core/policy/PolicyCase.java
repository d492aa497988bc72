package service.core.policy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import service.core.config.ConfigDiagnostic;
import service.core.config.YamlReader;

/**
 * One expectation about a policy, as {@code service policy test} reads it.
 *
 * @param branch the branch that the action applies to
 */
public record PolicyCase(String id, String actor, Action action, String branch, boolean expectsAllow) {
    private static final String ALLOW = "allow";
    private static final String DENY = "deny";
    private static final String CASE_CODE = "012";

    /** Whether the policy decides as expected. */
    public boolean passes(PolicyBundle policy) {
        return policy.decide(actor, action, branch).allows() == expectsAllow;
    }

    /**
     * Chooses the branch that an action applies to from the two that a request may name: the one that the action has,
     * else the other, else {@code main}.
     *
     * @param branch read or changed
     * @param targetBranch created, deleted, merged into or migrated
     */
    public static String subject(Action action, @Nullable String branch, @Nullable String targetBranch) {
        boolean isOfTarget = action.subject() == Action.Subject.TARGET_BRANCH;
        String own = isOfTarget ? targetBranch : branch;
        String other = isOfTarget ? branch : targetBranch;
        return Objects.requireNonNullElse(own, Objects.requireNonNullElse(other, PolicyBundle.DEFAULT_BRANCH));
    }

    /**
     * Why a policy can never allow an action: only the policy of the cluster has actions of the cluster, and it has no
     * others.
     *
     * @param ofCluster whether the policy is that of the cluster
     * @return null when the policy can allow the action
     */
    public static @Nullable String misplaced(Action action, boolean ofCluster) {
        if (action.isOfCluster() == ofCluster) {
            return null;
        }
        return "`%s` is an action of %s; ask the policy of %s"
                .formatted(
                        action.wireName(),
                        ofCluster ? "a graph" : "the cluster",
                        ofCluster ? "the graph with --graph ID" : "the cluster with --scope cluster");
    }

    /**
     * Reads a file of cases.
     *
     * @param file the name of the file in findings
     * @param ofCluster whether the cases are for the policy of the cluster
     * @param found receives the findings
     */
    public static List<PolicyCase> read(String file, String text, boolean ofCluster, List<ConfigDiagnostic> found) {
        YamlReader yaml = new YamlReader(file, "PL", found);
        Node root = yaml.parse(text);
        List<PolicyCase> cases = new ArrayList<>();
        if (root == null) {
            return cases;
        }
        Map<String, Node> top = yaml.object(root, "the test", Set.of("version", "cases"));
        if (!"1".equals(yaml.text(top.get("version"), "version"))) {
            yaml.report(top.getOrDefault("version", root), "006", "version must be 1");
        }
        List<Node> nodes = yaml.items(top.get("cases"), "cases");
        if (nodes.isEmpty()) {
            yaml.report(top.getOrDefault("cases", root), "009", "cases must not be empty");
        }
        Set<String> ids = new HashSet<>();
        for (Node node : nodes) {
            PolicyCase read = readCase(yaml, node, ofCluster);
            if (read != null) {
                cases.add(read);
                if (!ids.add(read.id)) {
                    yaml.report(node, "010", "two cases have the id `" + read.id + "`; give each its own");
                }
            }
        }
        return cases;
    }

    private static @Nullable PolicyCase readCase(YamlReader yaml, Node node, boolean ofCluster) {
        Map<String, Node> keys =
                yaml.object(node, "a case", Set.of("id", "actor", "action", "branch", "target_branch", "expect"));
        for (String key : List.of("id", "actor", "action", "expect")) {
            if (!keys.containsKey(key)) {
                yaml.report(node, CASE_CODE, "a case needs " + key);
            }
        }
        String id = yaml.text(keys.get("id"), "id");
        String actor = yaml.text(keys.get("actor"), "actor");
        String word = yaml.text(keys.get("action"), "action");
        String expect = yaml.text(keys.get("expect"), "expect");
        Action action = word == null ? null : Action.of(word);
        if (word != null && action == null) {
            yaml.report(
                    keys.get("action"),
                    CASE_CODE,
                    "unknown action `" + word + "`; known are " + String.join(", ", Action.wireNames()));
        }
        String misplaced = action == null ? null : misplaced(action, ofCluster);
        if (misplaced != null) {
            yaml.report(keys.get("action"), CASE_CODE, misplaced);
        }
        if (expect != null && !expect.equals(ALLOW) && !expect.equals(DENY)) {
            yaml.report(keys.get("expect"), CASE_CODE, "expect must be allow or deny, not " + expect);
        }
        String branch = yaml.text(keys.get("branch"), "branch");
        String target = yaml.text(keys.get("target_branch"), "target_branch");
        return id == null || actor == null || action == null || expect == null
                ? null
                : new PolicyCase(id, actor, action, subject(action, branch, target), expect.equals(ALLOW));
    }
}
