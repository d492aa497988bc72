package service.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import service.cli.client.CommandFailure;
import service.cli.render.TextTable;
import service.core.cluster.Cluster;
import service.core.config.ConfigDiagnostic;
import service.core.error.Diagnostic;
import service.core.error.ErrorCode;
import service.core.error.SourceText;
import service.core.gq.lint.Lint;
import service.core.schema.SchemaWarnings;

/**
 * The findings in files, as every command shows them: for people with file, place, source line, caret and hint, for
 * programs as JSON with the same parts.
 */
final class Findings {
    /**
     * A finding in a file.
     *
     * @param file as the user or a configuration names it
     * @param finding its line is 0 when it has no position
     */
    record Finding(String file, Diagnostic finding, boolean isWarning) {

        /** Several lines without a line break at the end. */
        String text() {
            String place = finding.line() == 0
                    ? finding.code() + ": " + finding.message()
                            + (finding.hint() == null ? "" : "\n  hint: " + finding.hint())
                    : SourceText.render(finding);
            return file + ": " + place;
        }
    }

    private final List<Finding> found = new ArrayList<>();

    /** Adds the findings of one file. */
    Findings add(String file, List<Diagnostic> diagnostics) {
        diagnostics.forEach(each -> found.add(new Finding(file, each, Lint.isWarning(each))));
        return this;
    }

    /** Adds findings in the files of a cluster. */
    Findings add(Cluster cluster, List<ConfigDiagnostic> diagnostics) {
        for (ConfigDiagnostic each : diagnostics) {
            found.add(new Finding(each.file(), in(cluster, each), false));
        }
        return this;
    }

    /** Adds what is to be considered in the files of a cluster, but does not stop an apply. */
    Findings addWarnings(Cluster cluster) {
        for (ConfigDiagnostic each : cluster.warnings()) {
            found.add(new Finding(each.file(), in(cluster, each), true));
        }
        return this;
    }

    private static Diagnostic in(Cluster cluster, ConfigDiagnostic found) {
        return found.in(new SourceText(cluster.source(found.file())));
    }

    /** The warnings of a schema that compiles. */
    static Findings ofSchema(String file, String source) {
        return new Findings().add(file, SchemaWarnings.of(source));
    }

    long errors() {
        return found.stream().filter(each -> !each.isWarning()).count();
    }

    long warnings() {
        return found.size() - errors();
    }

    /** Prints each as {@code error: …} or {@code warning: …}. */
    void print(PrintWriter out) {
        found.forEach(each -> out.println((each.isWarning() ? "warning: " : "error: ") + each.text()));
    }

    /** Prints warnings beside the answer of a command. */
    void note(OutputOptions output) {
        found.forEach(each -> output.note("warning: " + each.text()));
    }

    /** The errors as one message of a failure. */
    String message() {
        return String.join("\nerror: ", found.stream().map(Finding::text).toList());
    }

    /** The failure of a command that cannot do its work because of the errors. */
    CommandFailure failure() {
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("error", message())
                .put("code", ErrorCode.BAD_REQUEST.wireName());
        write(body.putArray("diagnostics"));
        return new CommandFailure(CommandFailure.FAILED, message(), body);
    }

    /** Writes them as {@code [{file, severity, code, message, line, column, hint?, excerpt?}]}. */
    void write(ArrayNode into) {
        for (Finding each : found) {
            ObjectNode node =
                    into.addObject().put("file", each.file()).put("severity", each.isWarning() ? "warning" : "error");
            write(each.finding(), node);
        }
    }

    /** Writes the fields that a finding has everywhere. */
    static void write(Diagnostic finding, ObjectNode into) {
        into.put("code", finding.code())
                .put("message", finding.message())
                .put("line", finding.line())
                .put("column", finding.column());
        if (finding.hint() != null) {
            into.put("hint", finding.hint());
        }
        if (finding.excerpt() != null) {
            into.put("excerpt", finding.excerpt());
        }
    }

    /**
     * The answer of a command that checks files: it has failed when there is an error.
     *
     * @param valid printed when there is none
     */
    Answer answer(String valid) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("ok", errors() == 0);
        write(json.putArray("diagnostics"));
        return Answer.list("diagnostics", json, (answer, out) -> {
            print(out);
            String warnings = warnings() == 0 ? "" : ", " + TextTable.counted(warnings(), "warning");
            out.println((errors() == 0 ? valid : TextTable.counted(errors(), "finding")) + warnings);
        });
    }
}
