package service.core.graph.request;

import java.util.List;
import service.core.value.EntityKind;
import service.core.value.Ulid;

/** The description of a state of the graph ({@code GET /snapshot}). */
public record SnapshotRecord(
        String branch, Ulid commitId, long logOffset, long createdMicros, String schemaDigest, List<TypeCount> types) {
    public record TypeCount(EntityKind kind, String typeName, long entityCount) {}
}
