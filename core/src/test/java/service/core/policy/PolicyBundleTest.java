package service.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.config.ConfigDiagnostic;
import service.core.testkit.Seed;

final class PolicyBundleTest {
    private static final String EXAMPLE = """
            version: 1
            groups: { readers: [ada, "principal:p-1"], writers: [ada] }
            protected_branches: [main, "release/*"]
            rules:
              - id: read-all
                allow: { actors: { group: readers }, actions: [read, export] }
              - id: write-drafts
                allow: { actors: { group: writers }, actions: [change] }
                branch_scope: unprotected
              - id: land
                allow: { actors: { group: writers }, actions: [branch_merge, branch_create] }
                target_branch_scope: protected
              - id: call
                allow: { actors: { group: readers }, actions: [invoke_query] }
            """;

    private static final List<BranchScope> SCOPES = List.of(BranchScope.values());

    private static PolicyBundle policy(String text) {
        List<ConfigDiagnostic> found = new ArrayList<>();
        PolicyBundle policy = PolicyReader.read("p.yaml", text, false, found);
        assertThat(found).isEmpty();
        return policy;
    }

    @ParameterizedTest
    @CsvSource({
        "ada, read, main, read-all",
        "principal:p-1, export, x, read-all",
        "ada, change, x, write-drafts",
        "ada, branch_merge, main, land",
        "ada, branch_create, release/1/fix, land",
        "principal:p-1, invoke_query, main, call",
    })
    void allowsWhatARuleAllows(String actor, String action, String branch, String rule) {
        assertThat(policy(EXAMPLE).decide(actor, Action.of(action), branch))
                .isInstanceOfSatisfying(
                        Decision.Allowed.class,
                        allowed -> assertThat(allowed.rule().id()).isEqualTo(rule));
    }

    @Test
    void reportsForEachRuleTheFirstConditionThatFails() {
        assertThat(policy(EXAMPLE).decide("ada", Action.CHANGE, "release/2"))
                .isInstanceOfSatisfying(
                        Decision.Denied.class,
                        denied -> assertThat(denied.misses())
                                .extracting(miss -> miss.rule().id() + ": " + miss.condition())
                                .containsExactly(
                                        "read-all: it does not allow `change`",
                                        "write-drafts: branch `release/2` is protected, and the rule is for unprotected branches",
                                        "land: it does not allow `change`",
                                        "call: it does not allow `change`"));
        assertThat(policy(EXAMPLE).decide("bob", Action.READ, "main"))
                .isInstanceOfSatisfying(
                        Decision.Denied.class,
                        denied -> assertThat(denied.misses().getFirst().condition())
                                .isEqualTo("actor `bob` is not in group `readers`"));
        assertThat(policy(EXAMPLE).decide(null, Action.READ, "main").allows()).isFalse();
    }

    @Test
    void anActorMayDoWhatSomeRuleAllowsOnSomeBranch() {
        PolicyBundle policy = policy(EXAMPLE);
        Permissions ada = Permissions.of(policy, "ada");
        assertThat(ada.allowSomewhere(Action.CHANGE)).isTrue();
        assertThat(Permissions.of(policy, "principal:p-1").allowSomewhere(Action.CHANGE))
                .isFalse();
        assertThat(ada.allowSomewhere(Action.BRANCH_DELETE)).isFalse();
        assertThat(ada.isProtected("release/1")).isTrue();
        assertThat(policy.names("principal:p-1")).isTrue();
        assertThat(policy.names("bob")).isFalse();
        assertThat(policy.names(null)).isFalse();
    }

    @Test
    void onlyMainIsProtectedByDefault() {
        PolicyBundle policy = policy(EXAMPLE.replaceAll("(?m)^protected_branches.*\n", ""));
        assertThat(policy.protectedBranches().contains("main")).isTrue();
        assertThat(policy.protectedBranches().contains("mainline")).isFalse();
        assertThat(policy.protectedBranches().contains("release/1")).isFalse();
    }

    @Test
    void aDotOfAPatternIsADot() {
        ProtectedBranches branches = new ProtectedBranches(List.of("v1.*", "*-lts"));
        assertThat(branches.contains("v1.2")).isTrue();
        assertThat(branches.contains("v102")).isFalse();
        assertThat(branches.contains("a/b-lts")).isTrue();
    }

    @Test
    void protectsTheNamesThatARegularExpressionMatches(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20_000; round++) {
            String pattern = text(random, "ab.*", 1 + random.nextInt(6));
            String name = text(random, "ab.", random.nextInt(8));
            assertThat(new ProtectedBranches(List.of(pattern)).contains(name))
                    .as("%s and %s", pattern, name)
                    .isEqualTo(name.matches(pattern.replace(".", "\\.").replaceAll("\\*+", ".*")));
        }
    }

    private static String text(SplittableRandom random, String letters, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    /** The time of a backtracking matcher is exponential in the number of stars. */
    @Test
    void aPatternOfManyStarsIsMatchedInTime() {
        ProtectedBranches branches = new ProtectedBranches(List.of("*a".repeat(100) + "b"));
        assertThat(branches.contains("a".repeat(255))).isFalse();
        assertThat(branches.contains("a".repeat(254) + "b")).isTrue();
    }

    /** A decision equals its definition: there is a rule whose four conditions all hold. */
    @Test
    void decidesAsTheDefinitionSays(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> actors = List.of("a", "b", "c");
        List<String> branches = List.of("main", "release/1", "x");
        for (int round = 0; round < 2_000; round++) {
            Map<String, Set<String>> groups = Map.of("g", pick(random, actors), "h", pick(random, actors));
            List<Rule> rules = new ArrayList<>();
            for (int i = random.nextInt(5); i > 0; i--) {
                rules.add(new Rule(
                        "r" + i,
                        random.nextBoolean() ? "g" : "h",
                        pick(random, List.of(Action.values())),
                        SCOPES.get(random.nextInt(SCOPES.size()))));
            }
            PolicyBundle policy = new PolicyBundle(groups, new ProtectedBranches(List.of("main", "release/*")), rules);
            for (String actor : actors) {
                for (Action action : Action.values()) {
                    for (String branch : branches) {
                        boolean isProtected = !branch.equals("x");
                        boolean allowed = false;
                        for (Rule rule : rules) {
                            boolean scopeFits = action == Action.INVOKE_QUERY
                                    || action == Action.ADMIN
                                    || action == Action.GRAPH_LIST
                                    || action == Action.CONFIG_MANAGE
                                    || rule.scope() == BranchScope.ANY
                                    || (rule.scope() == BranchScope.PROTECTED) == isProtected;
                            allowed |= groups.get(rule.group()).contains(actor)
                                    && rule.actions().contains(action)
                                    && scopeFits;
                        }
                        assertThat(policy.decide(actor, action, branch).allows())
                                .as("round %d: %s %s %s", round, actor, action, branch)
                                .isEqualTo(allowed);
                        assertThat(Permissions.of(policy, actor).allow(action, branch))
                                .as("round %d: %s %s %s", round, actor, action, branch)
                                .isEqualTo(allowed);
                    }
                    assertThat(Permissions.of(policy, actor).allowSomewhere(action))
                            .isEqualTo(branches.stream()
                                    .anyMatch(branch ->
                                            policy.decide(actor, action, branch).allows()));
                }
            }
        }
    }

    private static <T> Set<T> pick(SplittableRandom random, List<T> of) {
        return Set.copyOf(of.stream().filter(any -> random.nextBoolean()).toList());
    }
}
