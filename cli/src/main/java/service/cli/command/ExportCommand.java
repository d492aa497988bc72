package service.cli.command;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;

/** Exports a state. */
@Command(
        name = "export",
        description = "Writes a state as NDJSON records, nodes before edges.",
        footer = {"", "Example:", "  service export --store people --out people.ndjson"})
final class ExportCommand implements Callable<Integer> {
    private static final int BUFFER = 1 << 16;

    @Mixin private AddressOptions address = new AddressOptions();
    @Mixin private OutputOptions output = new OutputOptions();
    @Mixin private TargetOptions target = new TargetOptions();

    @Option(names = "--type", paramLabel = "TYPE", description = "Only this type; may be repeated.")
    private List<String> types = new ArrayList<>();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "A file (default: standard output).")
    private @Nullable Path file;

    @Override
    public Integer call() {
        try (GraphClient graph = address.reader();
                OutputStream into = open()) {
            graph.export(target.target(), types, into);
        } catch (IOException e) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "cannot write " + (file == null ? "the export" : file) + ": " + e.getMessage());
        }
        if (file != null) {
            output.note("exported to " + file);
        }
        return 0;
    }

    private OutputStream open() throws IOException {
        return new BufferedOutputStream(
                file == null
                        ? new FileOutputStream(java.io.FileDescriptor.out)
                        : new FileOutputStream(file.toFile()),
                BUFFER);
    }
}
