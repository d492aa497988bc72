package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
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
final class ExportCommand implements Callable<Integer> {
    @Mixin
    private AddressOptions address = new AddressOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Option(names = "--type", paramLabel = "TYPE", description = "Only this type; may be repeated.")
    private List<String> types = new ArrayList<>();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "A file, which appears when it is whole (default: standard output).")
    private @Nullable Path file;

    @Override
    public Integer call() {
        try (GraphClient graph = address.reader()) {
            if (file == null) {
                export(graph, StandardOutput.stream());
                return 0;
            }
            long bytes = new WholeFile(file).write(into -> export(graph, into));
            output.print(
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("file", file.toString())
                            .put("bytes", bytes),
                    (answer, out) -> output.note("exported to " + file));
        }
        return 0;
    }

    private void export(GraphClient graph, OutputStream into) {
        try (Progress progress = new Progress(output, "exporting", "bytes")) {
            graph.export(target.target(), types, progress.count(into));
            into.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
