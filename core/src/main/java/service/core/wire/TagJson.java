package service.core.wire;

import service.core.graph.request.TagPage;
import service.core.graph.request.TagRecord;
import service.core.json.JsonWriter;

/** Tags as JSON ({@code docs/http.md}, Records). Any thread. */
public final class TagJson {
    private TagJson() {}

    /** Record <i>tag</i>. */
    public static void tag(JsonWriter json, TagRecord tag) {
        json.beginObject();
        json.field("name").string(tag.name());
        json.field("commit_id").string(tag.commit().toString());
        if (tag.message() != null) {
            json.field("message").string(tag.message());
        }
        json.field("created_at").micros(tag.createdMicros());
        json.field("created_by").string(tag.createdBy());
        json.endObject();
    }

    /** {@code GET /tags}. */
    public static void tags(JsonWriter json, TagPage page) {
        json.beginObject().field("tags").beginArray();
        page.tags().forEach(tag -> tag(json, tag));
        json.endArray();
        if (page.nextAfter() != null) {
            json.field("next_after").string(page.nextAfter());
        }
        json.endObject();
    }
}
