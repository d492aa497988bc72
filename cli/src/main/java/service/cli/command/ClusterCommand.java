package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.boot.ClientConfig;
import service.cli.boot.Clusters;
import service.cli.boot.ServiceConfig;
import service.cli.render.TextTable;
import service.core.cluster.ChangePlan;
import service.core.cluster.ClusterJson;
import service.core.config.ConfigDiagnostic;
import service.core.config.InvalidConfigException;

/** Validates, applies and shows clusters. */
@Command(
        name = "cluster",
        description = "Validates, applies and shows clusters.",
        footer = {"", "Example:", "  service cluster apply --config company"},
        subcommands = {
            ClusterCommand.Validate.class,
            ClusterCommand.Apply.class,
            ClusterCommand.Status.class,
            ClusterCommand.ForceUnlock.class
        })
final class ClusterCommand {
    private ClusterCommand() {}

    /** {@code cluster validate}. */
    @Command(
            name = "validate",
            description = "Parses and type-checks cluster.yaml and every file that it names.",
            footer = {"", "Example:", "  service cluster validate --config company"})
    static final class Validate extends AnswerCommand {
        @Option(names = "--config", paramLabel = "DIR", description = "The cluster's directory.")
        private Path directory = Path.of(".");

        @Override
        Answer answer() {
            List<ConfigDiagnostic> found = Clusters.at(directory).validate();
            return Answer.list("diagnostics", ClusterJson.validation(found), (answer, out) -> {
                found.forEach(diagnostic -> out.println(InvalidConfigException.describe(diagnostic)));
                out.println(found.isEmpty() ? "valid" : found.size() + " findings");
            });
        }
    }

    /** {@code cluster apply}. */
    @Command(
            name = "apply",
            description = "Applies the files of a cluster; the first apply makes the root.",
            footer = {"", "Example:", "  service cluster apply --config company"})
    static final class Apply extends AnswerCommand {
        @Option(names = "--config", paramLabel = "DIR", description = "The cluster's directory.")
        private Path directory = Path.of(".");

        @Option(names = "--as", paramLabel = "ACTOR", description = "The author to record.")
        private @Nullable String actor;

        @Override
        Answer answer() {
            String author = actor != null
                    ? actor
                    : ClientConfig.read(ServiceConfig.environment()).actor();
            try {
                ChangePlan plan = Progress.during(
                        output, "applying", () -> Clusters.at(directory).apply(author, output::note));
                return new Answer(ClusterJson.plan(plan), null, Apply::print, plan.blocked());
            } catch (InvalidConfigException e) {
                return Answer.of(
                        ClusterJson.validation(e.diagnostics()),
                        (answer, out) ->
                                e.diagnostics().forEach(found -> out.println(InvalidConfigException.describe(found))));
            }
        }

        private static void print(ObjectNode plan, PrintWriter out) {
            for (JsonNode change : plan.path("changes")) {
                String sign = switch (change.path("change").asText()) {
                    case "create" -> "+";
                    case "delete" -> "-";
                    default -> "~";
                };
                String reason = change.path("reason").asText("");
                out.println("  "
                        + sign
                        + " "
                        + change.path("resource").asText()
                        + (reason.isEmpty() ? "" : "  blocked: " + reason));
            }
            out.println(
                    plan.path("changes").isEmpty()
                            ? "nothing to do; revision "
                                    + plan.path("ledger_revision").asLong()
                            : "applied; revision "
                                    + plan.path("ledger_revision").asLong());
        }
    }

    /** {@code cluster status}. */
    @Command(
            name = "status",
            description = "Shows what is applied.",
            footer = {"", "Example:", "  service cluster status --config company"})
    static final class Status extends AnswerCommand {
        @Option(names = "--config", paramLabel = "DIR", description = "The cluster's directory.")
        private Path directory = Path.of(".");

        @Override
        Answer answer() {
            return Answer.list(
                    "resources", ClusterJson.status(Clusters.at(directory).status()), this::print);
        }

        private void print(ObjectNode status, PrintWriter out) {
            out.println("cluster   " + status.path("cluster_id").asText());
            out.println("root      " + status.path("canonical_root").asText());
            out.println("revision  " + status.path("ledger_revision").asLong());
            if (status.has("lock")) {
                out.println("locked    by process " + status.at("/lock/pid").asText());
            }
            TextTable table = new TextTable("RESOURCE", "STATUS", "CONDITIONS");
            for (JsonNode resource : status.path("resources")) {
                StringBuilder conditions = new StringBuilder();
                resource.path("conditions")
                        .forEach(condition -> conditions
                                .append(conditions.isEmpty() ? "" : "; ")
                                .append(condition.asText()));
                table.row(
                        resource.path("resource").asText(),
                        resource.path("status").asText(),
                        conditions.toString());
            }
            table.print(out, output.screen());
        }
    }

    /** {@code cluster force-unlock}. */
    @Command(
            name = "force-unlock",
            description = "Removes the lock of a dead apply that ran on another machine.",
            footer = {"", "Example:", "  service cluster force-unlock 01J00000000000000000000000 --config company"})
    static final class ForceUnlock extends AnswerCommand {
        @Parameters(
                index = "0",
                paramLabel = "LOCK-ID",
                description = "The lock's id, as the refused command named it.")
        private String lockId = "";

        @Option(names = "--config", paramLabel = "DIR", description = "The cluster's directory.")
        private Path directory = Path.of(".");

        @Override
        Answer answer() {
            ObjectNode lock = Clusters.at(directory).forceUnlock(lockId);
            return Answer.line(
                    lock,
                    "removed the lock of process %s on %s"
                            .formatted(
                                    lock.path("pid").asText(), lock.path("host").asText()));
        }
    }
}
