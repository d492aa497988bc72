package service.cli.command;

import java.io.PrintWriter;
import java.util.List;
import service.cli.render.TextTable;
import service.core.cluster.Cluster;
import service.core.cluster.ClusterJson;
import service.core.config.ConfigDiagnostic;
import service.core.error.Diagnostic;
import service.core.error.SourceText;

/** Prints the findings in the files of a cluster, each with the line that it is about. */
final class Findings {
    private Findings() {}

    /** The answer of a command that needs valid files: it has failed when there is a finding. */
    static Answer answer(Cluster cluster, List<ConfigDiagnostic> found, String valid) {
        return Answer.list("diagnostics", ClusterJson.validation(found), (answer, out) -> {
            found.forEach(each -> print(cluster, each, out));
            out.println(found.isEmpty() ? valid : TextTable.counted(found.size(), "finding"));
        });
    }

    private static void print(Cluster cluster, ConfigDiagnostic found, PrintWriter out) {
        if (found.line() == 0) {
            out.println("error: " + found.file() + ": " + found.code() + ": " + found.message());
            return;
        }
        Diagnostic diagnostic =
                new Diagnostic(found.code(), found.message(), found.line(), found.column(), found.hint());
        out.println("error: " + found.file() + ": " + new SourceText(cluster.source(found.file())).render(diagnostic));
    }
}
