package service.http.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.wire.WireRecords;
import service.http.auth.Action;

/**
 * {@code POST /load} with records in a JSON body, {@code POST /load/ndjson} with records as they
 * arrive.
 */
final class LoadRoutes {
    private LoadRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.post(
                                "/graphs/{graph_id}/load",
                                Action.CHANGE,
                                BodyRule.LOAD_JSON,
                                LoadRoutes::loadJson)
                        .with(Route.Condition.REFUSED)
                        .withKey(),
                Route.post(
                                "/graphs/{graph_id}/load/ndjson",
                                Action.CHANGE,
                                BodyRule.NDJSON,
                                LoadRoutes::loadNdjson)
                        .with("branch", "from", "mode")
                        .with(Route.Condition.REFUSED)
                        .withKey());
    }

    private static Answer loadJson(Call call) {
        return loadJson(call, null);
    }

    /**
     * Loads from a JSON body.
     *
     * @param fromDefault what {@code from} is where the body does not say
     */
    static Answer loadJson(Call call, @Nullable String fromDefault) {
        Fields fields = call.fields("branch", "from", "mode", "data", "records");
        String data = fields.text("data");
        ArrayNode records = fields.array("records");
        if ((data == null) == (records == null)) {
            throw ServiceException.badRequest(
                    "give the records either as NDJSON text in `data` or as an array in `records`");
        }
        String from = fields.text("from");
        byte[] lines = data != null ? data.getBytes(StandardCharsets.UTF_8) : lines(records);
        return load(
                call,
                fields.text("branch", "main"),
                from == null ? fromDefault : from,
                fields.text("mode"),
                new ByteArrayInputStream(lines));
    }

    private static Answer loadNdjson(Call call) {
        InputStream stream = call.stream();
        if (stream == null) {
            throw new IllegalStateException("a streamed route has a stream");
        }
        String branch = call.parameter("branch");
        return load(
                call,
                branch == null ? "main" : branch,
                call.parameter("from"),
                call.parameter("mode"),
                stream);
    }

    private static Answer load(
            Call call,
            String branch,
            @Nullable String from,
            @Nullable String mode,
            InputStream records) {
        return Answer.written(
                call.requireGraph().load(call.terms(), branch, from, Fields.mode(mode), records),
                WireRecords::load);
    }

    /** One record a line, so that messages count records as they count lines. */
    private static byte[] lines(@Nullable ArrayNode records) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        if (records != null) {
            for (JsonNode item : records) {
                lines.writeBytes(item.toString().getBytes(StandardCharsets.UTF_8));
                lines.write('\n');
            }
        }
        return lines.toByteArray();
    }
}
