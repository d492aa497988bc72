package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the permission to install the first policy. */
@Command(
        name = "bootstrap-capability",
        description = {
            "Writes a file that lets `cluster apply --bootstrap` install the first policy on a root that was never applied.",
            "It is good for the present files and this root."
        },
        footer = {"", "Example:", "  service cluster bootstrap-capability --config company --out company.bootstrap"})
final class ClusterBootstrapCommand extends AnswerCommand {
    @Mixin
    private ClusterOptions options = new ClusterOptions();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The file to write.")
    private Path file = Path.of("");

    @Mixin
    private ForceOption force = new ForceOption();

    @Override
    Answer answer() throws IOException {
        ObjectNode capability = options.clusterWithFiles().bootstrapCapability().json();
        byte[] text = (capability + "\n").getBytes(StandardCharsets.UTF_8);
        force.file(file).write(out -> out.write(text));
        return Answer.line(
                capability, "Written to %s. Next:%n  %s".formatted(file, options.command("apply --bootstrap " + file)));
    }
}
