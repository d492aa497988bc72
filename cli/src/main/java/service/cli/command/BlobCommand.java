package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;
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

    /** The address of a property of an entity. */
    static final class CellParameters {
        @Parameters(index = "0", paramLabel = "ENTITY", description = "node or edge.")
        private FilterOptions.@Nullable Kind entity;

        @Parameters(index = "1", paramLabel = "TYPE", description = "The type's name.")
        private String type = "";

        @Parameters(index = "2", paramLabel = "ID", description = "The entity's id.")
        private String id = "";

        @Parameters(index = "3", paramLabel = "PROPERTY", description = "A property of type Blob.")
        private String property = "";

        GraphClient.Cell cell() {
            return new GraphClient.Cell(Objects.requireNonNull(entity).name(), type, id, property);
        }
    }

    /** {@code blob get}. */
    @Command(
            name = "get",
            description = "Writes the bytes of a blob, or a part of them.",
            footer = {"", "Example:", "  service blob get node Person ada photo --store people --out ada.png"})
    static final class Get extends GraphCommand {
        @Mixin
        private CellParameters cell = new CellParameters();

        @Mixin
        private TargetOptions target = new TargetOptions();

        @Option(names = "--offset", paramLabel = "N", description = "Begin with this byte.")
        private @Nullable Long offset;

        @Option(names = "--length", paramLabel = "N", description = "At most so many bytes.")
        private @Nullable Long length;

        @Mixin
        private FileOption file = new FileOption();

        @Override
        void check() {
            if ((offset != null && offset < 0) || (length != null && length < 1)) {
                throw CommandFailure.usage("--offset begins at 0, --length at 1");
            }
        }

        @Override
        @Nullable
        Answer ask(GraphClient graph) throws IOException {
            return file.copy(output, "copying", into -> graph.blob(target.target(), cell.cell(), offset, length, into));
        }
    }

    /** {@code blob stat}. */
    @Command(
            name = "stat",
            description = "Shows the size and the tag of a blob, or the URI of an external one.",
            footer = {"", "Example:", "  service blob stat node Person ada photo --store people"})
    static final class Stat extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Mixin
        private CellParameters cell = new CellParameters();

        @Mixin
        private TargetOptions target = new TargetOptions();

        @Override
        Answer ask(GraphClient graph) {
            return Answer.of(graph.blobStat(target.target(), cell.cell()), Stat::print);
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
