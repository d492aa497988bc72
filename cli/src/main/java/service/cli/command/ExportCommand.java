package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.TextTable;
import service.cli.table.TableExport;
import service.core.graph.read.Export;
import service.core.graph.request.History;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** Exports a state. */
@Command(
        name = "export",
        description = "Writes a state as NDJSON records, nodes before edges, or as tables into a folder.",
        footer = {
            "",
            "Examples:",
            "  service export --store people --out people.ndjson",
            "  service export --store people --format parquet --out people"
        })
final class ExportCommand extends GraphCommand {
    @Mixin
    private TargetOptions target = new TargetOptions();

    @Option(names = "--type", paramLabel = "TYPE", description = "Only this type; may be repeated.")
    private List<String> types = new ArrayList<>();

    @Option(
            names = FormatOption.NAME,
            paramLabel = "FORMAT",
            description = "One of ${COMPLETION-CANDIDATES}: tables, a file for each type, in the new folder of --out.")
    private TableExport.@Nullable Format format;

    @Option(
            names = "--blobs",
            description = "With --format parquet: the bytes of blobs, as base64 (default: their sizes and digests).")
    private boolean blobs;

    @Mixin
    private FileOption file = new FileOption();

    @Override
    @Nullable
    Answer ask(GraphClient graph) throws IOException {
        return format == null
                ? file.copy(output, "exporting", into -> graph.streams().export(target.target(), types, into))
                : tables(graph, format);
    }

    private Answer tables(GraphClient graph, TableExport.Format chosen) throws IOException {
        Path folder = folder();
        // One state for the schema, the records and the manifest, whatever is written meanwhile.
        ObjectNode state = graph.snapshot(target.target());
        String commit = state.path("graph_commit_id").asText();
        GraphClient.Target at = new GraphClient.Target(null, commit, null);
        String schema = graph.schema(at).path("schema_source").asText();
        Catalog catalog = SchemaCompiler.compile(schema);
        Files.createDirectories(folder);
        ObjectNode manifest = Json.object();
        manifest.set("branch", state.get("graph_branch"));
        manifest.put("graph_commit_id", commit);
        manifest.set("log_offset", state.get("log_offset"));
        manifest.set("schema_digest", state.get("schema_digest"));
        manifest.put("format", chosen.name());
        try (TableExport tables = new TableExport(folder, chosen, catalog);
                Progress progress = new Progress(output, "exporting", "bytes")) {
            List<EntityType> exported = chosen(catalog);
            // Arrow has no bytes of blobs, and is many times faster than records.
            Map<Boolean, List<String>> asRecords = exported.stream()
                    .collect(Collectors.partitioningBy(
                            type -> chosen == TableExport.Format.csv || (blobs && hasBlobs(catalog, type.name())),
                            Collectors.mapping(EntityType::name, Collectors.toList())));
            List<String> asTables = asRecords.getOrDefault(false, List.of());
            if (!asTables.isEmpty()) {
                try (OutputStream streams = tables.streams()) {
                    graph.streams().tables(at, asTables, progress.count(streams));
                }
            }
            List<String> others = asRecords.getOrDefault(true, List.of());
            if (!others.isEmpty()) {
                graph.streams().export(at, others, progress.count(tables));
            }
            tables.finish(exported);
            manifest.set("files", tables.files());
        } catch (UncheckedIOException e) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "cannot write into " + folder + ": "
                            + Objects.requireNonNull(e.getCause()).getMessage());
        }
        Files.writeString(folder.resolve("schema.pg"), schema, StandardCharsets.UTF_8);
        // Last: a folder with a manifest is whole.
        Files.writeString(folder.resolve("manifest.json"), manifest.toPrettyString() + "\n", StandardCharsets.UTF_8);
        return Answer.of(
                manifest,
                (answer, out) ->
                        output.note(TextTable.counted(answer.path("files").size(), "file") + " written to " + folder));
    }

    /** Whether the node type or the edge type of a name has a Blob. */
    private static boolean hasBlobs(Catalog catalog, String name) {
        return Export.named(catalog, name).stream()
                .flatMap(type -> type.properties().stream())
                .anyMatch(property -> property.type().equals(new PropertyType.Scalar(ScalarType.BLOB)));
    }

    private List<EntityType> chosen(Catalog catalog) {
        return types.isEmpty()
                ? History.typesInOrder(catalog)
                : types.stream()
                        .flatMap(name -> Export.named(catalog, name).stream())
                        .toList();
    }

    private Path folder() throws IOException {
        Path folder = file.path();
        if (folder == null) {
            throw CommandFailure.usage("--format needs --out FOLDER");
        }
        if (Files.exists(folder)) {
            boolean empty = Files.isDirectory(folder);
            if (empty) {
                try (Stream<Path> entries = Files.list(folder)) {
                    empty = entries.findAny().isEmpty();
                }
            }
            if (!empty) {
                throw new CommandFailure(
                        CommandFailure.FAILED, folder + " exists already; name a new folder, or an empty one");
            }
        }
        return folder;
    }
}
