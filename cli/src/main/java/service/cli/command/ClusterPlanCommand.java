package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.core.cluster.ChangePlan;
import service.core.cluster.Cluster;
import service.core.cluster.ClusterJson;
import service.core.cluster.Principal;
import service.core.config.InvalidConfigException;

/** Shows what an apply would change. */
@Command(
        name = "plan",
        description = {
            "Shows what an apply would change, what blocks it, and what to type next. Writes nothing but --out.",
            "With --exit-code the exit code is 3 when there are changes.",
            "With --credential the applied policies must allow the principal to see every change."
        },
        footer = {
            "",
            "Examples:",
            "  service cluster plan --config company",
            "  service cluster plan --config company --out company.plan"
        })
final class ClusterPlanCommand extends AnswerCommand {
    @Mixin
    private ClusterOptions options = new ClusterOptions();

    @Mixin
    private CredentialOptions credential = new CredentialOptions();

    @Option(names = "--out", paramLabel = "FILE", description = "Save the plan, for `apply --plan FILE`.")
    private @Nullable Path file;

    @Mixin
    private ForceOption force = new ForceOption();

    @Option(names = "--exit-code", description = "Exit with 3 when there are changes.")
    private boolean exitCode;

    @Override
    Answer answer() throws IOException {
        Cluster cluster = options.clusterWithFiles();
        Principal principal = credential.principal();
        try {
            new Findings().addWarnings(cluster).note(output);
            ChangePlan plan = Progress.during(output, "planning", () -> cluster.plan(principal, output::note));
            if (file != null) {
                byte[] saved = (cluster.save(plan).json() + "\n").getBytes(StandardCharsets.UTF_8);
                force.file(file).write(out -> out.write(saved));
                output.note("saved to " + file);
            }
            ObjectNode json = ClusterJson.plan(plan);
            boolean changes = !plan.changes().isEmpty();
            return new Answer(
                    json, null, new PlanText(options).of(file)::plan, exitCode && changes ? CommandFailure.CHANGES : 0);
        } catch (InvalidConfigException e) {
            throw new Findings().add(cluster, e.diagnostics()).failure();
        }
    }
}
