package service.http.route;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.read.BlobCell;
import service.core.policy.Action;
import service.core.value.Value;

/** {@code GET, HEAD /blob}: the bytes of one Blob cell, or a redirect to the URI that the cell refers to. */
final class BlobRoutes {
    private static final String CELL = "entity, type, id and property name one cell";

    private BlobRoutes() {}

    static List<Route> routes() {
        return List.of(Route.get("/graphs/{graph_id}/blob", Action.READ, BlobRoutes::blob)
                .with("entity", "type", "id", "property", "branch", "snapshot", "as_of")
                .answering(Media.BYTES));
    }

    private static Answer blob(Call call) {
        GraphAccess graph = call.requireGraph();
        BlobCell cell = graph.blob(
                call.target(),
                new BlobCell.Address(
                        call.requireParameter("entity", CELL),
                        call.requireParameter("type", CELL),
                        call.requireParameter("id", CELL),
                        call.requireParameter("property", CELL)));
        return switch (cell) {
            case BlobCell.External external ->
                new Answer.Streamed(
                        302,
                        null,
                        Map.of(
                                "Location",
                                external.uri(),
                                "Service-Snapshot-Id",
                                external.snapshot().toString()),
                        0,
                        into -> {});
            case BlobCell.Managed managed -> managed(call, graph, managed);
        };
    }

    private static Answer managed(Call call, GraphAccess graph, BlobCell.Managed cell) {
        Value.ManagedBlob blob = cell.blob();
        String etag = blob.etag();
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("ETag", etag);
        headers.put("Service-Snapshot-Id", cell.snapshot().toString());
        headers.put("Cache-Control", "private, no-cache");
        headers.put("Accept-Ranges", "bytes");
        switch (BlobPreconditions.decide(call.header("If-Match"), call.header("If-None-Match"), etag)) {
            case PRECONDITION_FAILED ->
                throw new ServiceException(
                        ErrorCode.PRECONDITION_FAILED, "the blob has changed: its tag is now " + etag);
            case NOT_MODIFIED -> {
                return new Answer.Streamed(304, null, headers, 0, into -> {});
            }
            case PROCEED -> {}
        }
        headers.put("Content-Disposition", "attachment");
        ByteRange range = range(call, etag, blob.size());
        if (range == null) {
            return new Answer.Streamed(
                    200, Media.BYTES, headers, blob.size(), into -> graph.copyBlob(cell, 0, blob.size(), into));
        }
        headers.put("Content-Range", "bytes " + range.start() + "-" + range.end() + "/" + blob.size());
        return new Answer.Streamed(
                206,
                Media.BYTES,
                headers,
                range.length(),
                into -> graph.copyBlob(cell, range.start(), range.length(), into));
    }

    private static @Nullable ByteRange range(Call call, String etag, long length) {
        return !call.line().isHead() && BlobPreconditions.allowsRange(call.header("If-Range"), etag)
                ? ByteRange.of(call.header("Range"), length)
                : null;
    }
}
