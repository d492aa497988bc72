package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.render.VisibleWriter;
import service.cli.table.InferredSchema;
import service.cli.table.TableFault;
import service.core.json.Json;

/** {@code schema infer}. */
@Command(
        name = "infer",
        description = {
            "Proposes a schema for tables (CSV, Parquet), from all their rows.",
            "Files with the columns @src and @dst, also from and to, are edges. What is not certain is in comments."
        },
        footer = {"", "Example:", "  service schema infer export/ > people.pg"})
final class SchemaInferCommand extends AnswerCommand {
    @Parameters(
            paramLabel = "TABLE",
            arity = "1..*",
            description = "TYPE.csv, TYPE.parquet, or directories of such files.")
    private List<Path> tables = new ArrayList<>();

    @Mixin
    private CsvFormOptions form = new CsvFormOptions();

    @Override
    Answer answer() throws IOException {
        InferredSchema schema;
        try {
            schema = InferredSchema.of(tables, form.csv());
        } catch (TableFault e) {
            throw new CommandFailure(CommandFailure.FAILED, String.valueOf(e.getMessage()));
        }
        ObjectNode answer = Json.object().put("schema_source", schema.source());
        for (InferredSchema.Type type : schema.types()) {
            ObjectNode each = answer.withArray("types").addObject();
            each.put("kind", type.isEdge() ? "edge" : "node");
            each.put("name", type.name());
            each.put("rows", type.rows());
            type.files().forEach(file -> each.withArray("files").add(file.toString()));
            type.load().forEach(each.withArray("load_options")::add);
        }
        return Answer.of(
                answer,
                (json, out) ->
                        VisibleWriter.data(out).print(json.path("schema_source").asText()));
    }
}
