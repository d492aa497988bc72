package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.Clusters;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.TextTable;
import service.cli.table.ExportPlace;
import service.cli.table.TableExport;
import service.cli.table.TableFault;
import service.core.graph.read.Export;
import service.core.graph.request.History;
import service.core.json.Json;
import service.core.port.ObjectStoreException;
import service.core.port.RootAddress;
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
            "  service export --store people --format parquet --out people",
            "  service export --store people --format parquet --out changes --since 01J..."
        })
final class ExportCommand extends GraphCommand {
    @Mixin
    private TargetOptions target = new TargetOptions();

    @Option(names = "--type", paramLabel = "TYPE", description = "Only this type; may be repeated.")
    private List<String> types = new ArrayList<>();

    @Option(
            names = FormatOption.NAME,
            paramLabel = "FORMAT",
            description =
                    "One of ${COMPLETION-CANDIDATES}: tables, a file for each type, in the new folder of --out, which may be s3://BUCKET/PREFIX.")
    private TableExport.@Nullable Format format;

    @Option(
            names = "--blobs",
            description = "With --format: the bytes of blobs, as base64 (default: their sizes and digests).")
    private boolean blobs;

    @Option(
            names = "--since",
            paramLabel = "COMMIT",
            description = "With --format: not a state but the changes of --branch after this commit.")
    private @Nullable String since;

    @Mixin
    private FileOption file = new FileOption();

    @Override
    void check() {
        if (format == null && since != null) {
            throw CommandFailure.usage("--since goes with --format parquet or csv");
        }
        if (since != null && !target.target().isHead()) {
            throw CommandFailure.usage("--since goes to the head of a branch, without --snapshot and --as-of");
        }
        if (format == null && isInBucket()) {
            throw CommandFailure.usage("--out s3://… goes with --format: records go into a file of this machine");
        }
        if (format != null && file.text() == null) {
            throw CommandFailure.usage("--format needs --out FOLDER");
        }
    }

    private boolean isInBucket() {
        return file.text() != null && RootAddress.isUri(file.text());
    }

    @Override
    @Nullable
    Answer ask(GraphClient graph) throws IOException {
        return format == null
                ? file.copy(output, "exporting", into -> graph.streams().export(target.target(), types, into))
                : tables(graph, format);
    }

    private Answer tables(GraphClient graph, TableExport.Format chosen) throws IOException {
        try {
            ExportPlace place = place();
            try (place) {
                return written(graph, chosen, place);
            } catch (RuntimeException | IOException e) {
                if (place.hasRemains()) {
                    throw withRemains(e, place);
                }
                throw e;
            }
        } catch (TableFault e) {
            throw described(e);
        }
    }

    private static CommandFailure described(Exception failure) {
        return failure instanceof TableFault fault
                ? new CommandFailure(CommandFailure.FAILED, String.valueOf(fault.getMessage()))
                : Failures.describe(failure);
    }

    /** A failure after which files are left, and what to do with them. */
    private static CommandFailure withRemains(Exception failure, ExportPlace place) {
        CommandFailure known = described(failure);
        String message = known.getMessage() + "; what was written into " + place.shown()
                + " could not be deleted: delete it, or export into another --out";
        ObjectNode body = known.body();
        return new CommandFailure(
                known.exitCode(), message, body == null ? null : body.deepCopy().put("error", message));
    }

    private Answer written(GraphClient graph, TableExport.Format chosen, ExportPlace place) throws IOException {
        ObjectNode manifest = Json.object();
        manifest.put("graph", address.name());
        manifest.put("format", chosen.name());
        try {
            if (since == null) {
                state(graph, chosen, place, manifest);
            } else {
                changes(graph, chosen, place, manifest);
            }
            // Last: a folder with a manifest is whole.
            place.finish("manifest.json", manifest.toPrettyString() + "\n");
        } catch (ObjectStoreException e) {
            throw e;
        } catch (UncheckedIOException e) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "cannot write into " + place.shown() + ": "
                            + Objects.requireNonNull(e.getCause()).getMessage());
        }
        String shown = place.shown();
        return Answer.of(manifest, (answer, out) -> {
            output.note(TextTable.counted(answer.path("files").size(), "file") + " written to " + shown);
            if (answer.path("schema_change").isTextual()) {
                output.note("ended before commit "
                        + answer.path("schema_change").asText()
                        + ", which changes the schema: export the rest with --since "
                        + answer.path("next_since").asText());
            }
        });
    }

    private ExportPlace place() throws IOException {
        String folder = Objects.requireNonNull(file.text());
        return isInBucket()
                ? ExportPlace.bucket(Clusters.bucket(folder))
                : ExportPlace.directory(Objects.requireNonNull(file.path()));
    }

    private void changes(GraphClient graph, TableExport.Format chosen, ExportPlace place, ObjectNode manifest)
            throws IOException {
        String branch = target.target().branch();
        manifest.put("branch", branch == null ? "main" : branch);
        ChangeExport.Terms terms = new ChangeExport.Terms(branch, Objects.requireNonNull(since), types, chosen, blobs);
        try (Progress progress = new Progress(output, "exporting", "changes")) {
            new ChangeExport(graph, terms, place).run(manifest, progress);
        }
    }

    private void state(GraphClient graph, TableExport.Format chosen, ExportPlace place, ObjectNode manifest)
            throws IOException {
        // One state for the schema, the records and the manifest, whatever is written meanwhile.
        ObjectNode state = graph.snapshot(target.target());
        String commit = state.path("graph_commit_id").asText();
        GraphClient.Target at = new GraphClient.Target(null, commit, null);
        String schema = graph.schema(at).path("schema_source").asText();
        Catalog catalog = SchemaCompiler.compile(schema);
        manifest.set("branch", state.get("graph_branch"));
        manifest.put("graph_commit_id", commit);
        manifest.set("log_offset", state.get("log_offset"));
        manifest.set("schema_digest", state.get("schema_digest"));
        try (TableExport tables = new TableExport(place, chosen, catalog);
                Progress progress = new Progress(output, "exporting", "bytes")) {
            List<EntityType> exported = chosen(catalog, types);
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
        }
        place.write("schema.pg", schema);
    }

    /** Whether the node type or the edge type of a name has a Blob. */
    private static boolean hasBlobs(Catalog catalog, String name) {
        return Export.named(catalog, name).stream()
                .flatMap(type -> type.properties().stream())
                .anyMatch(property -> property.type().equals(new PropertyType.Scalar(ScalarType.BLOB)));
    }

    /** The types of these names, or all. */
    static List<EntityType> chosen(Catalog catalog, List<String> names) {
        return names.isEmpty()
                ? History.typesInOrder(catalog)
                : names.stream()
                        .flatMap(name -> Export.named(catalog, name).stream())
                        .toList();
    }
}
