package service.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import service.cli.render.TextTable;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.lint.Lint;
import service.core.gq.lint.QueryFootprint;
import service.core.schema.SchemaCompiler;

/** Checks a schema and query files without running anything. */
@Command(
        name = "lint",
        description = {
            "Checks a schema, and query files against it; lists the types and columns that each query reads, writes and answers.",
            "Exits with 1 when there is an error; warnings alone (T27, L201, L202, L203) leave it at 0."
        },
        footer = {
            "",
            "Examples:",
            "  service lint --schema people.pg",
            "  service lint --query people.gq --schema people.pg",
            "  service lint --query reads.gq --query writes.gq --schema people.pg --json"
        })
final class LintCommand extends AnswerCommand {
    @Option(names = "--query", paramLabel = "FILE", description = "A file of GQ queries; may be repeated.")
    private List<Path> queries = List.of();

    @Option(
            names = "--schema",
            required = true,
            paramLabel = "FILE",
            description = "The schema that they are written for, a .pg file.")
    private Path schema = Path.of(".");

    @Override
    Answer answer() {
        Map<String, String> sources = new LinkedHashMap<>();
        queries.forEach(file -> sources.put(file.toString(), RequestOptions.read(file)));
        String schemaText = RequestOptions.read(schema);
        Findings findings = new Findings();
        List<QueryFootprint> footprints = List.of();
        try {
            Lint.Report report = Lint.of(sources, SchemaCompiler.compile(schemaText));
            report.queryFindings().forEach(findings::add);
            findings.add(schema.toString(), report.schemaFindings());
            footprints = report.queries();
        } catch (ServiceException refusal) {
            if (!(refusal.detail() instanceof ErrorDetail.Diagnostics schemaErrors)) {
                throw refusal;
            }
            findings.add(schema.toString(), schemaErrors.diagnostics());
        }
        List<QueryFootprint> clean = footprints;
        return Answer.of(json(findings, clean), (answer, out) -> print(findings, clean, out));
    }

    private static ObjectNode json(Findings findings, List<QueryFootprint> footprints) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode().put("ok", findings.errors() == 0);
        findings.write(answer.putArray("diagnostics"));
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
                        .put("type", parameter.typeName())
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

    private void print(Findings findings, List<QueryFootprint> footprints, PrintWriter out) {
        findings.print(out);
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
        out.printf(
                "%s, %s%n",
                TextTable.counted(findings.errors(), "error"), TextTable.counted(findings.warnings(), "warning"));
    }

    private static String written(QueryFootprint footprint) {
        String writes = String.join(", ", footprint.writes());
        return footprint.cascades().isEmpty()
                ? writes
                : writes + " (and " + String.join(", ", footprint.cascades()) + ")";
    }
}
