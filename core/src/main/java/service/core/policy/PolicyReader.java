package service.core.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;
import service.core.config.ConfigDiagnostic;
import service.core.config.YamlReader;

/** Reads policy bundles ({@code docs/policies.md}) strictly. Collects every finding of a file. */
public final class PolicyReader {
    private static final String VERSION_CODE = "006";
    private static final String NAME_CODE = "007";
    private static final String SCOPE_CODE = "008";
    private static final String EMPTY_CODE = "009";
    private static final String DUPLICATE_CODE = "010";
    private static final String BINDING_CODE = "011";

    private static final String SOURCE_SCOPE = "branch_scope";
    private static final String TARGET_SCOPE = "target_branch_scope";

    private final YamlReader yaml;
    private final boolean ofCluster;

    private PolicyReader(String file, boolean ofCluster, List<ConfigDiagnostic> found) {
        this.yaml = new YamlReader(file, "PL", found);
        this.ofCluster = ofCluster;
    }

    /**
     * Reads one bundle.
     *
     * @param file the name of the file in findings
     * @param ofCluster whether it is bound to {@code [cluster]}, else to graphs
     * @param found receives the findings
     * @return null when there is a finding
     */
    public static @Nullable PolicyBundle read(
            String file, String text, boolean ofCluster, List<ConfigDiagnostic> found) {
        int before = found.size();
        PolicyReader reader = new PolicyReader(file, ofCluster, found);
        Node root = reader.yaml.parse(text);
        PolicyBundle bundle = root == null ? null : reader.bundle(root);
        return found.size() == before ? bundle : null;
    }

    private PolicyBundle bundle(Node root) {
        Map<String, Node> top =
                yaml.object(root, "the policy", Set.of("version", "groups", "protected_branches", "rules"));
        if (!"1".equals(yaml.text(top.get("version"), "version"))) {
            yaml.report(top.getOrDefault("version", root), VERSION_CODE, "version must be 1");
        }
        Map<String, Set<String>> groups = new HashMap<>();
        yaml.mapping(top.get("groups"), "groups")
                .forEach((name, node) -> groups.put(name, texts(node, "group `" + name + "`")));
        List<Rule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (Node node : items(top.get("rules"), root, "rules")) {
            Rule rule = rule(node, groups.keySet());
            if (rule != null) {
                rules.add(rule);
                if (!ids.add(rule.id())) {
                    yaml.report(node, DUPLICATE_CODE, "two rules have the id `" + rule.id() + "`; give each its own");
                }
            }
        }
        Node branches = top.get("protected_branches");
        return new PolicyBundle(
                groups, branches == null ? ProtectedBranches.DEFAULT : protectedBranches(branches), rules);
    }

    private ProtectedBranches protectedBranches(Node node) {
        List<String> patterns = new ArrayList<>();
        for (String pattern : texts(node, "protected_branches")) {
            if (ProtectedBranches.isPattern(pattern)) {
                patterns.add(pattern);
            } else {
                yaml.report(
                        node,
                        NAME_CODE,
                        "`" + pattern + "` matches no branch: a pattern is 1 to 255 of A-Z a-z 0-9 . _ - / and *");
            }
        }
        return new ProtectedBranches(patterns);
    }

    private @Nullable Rule rule(Node node, Set<String> groups) {
        Map<String, Node> keys = yaml.object(node, "a rule", Set.of("id", "allow", SOURCE_SCOPE, TARGET_SCOPE));
        String id = required(keys, "id", node, "a rule");
        String what = id == null ? "a rule" : "rule `" + id + "`";
        Node allowed = keys.get("allow");
        if (allowed == null) {
            yaml.report(node, EMPTY_CODE, what + " allows nothing: give it `allow`");
            return null;
        }
        Map<String, Node> allow =
                yaml.object(allowed, what + ": allow", Set.of("actors", "actions", SOURCE_SCOPE, TARGET_SCOPE));
        Map<String, Node> actors = yaml.object(allow.get("actors"), what + ": actors", Set.of("group"));
        String group = required(actors, "group", allowed, what + ": actors");
        if (group != null && !groups.contains(group)) {
            reportUnknown(actors.get("group"), NAME_CODE, what + " names the group", group, groups);
        }
        Set<Action> actions = actions(allow.get("actions"), allowed, what);
        BranchScope scope = scope(keys, allow, node, what, actions);
        return id == null || group == null ? null : new Rule(id, group, actions, scope);
    }

