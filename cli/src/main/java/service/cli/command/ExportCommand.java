package service.cli.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.GraphClient;

/** Exports a state. */
@Command(
        name = "export",
        description = "Writes a state as NDJSON records, nodes before edges.",
        footer = {"", "Example:", "  service export --store people --out people.ndjson"})
final class ExportCommand extends GraphCommand {
    @Mixin
    private TargetOptions target = new TargetOptions();

    @Option(names = "--type", paramLabel = "TYPE", description = "Only this type; may be repeated.")
    private List<String> types = new ArrayList<>();

    @Mixin
    private FileOption file = new FileOption();

    @Override
    @Nullable
    Answer ask(GraphClient graph) throws IOException {
        return file.copy(output, "exporting", into -> graph.export(target.target(), types, into));
    }
}
