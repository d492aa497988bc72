package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.render.TextTable;
import service.core.cluster.Approval;
import service.core.cluster.Cluster;
import service.core.cluster.ClusterJson;
import service.core.cluster.ClusterStatus;

/** Validates, plans, applies and shows clusters. */
@Command(
        name = "cluster",
        description = "Validates, plans, applies and shows clusters.",
        footer = {"", "Example:", "  service cluster plan --config company"},
        subcommands = {
            ClusterCommand.Validate.class,
            ClusterPlanCommand.class,
            ClusterApplyCommand.class,
            ClusterCommand.Approve.class,
            ClusterCommand.Status.class,
            ClusterCommand.Refresh.class,
            ClusterCommand.Import.class,
            ClusterCommand.ForceUnlock.class,
            ClusterBootstrapCommand.class
        })
final class ClusterCommand {
    private ClusterCommand() {}

    /** {@code cluster validate}. */
    @Command(
            name = "validate",
            description = "Parses and type-checks cluster.yaml and every file that it names.",
            footer = {"", "Example:", "  service cluster validate --config company"})
    static final class Validate extends AnswerCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Mixin
        private ClusterOptions options = new ClusterOptions();

        @Override
        Answer answer() {
            Cluster cluster = options.clusterWithFiles();
            return new Findings()
                    .add(cluster, cluster.validate())
                    .addWarnings(cluster)
                    .answer("valid");
        }
    }

    /** {@code cluster approve}. */
    @Command(
            name = "approve",
            description = {
                "Approves the deletion of a graph (graph.ID), or the drop of types that hold entities (schema.ID).",
                "The approval is good for the present files and the present ledger; the next apply uses it."
            },
            footer = {"", "Example:", "  service cluster approve graph.old --config company --as act-ada"})
    static final class Approve extends AnswerCommand {
        @Parameters(index = "0", paramLabel = "RESOURCE", description = "As `cluster plan` names it.")
        private String resource = "";

        @Mixin
        private ClusterOptions options = new ClusterOptions();

        @Option(names = "--as", paramLabel = "ACTOR", description = "The author to record.")
        private @Nullable String actor;

        @Override
        Answer answer() {
            Approval approval = options.clusterWithFiles().approve(resource, ClusterOptions.actor(actor), output::note);
            return Answer.line(
                    approval.json(),
                    "Approved: the next apply of these files %s (%s). Next:%n  %s"
                            .formatted(approval.reason(), resource, options.command("apply")));
        }
    }

    /** {@code cluster status}. */
    @Command(
            name = "status",
            description = "Shows what is applied, and what is different from it.",
            footer = {"", "Example:", "  service cluster status --cluster s3://bucket/company"})
    static final class Status extends AnswerCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Mixin
        private ClusterOptions options = new ClusterOptions();

        @Override
        Answer answer() {
            return shown(ClusterJson.status(options.cluster().status()), output);
        }
    }

    /** {@code cluster refresh}. */
    @Command(
            name = "refresh",
            description = {
                "Looks at every graph and every applied content, and marks in the ledger what is not as applied.",
                "Settles what an interrupted apply has left. Prints the status."
            },
            footer = {"", "Example:", "  service cluster refresh --config company"})
    static final class Refresh extends AnswerCommand {
        @Mixin
        private ClusterOptions options = new ClusterOptions();

        @Option(names = "--as", paramLabel = "ACTOR", description = "The author to record.")
        private @Nullable String actor;

        @Override
        Answer answer() {
            return shown(
                    ClusterJson.status(options.cluster().refresh(ClusterOptions.actor(actor), output::note)), output);
        }
    }

    /** {@code cluster import}. */
    @Command(
            name = "import",
            description = {
                "Makes a lost or damaged ledger again from the files and the graphs. Prints the status.",
                "With a root and no files the graphs come back without settings and stored queries.",
                "The cluster gets a new id: trust files that bind the old one must be issued again."
            },
            footer = {"", "Example:", "  service cluster import --config company"})
    static final class Import extends AnswerCommand {
        @Mixin
        private ClusterOptions options = new ClusterOptions();

        @Option(names = "--as", paramLabel = "ACTOR", description = "The author to record.")
        private @Nullable String actor;

        @Override
        Answer answer() {
            ClusterStatus imported =
                    options.clusterWithFilesIfAny().importLedger(ClusterOptions.actor(actor), output::note);
            return imported == null
                    ? Answer.line(
                            JsonNodeFactory.instance.objectNode().put("imported", false),
                            "nothing to import: this cluster was never applied. Next:\n  " + options.command("apply"))
                    : shown(ClusterJson.status(imported), output);
        }
    }

    /** {@code cluster force-unlock}. */
    @Command(
            name = "force-unlock",
            description = "Removes the lock of a dead command that ran on another machine.",
            footer = {"", "Example:", "  service cluster force-unlock 01J00000000000000000000000 --config company"})
    static final class ForceUnlock extends AnswerCommand {
        @Parameters(
                index = "0",
                paramLabel = "LOCK-ID",
                description = "The lock's id, as the refused command named it.")
        private String lockId = "";

        @Mixin
        private ClusterOptions options = new ClusterOptions();

        @Override
        Answer answer() {
            ObjectNode lock = options.cluster().forceUnlock(lockId);
            return Answer.line(
                    lock,
                    "removed the lock of process %s on %s"
                            .formatted(
                                    lock.path("pid").asText(), lock.path("host").asText()));
        }
    }

    private static Answer shown(ObjectNode status, OutputOptions output) {
        return Answer.list("resources", status, (answer, out) -> print(answer, out, output));
    }

    private static void print(ObjectNode status, PrintWriter out, OutputOptions output) {
        out.println("cluster   " + status.path("cluster_id").asText());
        out.println("root      " + status.path("canonical_root").asText());
        out.println("revision  " + status.path("ledger_revision").asLong());
        if (status.has("lock")) {
            out.println("locked    by a `service cluster %s` in process %s on %s since %s"
                    .formatted(
                            status.at("/lock/operation").asText(),
                            status.at("/lock/pid").asText(),
                            status.at("/lock/host").asText(),
                            status.at("/lock/created_at").asText()));
        }
        int pending = status.path("pending_recoveries").asInt();
        if (pending > 0) {
            out.println("pending   " + TextTable.counted(pending, "step")
                    + " of an interrupted apply; `service cluster apply` or `refresh` settles it");
        }
        TextTable table = new TextTable("RESOURCE", "STATUS");
        for (JsonNode resource : status.path("resources")) {
            table.row(
                    resource.path("resource").asText(), resource.path("status").asText());
        }
        table.print(out, output.screen());
        for (JsonNode resource : status.path("resources")) {
            List<JsonNode> conditions =
                    List.copyOf(resource.path("conditions").valueStream().toList());
            conditions.forEach(
                    condition -> out.println(resource.path("resource").asText() + ": " + condition.asText()));
        }
    }
}
