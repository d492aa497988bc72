package service.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.config.ConfigDiagnostic;

final class PolicyReaderTest {
    private static final String RULE = """
            version: 1
            groups: { g: [a] }
            rules:
              - id: r
                allow: { actors: { group: g }, actions: [read] }
            """;

    private static List<String> findings(String text, boolean ofCluster) {
        List<ConfigDiagnostic> found = new ArrayList<>();
        PolicyBundle policy = PolicyReader.read("p.yaml", text, ofCluster, found);
        assertThat(policy == null).isEqualTo(!found.isEmpty());
        return found.stream()
                .map(each -> each.code() + " " + each.line() + " " + each.message()
                        + (each.hint() == null ? "" : "; " + each.hint()))
                .toList();
    }

    private static List<String> changed(String from, String to) {
        assertThat(RULE).contains(from);
        return findings(RULE.replace(from, to), false);
    }

    @Test
    void theExampleIsValid() {
        assertThat(findings(RULE, false)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "version: 1 | version: 2 | PL-006 1 version must be 1",
                "group: g } | group: h } | PL-007 5 rule `r` names the group `h`, which is unknown; known are g",
                "[read] | [reed] | PL-007 5 rule `r` names the action `reed`, which is unknown; did you mean `read`?",
                "[read] | [read, read] | PL-010 5 rule `r` names `read` twice",
                "[read] | [] | PL-009 5 rule `r`: actions must not be empty",
                "[a] | [] | PL-009 2 group `g` must not be empty",
                "[a] | [a, a] | PL-010 2 group `g` names `a` twice",
                "[read] | [graph_list] | PL-011 5 rule `r` allows `graph_list`, which is allowed only in a bundle that applies to [cluster]",
                "- id: r | - ida: r | PL-005 4 unknown key `ida` in a rule; did you mean `id`?",
                "rules: | roles: | PL-005 3 unknown key `roles` in the policy; did you mean `rules`?",
            })
    void namesTheFault(String from, String to, String finding) {
        assertThat(changed(from, to)).contains(finding);
    }

    @Test
    void aScopeIsAllowedOnlyWithActionsThatHaveIt() {
        String scoped = RULE + "    branch_scope: protected\n";
        assertThat(findings(scoped, false)).isEmpty();
        String inside = RULE.replace("[read] }", "[read], branch_scope: protected }");
        assertThat(findings(inside, false)).isEmpty();
        assertThat(findings(inside + "    branch_scope: protected\n", false))
                .containsExactly(
                        "PL-008 5 rule `r` sets branch_scope beside `allow` and inside it; keep one of the two");
        assertThat(findings(scoped.replace("[read]", "[read, branch_merge, invoke_query]"), false))
                .containsExactlyInAnyOrder(
                        "PL-008 6 rule `r` sets branch_scope, which `branch_merge` does not have; only read, export, change do; write target_branch_scope for `branch_merge`, in a rule of its own",
                        "PL-008 6 rule `r` sets branch_scope, which `invoke_query` does not have; only read, export, change do; allow `invoke_query` in a rule of its own, which has no scope");
        assertThat(findings(scoped + "    target_branch_scope: any\n", false))
                .containsExactly(
                        "PL-008 4 rule `r` sets both branch_scope and target_branch_scope; make two rules of it");
        assertThat(findings(scoped.replace("protected", "shielded"), false))
                .containsExactly(
                        "PL-008 6 rule `r`: branch_scope is `shielded`, which is unknown; known are any, protected, unprotected");
    }

    @Test
    void idsAreUnique() {
        assertThat(findings(RULE + "  - { id: r, allow: { actors: { group: g }, actions: [export] } }\n", false))
                .containsExactly("PL-010 6 two rules have the id `r`; give each its own");
    }

    @Test
    void aBundleOfTheClusterHasTheActionsOfTheCluster() {
        String cluster = RULE.replace("[read]", "[graph_list, config_manage]");
        assertThat(findings(cluster, true)).isEmpty();
        assertThat(findings(RULE, true))
                .containsExactly(
                        "PL-011 5 rule `r` allows `read`, which is allowed only in a bundle that applies to graphs");
    }

    @Test
    void branchesAreNamesAndPatterns() {
        assertThat(findings(RULE + "protected_branches: [main, \"release/*\"]\n", false))
                .isEmpty();
        assertThat(findings(RULE + "protected_branches: [\"re lease\"]\n", false))
                .containsExactly(
                        "PL-007 6 `re lease` matches no branch: a pattern is 1 to 255 of A-Z a-z 0-9 . _ - / and *");
        assertThat(findings(RULE + "protected_branches: []\n", false))
                .containsExactly("PL-009 6 protected_branches must not be empty");
    }
}
