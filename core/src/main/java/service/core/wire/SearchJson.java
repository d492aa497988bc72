package service.core.wire;

import java.util.Locale;
import service.core.graph.read.Embeddings;
import service.core.graph.read.SearchIndexes;
import service.core.json.JsonWriter;
import service.core.port.SearchStatus;

/** The state of search indexes, and vectors of texts, as JSON. Any thread. */
public final class SearchJson {
    private SearchJson() {}

    /** {@code GET /search}. */
    public static void status(JsonWriter json, SearchIndexes.Report report) {
        json.beginObject();
        json.field("log_offset").value(report.logOffset());
        json.field("lag").value(report.lag());
        json.field("properties").beginArray();
        report.properties().forEach(line -> property(json, line));
        json.endArray();
        json.field("branches").beginArray();
        for (SearchIndexes.BranchLine branch : report.branches()) {
            json.beginObject().field("name").string(branch.name());
            json.field("own_entities").value(branch.ownEntities());
            json.field("bytes").value(branch.bytes()).endObject();
        }
        json.endArray().endObject();
    }

    /** The vectors of {@code /embed}. */
    public static void embeddings(JsonWriter json, Embeddings.Result result) {
        json.beginObject();
        json.field("provider").string(result.provider());
        json.field("model").string(result.model());
        json.field("vectors").beginArray();
        for (float[] vector : result.vectors()) {
            json.beginArray();
            for (float component : vector) {
                json.value(component);
            }
            json.endArray();
        }
        json.endArray().endObject();
    }

    private static void property(JsonWriter json, SearchIndexes.Line line) {
        SearchStatus.Property property = line.index().property();
        json.beginObject();
        json.field("kind").string(property.kind().wireName());
        json.field("type_name").string(property.typeName());
        json.field("property").string(property.property());
        json.field("index").string(line.isVector() ? "vector" : "text");
        json.field(line.isVector() ? "metric" : "analyzer").string(line.how());
        json.field("state").string(line.index().state().name().toLowerCase(Locale.ROOT));
        if (line.index().reason() != null) {
            json.field("reason").string(line.index().reason());
        }
        json.field("indexed").value(line.index().indexed());
        json.field("expected").value(line.expected());
        json.field("bytes").value(line.index().bytes());
        json.endObject();
    }
}
