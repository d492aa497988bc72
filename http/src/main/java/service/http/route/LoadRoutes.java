package service.http.route;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.WriteOptions;
import service.core.policy.Action;
import service.core.wire.WireRecords;

/** {@code POST /load} with the records in a JSON body; {@code POST /load/ndjson} with the records as NDJSON. */
final class LoadRoutes {
    private LoadRoutes() {}

    static List<Route> routes() {
        return List.of(
                Route.post("/graphs/{graph_id}/load", Action.CHANGE, BodyRule.LOAD_JSON, LoadRoutes::loadJson)
                        .withKey(),
                Route.post("/graphs/{graph_id}/load/ndjson", Action.CHANGE, BodyRule.NDJSON, LoadRoutes::loadNdjson)
                        .with("branch", "from", "mode")
                        .withKey()
                        .withNote());
    }

    private static Answer loadJson(Call call) {
        return loadJson(call, null);
    }

    /**
     * Loads from a JSON body.
     *
     * @param fromDefault the value of {@code from} when the body has none
     */
    static Answer loadJson(Call call, @Nullable String fromDefault) {
        LoadBody body = LoadBody.read(call.body().bytes(), call.body().length());
        String branch = body.text("branch");
        String from = body.text("from");
        return load(
                call,
                branch == null ? "main" : branch,
                from == null ? fromDefault : from,
                body.text("mode"),
                call.options(body.fields()),
                body.lines());
    }

    private static Answer loadNdjson(Call call) {
        InputStream stream = call.body().stream();
        if (stream == null) {
            throw new IllegalStateException("a streamed route has a stream");
        }
        String branch = call.parameter("branch");
        try (stream) {
            return load(
                    call,
                    branch == null ? "main" : branch,
                    call.parameter("from"),
                    call.parameter("mode"),
                    call.options(Notes.ofHeaders(call)),
                    stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Answer load(
            Call call,
            String branch,
            @Nullable String from,
            @Nullable String mode,
            WriteOptions options,
            InputStream records) {
        return Answer.written(
                call.requireGraph().load(options, branch, from, Fields.mode(mode), records, call.budget()),
                WireRecords::load);
    }
}
