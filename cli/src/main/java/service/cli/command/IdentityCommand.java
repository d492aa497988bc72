package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.ClientConfig;
import service.cli.boot.IdentityPublisher;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;
import service.cli.client.ProviderKeys;
import service.cli.render.TextTable;

/** Publishes identities of an OpenID provider to servers. */
@Command(
        name = "identity",
        description = "Publishes identities of an OpenID provider to servers.",
        footer = {
            "",
            "Example:",
            "  service identity publish --issuer https://login.example --audience https://graph.example.com"
                    + " --subjects people.json --out trust.json --every 60s"
        },
        subcommands = IdentityCommand.Publish.class)
final class IdentityCommand {
    private IdentityCommand() {}

    /** {@code identity publish}. */
    @Command(
            name = "publish",
            description = {
                "Writes the trust file that a server takes with --oidc-identity-trust: the keys of the provider, from its"
                        + " discovery document, and the people of a file.",
                "The file is valid for five minutes. With --every it is written again until the command is ended; a"
                        + " failure leaves the last file, and is tried again."
            },
            footer = {
                "",
                "FILE: {\"organization_id\":\"org_1\",\"account_id\":\"acct-1\",",
                "       \"principals\":[{\"subject\":\"user_1\",\"principal_id\":\"ada\"}]}",
                "The cluster is that of --cluster or --config, or the file names it: cluster_id, cluster_incarnation,"
                        + " canonical_root.",
                "",
                "Example:",
                "  service identity publish --issuer https://login.example --audience https://graph.example.com"
                        + " --subjects people.json --out trust.json --every 60s --cluster company"
            })
    static final class Publish extends AnswerCommand {
        private static final Pattern INTERVAL = Pattern.compile("([0-9]{1,3})([sm])");
        private static final int INTERVAL_SECONDS_MAX = 240;
        private static final int RETRY_SECONDS = 10;
        private static final int MINUTE = 60;

        @Mixin
        private ClusterOptions options = new ClusterOptions();

        @Option(
                names = "--issuer",
                required = true,
                paramLabel = "URL",
                description = "The provider, as its access tokens name it in `iss`.")
        private String issuer = "";

        @Option(
                names = "--audience",
                required = true,
                paramLabel = "URL",
                description = "The public address of the server, the only `aud` of its access tokens.")
        private String audience = "";

        @Option(
                names = "--subjects",
                required = true,
                paramLabel = "FILE",
                description = "Who is admitted, as JSON; read each time.")
        private Path subjects = Path.of("");

        @Option(names = "--out", required = true, paramLabel = "FILE", description = "The trust file to write.")
        private Path out = Path.of("");

        @Option(
                names = "--every",
                paramLabel = "TIME",
                description = "Write it again after this time, from 1s to 4m, such as 60s; without it once.")
        private @Nullable String every;

        @Override
        @Nullable
        Answer answer() throws InterruptedException {
            int seconds = every == null ? 0 : seconds(every);
            ProviderKeys provider = new ProviderKeys(
                    issuer, ClientConfig.read(ServiceConfig.environment()).authorities(issuer), ProviderKeys.PATIENCE);
            IdentityPublisher publisher = new IdentityPublisher(
                    provider,
                    audience,
                    subjects,
                    out,
                    () -> options.cluster().status().cluster());
            ObjectNode first = publisher.publish();
            if (seconds == 0) {
                return Answer.line(first, line(first));
            }
            output.note(line(first) + ", and again every " + every);
            boolean failing = false;
            int wait = seconds;
            while (true) {
                TimeUnit.SECONDS.sleep(wait);
                try {
                    ObjectNode written = publisher.publish();
                    if (failing) {
                        output.note(line(written));
                    }
                    failing = false;
                    wait = seconds;
                } catch (RuntimeException e) {
                    failing = true;
                    wait = Math.min(seconds, RETRY_SECONDS);
                    output.note("warning: " + out + " was not written: "
                            + Failures.describe(e).getMessage() + "; the next attempt is in " + wait + " s");
                }
            }
        }

        private static int seconds(String text) {
            Matcher interval = INTERVAL.matcher(text);
            if (interval.matches()) {
                int seconds =
                        Integer.parseInt(interval.group(1)) * (interval.group(2).equals("m") ? MINUTE : 1);
                if (seconds >= 1 && seconds <= INTERVAL_SECONDS_MAX) {
                    return seconds;
                }
            }
            throw CommandFailure.usage("--every is a time from 1s to 4m, such as 60s, not `" + text + "`");
        }

        private String line(ObjectNode written) {
            return "wrote %s: %s, %s, valid until %s"
                    .formatted(
                            out,
                            TextTable.counted(written.path("keys").asLong(), "key"),
                            TextTable.counted(written.path("principals").asLong(), "principal"),
                            Instant.ofEpochSecond(written.path("expires_at").asLong()));
        }
    }
}
