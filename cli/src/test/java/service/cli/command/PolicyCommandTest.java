package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code service policy validate | test | explain}. */
class PolicyCommandTest {
    @TempDir
    private Path directory = Path.of("");

    private record Ran(int code, String out, String err) {}

    private Ran policy(String subcommand, String... arguments) {
        List<String> words = new ArrayList<>(List.of("policy", subcommand, "--cluster", directory.toString()));
        words.addAll(List.of(arguments));
        return run(words);
    }

    private static Ran run(List<String> words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] arguments = words.toArray(String[]::new);
        CommandLine line = CommandLines.service(arguments);
        line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return new Ran(line.execute(arguments), out.toString(), err.toString());
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content);
    }

    @BeforeEach
    void declare() throws IOException {
        file("n.pg", "node N { k: String @key }\n");
        file("cluster.yaml", """
                version: 1
                graphs: { g: { schema: n.pg }, free: { schema: n.pg } }
                policies:
                  base: { file: base.yaml, applies_to: [g] }
                  admin: { file: admin.yaml, applies_to: [cluster] }
                """);
        file("base.yaml", """
                version: 1
                groups: { readers: [act-ada, bob], writers: [act-ada] }
                rules:
                  - { id: read-all, allow: { actors: { group: readers }, actions: [read] } }
                  - id: draft
                    allow: { actors: { group: writers }, actions: [change] }
                    branch_scope: unprotected
                """);
        file("admin.yaml", """
                version: 1
                groups: { admins: [act-ada] }
                rules:
                  - { id: see, allow: { actors: { group: admins }, actions: [graph_list] } }
                """);
    }

    @Test
    void validatesTheBundleOfAGraphAndOfTheCluster() throws IOException {
        assertThat(policy("validate", "--graph", "g").out()).isEqualTo("valid: rules read-all, draft\n");
        assertThat(run(List.of("policy", "validate", "--config", directory.toString(), "--graph", "g"))
                        .out())
                .as("--config names the directory, as in `cluster validate`")
                .isEqualTo("valid: rules read-all, draft\n");
        assertThat(policy("validate", "--scope", "cluster").out()).isEqualTo("valid: rules see\n");
        file("base.yaml", "version: 1\nrules: []\n");
        Ran invalid = policy("validate", "--graph", "g");
        assertThat(invalid.code()).isEqualTo(1);
        assertThat(invalid.out()).contains("base.yaml: PL-009 at 2:8: rules must not be empty");
        Ran cluster = new ClusterValidation(directory).run();
        assertThat(cluster.code()).isEqualTo(1);
        assertThat(cluster.out()).contains("base.yaml: PL-009 at 2:8: rules must not be empty");
    }

    /** {@code cluster validate} of a directory. */
    private record ClusterValidation(Path directory) {
        Ran run() {
            StringWriter out = new StringWriter();
            String[] arguments = {"cluster", "validate", "--config", directory.toString()};
            CommandLine line = CommandLines.service(arguments);
            line.setOut(new PrintWriter(out));
            int code = line.execute(arguments);
            return new Ran(code, out.toString(), "");
        }
    }

    @Test
    void saysWhichPolicyIsMeantAndWhatIsNotBound() {
        assertThat(policy("validate").code()).isEqualTo(2);
        assertThat(policy("validate", "--graph", "g", "--scope", "cluster").code())
                .isEqualTo(2);
        Ran free = policy("validate", "--graph", "free");
        assertThat(free.code()).isEqualTo(1);
        assertThat(free.err()).contains("applies to `free`").contains("applies_to");
    }

    @Test
    void explainsByTheDecidingRuleOrByWhatEachRuleMissed() {
        Ran allowed = policy("explain", "--graph", "g", "--actor", "bob", "--action", "read");
        assertThat(allowed.out()).isEqualTo("allow, by rule `read-all` on branch `main`\n");
        Ran denied = policy("explain", "--graph", "g", "--actor", "act-ada", "--action", "change", "--branch", "main");
        assertThat(denied.out()).isEqualTo("""
                        deny: no rule allows it on branch `main`
                          rule `read-all`: it does not allow `change`
                          rule `draft`: branch `main` is protected, and the rule is for unprotected branches
                        """);
        assertThat(policy("explain", "--graph", "g", "--actor", "bob", "--action", "read", "--json")
                        .out())
                .contains("\"decision\" : \"allow\"", "\"rule\" : \"read-all\"");
        Ran unknown = policy("explain", "--graph", "g", "--actor", "bob", "--action", "reed");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.err()).contains("there is no action `reed`");
    }

    @Test
    void takesEitherBranchOptionForTheBranchOfTheAction() {
        for (String option : List.of("--branch", "--target-branch")) {
            assertThat(policy("explain", "--graph", "g", "--actor", "act-ada", "--action", "change", option, "draft")
                            .out())
                    .isEqualTo("allow, by rule `draft` on branch `draft`\n");
            assertThat(policy("explain", "--graph", "g", "--actor", "bob", "--action", "branch_merge", option, "x")
                            .out())
                    .startsWith("deny: no rule allows it on branch `x`\n");
        }
    }

    @Test
    void refusesActionsThatThePolicyCannotHave() throws IOException {
        Ran ofCluster = policy("explain", "--graph", "g", "--actor", "act-ada", "--action", "graph_list");
        assertThat(ofCluster.code()).isEqualTo(2);
        assertThat(ofCluster.err()).contains("`graph_list` is an action of the cluster", "--scope cluster");
        Ran ofGraph = policy("explain", "--scope", "cluster", "--actor", "act-ada", "--action", "read");
        assertThat(ofGraph.code()).isEqualTo(2);
        assertThat(ofGraph.err()).contains("`read` is an action of a graph", "--graph ID");
        Path cases = file(
                "cases.yaml", "version: 1\ncases: [{ id: a, actor: act-ada, action: graph_list, expect: deny }]\n");
        Ran test = policy("test", "--graph", "g", "--tests", cases.toString());
        assertThat(test.code()).isEqualTo(1);
        assertThat(test.err()).contains("PL-012", "`graph_list` is an action of the cluster");
        assertThat(policy("test", "--scope", "cluster", "--tests", cases.toString())
                        .out())
                .contains("FAILED a");
    }

    @Test
    void runsExpectationsAndPrintsThoseThatFail() throws IOException {
        Path good = file("good.yaml", """
                        version: 1
                        cases:
                          - { id: one, actor: bob, action: read, branch: x, expect: allow }
                          - { id: two, actor: act-ada, action: change, branch: main, expect: deny }
                        """);
        Ran passed = policy("test", "--graph", "g", "--tests", good.toString());
        assertThat(passed.code()).isZero();
        assertThat(passed.out()).isEqualTo("2 passed, 0 failed\n");
        Path bad = file("bad.yaml", """
                        version: 1
                        cases:
                          - { id: wish, actor: bob, action: change, branch: x, expect: allow }
                        """);
        Ran failed = policy("test", "--graph", "g", "--tests", bad.toString());
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.out())
                .isEqualTo(
                        "FAILED wish: bob change on `x`: expected allow, but no rule allows it\n0 passed, 1 failed\n");
        Path broken = file("broken.yaml", "version: 1\ncases: [{ id: a, actor: b, action: c }]\n");
        Ran refused = policy("test", "--graph", "g", "--tests", broken.toString());
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("PL-012");
    }
}