    private Set<Action> actions(@Nullable Node node, Node parent, String what) {
        Set<Action> actions = EnumSet.noneOf(Action.class);
        for (Node item : items(node, parent, what + ": actions")) {
            String name = yaml.text(item, what + ": actions");
            Action action = name == null ? null : Action.of(name);
            if (action == null) {
                if (name != null) {
                    reportUnknown(item, NAME_CODE, what + " names the action", name, Action.wireNames());
                }
            } else if (action.isOfCluster() != ofCluster) {
                yaml.report(
                        item,
                        BINDING_CODE,
                        what
                                + " allows `"
                                + name
                                + "`, which is allowed only in a bundle that applies to "
                                + (ofCluster ? "graphs" : "[cluster]"));
            } else if (!actions.add(action)) {
                yaml.report(item, DUPLICATE_CODE, what + " names `" + name + "` twice");
            }
        }
        return actions;
    }

    /** The scope of a rule. Each key is accepted beside {@code allow} or inside it, but not in both places. */
    private BranchScope scope(
            Map<String, Node> keys, Map<String, Node> allow, Node rule, String what, Set<Action> actions) {
        Node source = once(keys, allow, SOURCE_SCOPE, what);
        Node target = once(keys, allow, TARGET_SCOPE, what);
        if (source != null && target != null) {
            yaml.report(
                    rule, SCOPE_CODE, what + " sets both branch_scope and target_branch_scope; make two rules of it");
            return BranchScope.ANY;
        }
        if (source != null) {
            return scope(source, SOURCE_SCOPE, what, actions, Action.Subject.BRANCH);
        }
        return target == null
                ? BranchScope.ANY
                : scope(target, TARGET_SCOPE, what, actions, Action.Subject.TARGET_BRANCH);
    }

    private @Nullable Node once(Map<String, Node> keys, Map<String, Node> allow, String key, String what) {
        Node beside = keys.get(key);
        Node inside = allow.get(key);
        if (beside != null && inside != null) {
            yaml.report(
                    inside, SCOPE_CODE, what + " sets " + key + " beside `allow` and inside it; keep one of the two");
        }
        return beside != null ? beside : inside;
    }

    private BranchScope scope(Node node, String key, String what, Set<Action> actions, Action.Subject subject) {
        Predicate<Action> has = action -> action.subject() == subject;
        for (Action action : actions) {
            if (!has.test(action)) {
                yaml.report(
                        node,
                        SCOPE_CODE,
                        "%s sets %s, which `%s` does not have; only %s do"
                                .formatted(what, key, action.wireName(), those(has)),
                        scopeHint(action));
            }
        }
        String word = yaml.text(node, what + ": " + key);
        BranchScope scope = word == null ? null : BranchScope.of(word);
        if (word != null && scope == null) {
            reportUnknown(node, SCOPE_CODE, what + ": " + key + " is", word, BranchScope.wireNames());
        }
        return scope == null ? BranchScope.ANY : scope;
    }

    /** How the scope of an action is written: deleting the key would widen the rule to every branch. */
    private static String scopeHint(Action action) {
        return switch (action.subject()) {
            case BRANCH -> "write branch_scope for `" + action.wireName() + "`, in a rule of its own";
            case TARGET_BRANCH -> "write target_branch_scope for `" + action.wireName() + "`, in a rule of its own";
            default -> "allow `" + action.wireName() + "` in a rule of its own, which has no scope";
        };
    }

    private static String those(Predicate<Action> which) {
        return String.join(
                ", ",
                Arrays.stream(Action.values())
                        .filter(which)
                        .map(Action::wireName)
                        .toList());
    }

    private @Nullable String required(Map<String, Node> keys, String key, Node parent, String what) {
        Node node = keys.get(key);
        String text = yaml.text(node, what + ": " + key);
        if (node == null || (text != null && text.isBlank())) {
            yaml.report(parent, EMPTY_CODE, what + " needs a " + key);
            return null;
        }
        return text;
    }

    /** The texts of a list, which must not be empty and must not repeat a text. */
    private Set<String> texts(Node node, String what) {
        Set<String> texts = new LinkedHashSet<>();
        for (Node item : items(node, node, what)) {
            String text = yaml.text(item, what);
            if (text != null && !texts.add(text)) {
                yaml.report(item, DUPLICATE_CODE, what + " names `" + text + "` twice");
            }
        }
        return texts;
    }

    private List<Node> items(@Nullable Node node, Node parent, String what) {
        List<Node> items = yaml.items(node, what);
        if (node == null || (items.isEmpty() && node instanceof SequenceNode)) {
            yaml.report(node == null ? parent : node, EMPTY_CODE, what + " must not be empty");
        }
        return items;
    }

    private void reportUnknown(@Nullable Node node, String code, String what, String name, Collection<String> known) {
        yaml.report(node, code, what + " `" + name + "`, which is unknown", YamlReader.nearestOrKnown(name, known));
    }
}
