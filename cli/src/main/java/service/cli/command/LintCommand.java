package service.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import service.cli.render.TextTable;
import service.core.error.Diagnostic;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.gq.lint.Lint;
import service.core.gq.lint.QueryFootprint;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** Checks query files without running them. */
@Command(
        name = "lint",
        description = {
            "Checks query files against a schema, and lists the types and columns that each query reads, writes and answers.",
            "Exits with 1 when there is an error; warnings alone (T27, L201) leave it at 0."
        },
        footer = {
            "",
            "Examples:",
            "  service lint --query people.gq --schema people.pg",
            "  service lint --query reads.gq --query writes.gq --schema people.pg --json"
        })
final class LintCommand extends AnswerCommand {
    @Option(
            names = "--query",
            required = true,
            paramLabel = "FILE",
            description = "A file of GQ queries; may be repeated.")
    private List<Path> queries = List.of();

    @Option(
            names = "--schema",
            required = true,
            paramLabel = "FILE",
            description = "The schema that they are written for, a .pg file.")
    private Path schema = Path.of(".");

    /** A finding and the file that it points into. */
    private record Found(Path file, SourceText source, Diagnostic diagnostic) {
        boolean isWarning() {
            return Lint.isWarning(diagnostic);
        }
    }

    @Override
    Answer answer() {
        Map<String, String> sources = new LinkedHashMap<>();
        queries.forEach(file -> sources.put(file.toString(), RequestOptions.read(file)));
        SourceText schemaText = new SourceText(RequestOptions.read(schema));
        List<Found> found = new ArrayList<>();
        List<QueryFootprint> footprints = List.of();
        try {
            Catalog catalog = SchemaCompiler.compile(schemaText.text());
            Lint.Report report = Lint.of(sources, catalog);
            report.queryFindings().forEach((file, findings) -> {
                SourceText text = new SourceText(sources.getOrDefault(file, ""));
                findings.forEach(each -> found.add(new Found(Path.of(file), text, each)));
            });
            report.schemaFindings().forEach(each -> found.add(new Found(schema, schemaText, each)));
            footprints = report.queries();
        } catch (ServiceException refusal) {
            if (!(refusal.detail() instanceof ErrorDetail.Diagnostics schemaErrors)) {
                throw refusal;
            }
            schemaErrors.diagnostics().forEach(each -> found.add(new Found(schema, schemaText, each)));
        }
        long errors = found.stream().filter(each -> !each.isWarning()).count();
        List<QueryFootprint> clean = footprints;
        return Answer.of(json(errors == 0, found, clean), (answer, out) -> print(found, clean, errors, out));
    }

    private static ObjectNode json(boolean ok, List<Found> found, List<QueryFootprint> footprints) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode().put("ok", ok);
        ArrayNode diagnostics = answer.putArray("diagnostics");
        for (Found each : found) {
            Diagnostic diagnostic = each.diagnostic();
            ObjectNode node = diagnostics
                    .addObject()
                    .put("code", diagnostic.code())
                    .put("severity", each.isWarning() ? "warning" : "error")
                    .put("message", diagnostic.message())
                    .put("file", each.file().toString())
                    .put("line", diagnostic.line())
                    .put("column", diagnostic.column());
            if (diagnostic.hint() != null) {
                node.put("hint", diagnostic.hint());
            }
        }
        ArrayNode queries = answer.putArray("queries");
        footprints.forEach(footprint -> write(footprint, queries.addObject()));
        return answer;
    }

    private static void write(QueryFootprint footprint, ObjectNode into) {
        into.put("name", footprint.name()).put("mutation", footprint.mutation());
        ArrayNode params = into.putArray("params");
        footprint
                .parameters()
                .forEach(parameter -> params.addObject()
                        .put("name", parameter.name())
                        .put("type", parameter.type().toString())
                        .put("nullable", parameter.nullable()));
        footprint.reads().forEach(into.putArray("reads")::add);
        footprint.writes().forEach(into.putArray("writes")::add);
        footprint.cascades().forEach(into.putArray("cascades")::add);
        ArrayNode columns = into.putArray("columns");
        ArrayNode types = into.putArray("column_types");
        for (QueryFootprint.Column column : footprint.columns()) {
            columns.add(column.name());
            types.add(column.type());
        }
    }

    private void print(List<Found> found, List<QueryFootprint> footprints, long errors, PrintWriter out) {
        for (Found each : found) {
            out.println((each.isWarning() ? "warning: " : "error: ")
                    + each.file()
                    + ": "
                    + each.source().render(each.diagnostic()));
        }
        if (!footprints.isEmpty()) {
            TextTable table = new TextTable("query", "reads", "writes", "columns");
            for (QueryFootprint footprint : footprints) {
                table.row(
                        footprint.name(),
                        String.join(", ", footprint.reads()),
                        written(footprint),
                        String.join(
                                ", ",
                                footprint.columns().stream()
                                        .map(column -> column.name() + ": " + column.type())
                                        .toList()));
            }
            table.print(out, output.screen());
        }
        out.printf("%s, %s%n", TextTable.counted(errors, "error"), TextTable.counted(found.size() - errors, "warning"));
    }

    private static String written(QueryFootprint footprint) {
        String writes = String.join(", ", footprint.writes());
        return footprint.cascades().isEmpty()
                ? writes
                : writes + " (and " + String.join(", ", footprint.cascades()) + ")";
    }
}
