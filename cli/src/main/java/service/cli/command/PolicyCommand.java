package service.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.Clusters;
import service.cli.client.CommandFailure;
import service.core.cluster.Cluster;
import service.core.cluster.ClusterConfig;
import service.core.config.ConfigDiagnostic;
import service.core.config.InvalidConfigException;
import service.core.policy.Action;
import service.core.policy.Decision;
import service.core.policy.PolicyBundle;
import service.core.policy.PolicyCase;

/** Checks the policies that a cluster's files declare, or those that are applied; applies nothing. */
@Command(
        name = "policy",
        description =
                "Validates, tests and explains the policies of a cluster: of its files, or with a URI the applied ones.",
        footer = {"", "Example:", "  service policy validate --cluster company --graph people"},
        subcommands = {PolicyCommand.Validate.class, PolicyCommand.Test.class, PolicyCommand.Explain.class})
final class PolicyCommand {
    private PolicyCommand() {}

    /** Which bundle: mixed into every subcommand. */
    static final class BundleOptions {
        @Option(
                names = {"--cluster", "--config"},
                paramLabel = "DIR|URI",
                description = {
                    "The directory with cluster.yaml (default: .).",
                    "With a root such as s3://bucket/prefix, the policies that are applied there."
                })
        private String directory = ".";

        @Option(names = "--graph", paramLabel = "ID", description = "The graph whose policy is meant.")
        private @Nullable String graph;

        @Option(
                names = "--scope",
                paramLabel = "cluster",
                description = "`cluster`, for the policy of the cluster itself.")
        private @Nullable String scope;

        Cluster cluster() {
            return Clusters.at(ClusterOptions.address(directory));
        }

        boolean isOfCluster() {
            return scope != null;
        }

        /** Reads the bundle; throws InvalidConfigException with its findings. */
        PolicyBundle read() {
            if ((graph == null) == (scope == null)) {
                throw CommandFailure.usage("name one policy: --graph ID, or --scope cluster for that of the cluster");
            }
            if (scope != null && !scope.equals(ClusterConfig.PolicyConfig.CLUSTER_SCOPE)) {
                throw CommandFailure.usage("--scope is `cluster`, not `" + scope + "`");
            }
            return cluster().policy(graph == null ? ClusterConfig.PolicyConfig.CLUSTER_SCOPE : graph);
        }
    }

    /** {@code policy validate}. */
    @Command(
            name = "validate",
            description = "Checks a policy and shows what it allows.",
            footer = {
                "",
                "Examples:",
                "  service policy validate --cluster company --graph knowledge",
                "  service policy validate --cluster company --scope cluster"
            })
    static final class Validate extends AnswerCommand {
        @Mixin
        private BundleOptions bundle = new BundleOptions();

        @Override
        Answer answer() {
            List<ConfigDiagnostic> found = new ArrayList<>();
            List<String> rules = new ArrayList<>();
            try {
                bundle.read().rules().forEach(rule -> rules.add(rule.id()));
            } catch (InvalidConfigException e) {
                found.addAll(e.diagnostics());
            }
            return new Findings().add(bundle.cluster(), found).answer("valid: rules " + String.join(", ", rules));
        }
    }

    /** {@code policy test}. */
    @Command(
            name = "test",
            description = "Runs expectations against a policy; exits with 1 when one fails.",
            footer = {
                "",
                "Example of a file:",
                "  version: 1",
                "  cases:",
                "    - { id: readers-read, actor: act-ada, action: read, branch: main, expect: allow }",
                "",
                "Example:",
                "  service policy test --cluster company --graph knowledge --tests policy-tests.yaml"
            })
    static final class Test extends AnswerCommand {
        @Mixin
        private BundleOptions bundle = new BundleOptions();

        @Option(
                names = "--tests",
                required = true,
                paramLabel = "FILE",
                description = "YAML: version 1 and a list of cases.")
        private Path tests = Path.of(".");

