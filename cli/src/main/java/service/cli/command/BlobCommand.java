package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;

/** Reads blobs. */
@Command(
        name = "blob",
        description = "Reads the bytes of Blob properties.",
        footer = {"", "Example:", "  service blob stat node Person ada photo --store people"},
        subcommands = {BlobCommand.Get.class, BlobCommand.Stat.class})
final class BlobCommand {
    private BlobCommand() {}

    /** Which property of which entity. */
    static final class CellParameters {
        @Parameters(index = "0", paramLabel = "ENTITY", description = "node or edge.")
        private String entity = "";

        @Parameters(index = "1", paramLabel = "TYPE", description = "The type's name.")
        private String type = "";

        @Parameters(index = "2", paramLabel = "ID", description = "The entity's id.")
        private String id = "";

        @Parameters(index = "3", paramLabel = "PROPERTY", description = "A property of type Blob.")
        private String property = "";

        GraphClient.Cell cell() {
            return new GraphClient.Cell(entity, type, id, property);
        }
    }

    /** {@code blob get}. */
    @Command(
            name = "get",
            description = "Writes the bytes of a blob, or a part of them.",
            footer = {"", "Example:", "  service blob get node Person ada photo --store people --out ada.png"})
    static final class Get implements Callable<Integer> {
        @Mixin
        private CellParameters cell = new CellParameters();

        @Mixin
        private AddressOptions address = new AddressOptions();

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Mixin
        private TargetOptions target = new TargetOptions();

        @Option(names = "--offset", paramLabel = "N", description = "Begin with this byte.")
        private @Nullable Long offset;

        @Option(names = "--length", paramLabel = "N", description = "At most so many bytes.")
        private @Nullable Long length;

        @Option(names = "--out", paramLabel = "FILE", description = "A file (default: standard output).")
        private @Nullable Path file;

        @Override
        public Integer call() {
            if ((offset != null && offset < 0) || (length != null && length < 1)) {
                throw CommandFailure.usage("--offset begins at 0, --length at 1");
            }
            try (GraphClient graph = address.reader()) {
                if (file == null) {
                    copy(graph, StandardOutput.stream());
                    return 0;
                }
                long bytes = new WholeFile(file).write(into -> copy(graph, into));
                output.print(
                        JsonNodeFactory.instance
                                .objectNode()
                                .put("file", file.toString())
                                .put("bytes", bytes),
                        (answer, out) -> output.note("written to " + file));
            }
            return 0;
        }

        private void copy(GraphClient graph, OutputStream into) {
            try (Progress progress = new Progress(output, "copying", "bytes")) {
                graph.blob(target.target(), cell.cell(), offset, length, progress.count(into));
                into.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** {@code blob stat}. */
    @Command(
            name = "stat",
            description = "Shows the size and the tag of a blob, or what it refers to.",
            footer = {"", "Example:", "  service blob stat node Person ada photo --store people"})
    static final class Stat implements Callable<Integer> {
        @Mixin
        private CellParameters cell = new CellParameters();

        @Mixin
        private AddressOptions address = new AddressOptions();

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Mixin
        private TargetOptions target = new TargetOptions();

        @Override
        public Integer call() {
            try (GraphClient graph = address.reader()) {
                output.print(graph.blobStat(target.target(), cell.cell()), Stat::print);
            }
            return 0;
        }

        private static void print(ObjectNode stat, PrintWriter out) {
            JsonNode blob = stat.path("blob");
            if (blob.has("uri")) {
                out.println("uri     " + blob.path("uri").asText());
            } else {
                out.println("size    " + blob.path("size").asLong());
                out.println("etag    " + blob.path("etag").asText());
            }
            out.println("commit  " + stat.path("graph_commit_id").asText());
        }
    }
}
