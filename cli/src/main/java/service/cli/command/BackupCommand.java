package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.GraphAddress;
import service.cli.boot.GraphMaintenance;

/** Writes a graph into one file. */
@Command(
        name = "backup",
        description = {
            "Writes a graph, its whole history, into one compressed file with a digest.",
            "The server may keep writing the graph; the backup holds one moment."
        },
        footer = {
            "",
            "Examples:",
            "  service backup --store people --out people.backup",
            "  service backup --cluster company --graph people --out - | ssh vault 'cat > people.backup'"
        })
final class BackupCommand extends AnswerCommand {
    @Mixin
    private DirectoryOptions address = new DirectoryOptions();

    @Option(
            names = "--out",
            required = true,
            paramLabel = "FILE|-",
            description = "A file that does not exist, or - for standard output.")
    private String out = "-";

    @Override
    @Nullable
    Answer answer() {
        GraphAddress graph = address.directory();
        try (Progress progress = new Progress(output, "backing up", "bytes")) {
            if (out.equals("-")) {
                output.note(summary(GraphMaintenance.backup(graph, progress.count(StandardOutput.stream()))));
                return null;
            }
            ObjectNode report = GraphMaintenance.backup(graph, Path.of(out), progress::count);
            return Answer.line(report, summary(report));
        }
    }

    private String summary(ObjectNode report) {
        return "backed up %d events of graph %s (%d bytes)"
                .formatted(
                        report.path("events").asLong(),
                        report.path("graph_id").asText(),
                        report.path("bytes").asLong());
    }
}
