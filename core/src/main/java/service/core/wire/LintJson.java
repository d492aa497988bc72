package service.core.wire;

import java.util.List;
import service.core.error.Diagnostic;
import service.core.gq.lint.Lint;
import service.core.gq.lint.QueryFootprint;
import service.core.json.JsonWriter;

/** {@code POST /lint}: what is wrong with a source, and what its queries take, do and return. Any thread. */
public final class LintJson {
    private LintJson() {}

    public static void write(JsonWriter json, Lint.Checked checked) {
        json.beginObject();
        json.field("ok").value(checked.findings().stream().allMatch(Lint::isWarning));
        json.field("diagnostics").beginArray();
        checked.findings().forEach(finding -> finding(json, finding));
        json.endArray().field("queries").beginArray();
        checked.queries().forEach(query -> query(json, query));
        json.endArray().endObject();
    }

    private static void finding(JsonWriter json, Diagnostic finding) {
        json.beginObject().field("code").string(finding.code());
        json.field("severity").string(Lint.isWarning(finding) ? "warning" : "error");
        json.field("message").string(finding.message());
        json.field("line").value(finding.line());
        json.field("column").value(finding.column());
        if (finding.hint() != null) {
            json.field("hint").string(finding.hint());
        }
        if (finding.excerpt() != null) {
            json.field("excerpt").string(finding.excerpt());
        }
        json.endObject();
    }

    private static void query(JsonWriter json, QueryFootprint query) {
        json.beginObject().field("name").string(query.name());
        json.field("mutation").value(query.mutation());
        json.field("params").beginArray();
        query.parameters().forEach(parameter -> StoredQueryJson.parameter(json, parameter));
        json.endArray().field("columns").beginArray();
        for (QueryFootprint.Column column : query.columns()) {
            json.beginObject().field("name").string(column.name());
            json.field("type").string(column.type()).endObject();
        }
        json.endArray();
        texts(json, "reads", query.reads());
        texts(json, "writes", query.writes());
        texts(json, "cascades", query.cascades());
        json.endObject();
    }

    private static void texts(JsonWriter json, String name, List<String> texts) {
        json.field(name).beginArray();
        texts.forEach(json::string);
        json.endArray();
    }
}