        @Override
        Answer answer() {
            PolicyBundle policy = bundle.read();
            List<ConfigDiagnostic> found = new ArrayList<>();
            List<PolicyCase> cases =
                    PolicyCase.read(tests.toString(), RequestOptions.read(tests), bundle.isOfCluster(), found);
            if (!found.isEmpty()) {
                throw new InvalidConfigException(found);
            }
            List<PolicyCase> failed =
                    cases.stream().filter(each -> !each.passes(policy)).toList();
            ObjectNode answer = JsonNodeFactory.instance
                    .objectNode()
                    .put("ok", failed.isEmpty())
                    .put("passed", cases.size() - failed.size())
                    .put("failed", failed.size());
            ArrayNode failures = answer.putArray("failures");
            failed.forEach(each -> failures.addObject()
                    .put("id", each.id())
                    .put("actor", each.actor())
                    .put("action", each.action().wireName())
                    .put("branch", each.branch())
                    .put("expected", each.expectsAllow() ? "allow" : "deny")
                    .put("actual", each.expectsAllow() ? "deny" : "allow"));
            return Answer.of(answer, (node, out) -> {
                failed.forEach(each -> out.println(explained(each, policy)));
                out.printf("%d passed, %d failed%n", cases.size() - failed.size(), failed.size());
            });
        }

        private static String explained(PolicyCase failed, PolicyBundle policy) {
            String why = switch (policy.decide(failed.actor(), failed.action(), failed.branch())) {
                case Decision.Allowed allowed ->
                    "expected deny, but rule `" + allowed.rule().id() + "` allows it";
                case Decision.Denied denied -> "expected allow, but no rule allows it";
            };
            return "FAILED %s: %s %s on `%s`: %s"
                    .formatted(failed.id(), failed.actor(), failed.action().wireName(), failed.branch(), why);
        }
    }

    /** {@code policy explain}. */
    @Command(
            name = "explain",
            description = "Shows the decision of a policy, and the rule that allows it or the conditions that failed.",
            footer = {
                "",
                "Examples:",
                "  service policy explain --cluster company --graph knowledge --actor act-ada --action change --branch main",
                "  service policy explain --graph knowledge --actor act-ada --action branch_merge --target-branch main"
            })
    static final class Explain extends AnswerCommand {
        @Mixin
        private BundleOptions bundle = new BundleOptions();

        @Option(names = "--actor", required = true, paramLabel = "A", description = "The actor.")
        private String actor = "";

        @Option(
                names = "--action",
                required = true,
                paramLabel = "X",
                description = "The action, such as read or branch_merge.")
        private String action = "";

        @Option(names = "--branch", paramLabel = "B", description = "The branch read or changed (default: main).")
        private @Nullable String branch;

        @Option(
                names = "--target-branch",
                paramLabel = "T",
                description = "The branch created, deleted, merged into or migrated (default: main).")
        private @Nullable String targetBranch;

        @Override
        Answer answer() {
            Action asked = Action.of(action);
            if (asked == null) {
                throw CommandFailure.usage(
                        "there is no action `" + action + "`; known are " + String.join(", ", Action.wireNames()));
            }
            PolicyBundle policy = bundle.read();
            String misplaced = PolicyCase.misplaced(asked, bundle.isOfCluster());
            if (misplaced != null) {
                throw CommandFailure.usage(misplaced);
            }
            String subject = PolicyCase.subject(asked, branch, targetBranch);
            Decision decision = policy.decide(actor, asked, subject);
            ObjectNode answer = JsonNodeFactory.instance
                    .objectNode()
                    .put("decision", decision.allows() ? "allow" : "deny")
                    .put("actor", actor)
                    .put("action", asked.wireName());
            if (asked.isOfBranch()) {
                answer.put("branch", subject);
            }
            switch (decision) {
                case Decision.Allowed allowed ->
                    answer.put("rule", allowed.rule().id());
                case Decision.Denied denied -> {
                    ArrayNode rules = answer.putArray("rules");
                    denied.misses()
                            .forEach(miss -> rules.addObject()
                                    .put("rule", miss.rule().id())
                                    .put("missed", miss.condition()));
                }
            }
            String place = asked.isOfBranch() ? " on branch `" + subject + "`" : "";
            return Answer.of(answer, (node, out) -> {
                switch (decision) {
                    case Decision.Allowed allowed ->
                        out.println("allow, by rule `" + allowed.rule().id() + "`" + place);
                    case Decision.Denied denied -> {
                        out.println("deny: no rule allows it" + place);
                        denied.misses()
                                .forEach(miss ->
                                        out.println("  rule `" + miss.rule().id() + "`: " + miss.condition()));
                    }
                }
            });
        }
    }
}
