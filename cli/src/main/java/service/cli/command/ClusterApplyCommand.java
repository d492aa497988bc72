package service.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.core.cluster.BootstrapCapability;
import service.core.cluster.ChangePlan;
import service.core.cluster.Cluster;
import service.core.cluster.ClusterJson;
import service.core.cluster.Principal;
import service.core.cluster.SavedPlan;
import service.core.config.InvalidConfigException;

/** Makes the applied state equal to the files. */
@Command(
        name = "apply",
        description = {
            "Applies the files of a cluster; the first apply makes the root. Exits with 1 when a change is blocked.",
            "A server reads what is applied at its next start. -m and --meta stand in the commits that change schemas.",
            "With --credential the applied policies must allow the principal every change, or nothing is changed."
        },
        footer = {
            "",
            "Examples:",
            "  service cluster apply --config company --as act-ada -m 'ages for the census'",
            "  service cluster apply --config company --cluster s3://bucket/company",
            "  service cluster apply --config company --plan company.plan",
            "  service cluster apply --config company --credential ada.credential --data-token-trust trust.json"
        })
final class ClusterApplyCommand extends AnswerCommand {
    @Mixin
    private ClusterOptions options = new ClusterOptions();

    @Mixin
    private CredentialOptions credential = new CredentialOptions();

    @Option(names = "--as", paramLabel = "ACTOR", description = "The author to record.")
    private @Nullable String actor;

    @Mixin
    private NoteOptions note = new NoteOptions();

    @Option(names = "--plan", paramLabel = "FILE", description = "Apply this saved plan; exit with 4 when it is stale.")
    private @Nullable Path plan;

    @Option(
            names = "--bootstrap",
            paramLabel = "FILE",
            description = "Install the first policy, with a file of `cluster bootstrap-capability`.")
    private @Nullable Path bootstrap;

    @Override
    Answer answer() throws IOException {
        credential.refuse("--as", actor != null, "the credential says who applies");
        credential.refuse("--bootstrap", bootstrap != null, "no credential is for a cluster that was never applied");
        Cluster cluster = options.clusterWithFiles();
        Principal principal = credential.principal();
        Cluster.ApplyRequest request = new Cluster.ApplyRequest(
                principal == null ? ClusterOptions.actor(actor) : null,
                principal,
                plan == null ? null : SavedPlan.parse(Files.readAllBytes(plan)),
                bootstrap == null ? null : BootstrapCapability.parse(Files.readAllBytes(bootstrap)),
                note.note());
        try {
            new Findings().addWarnings(cluster).note(output);
            ChangePlan done = Progress.during(output, "applying", () -> cluster.apply(request, output::note));
            return new Answer(
                    ClusterJson.plan(done),
                    null,
                    new PlanText(options)::applied,
                    done.blocked() ? CommandFailure.FAILED : 0);
        } catch (InvalidConfigException e) {
            throw new Findings().add(cluster, e.diagnostics()).failure();
        }
    }
}
