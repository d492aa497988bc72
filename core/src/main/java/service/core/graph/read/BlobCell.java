package service.core.graph.read;

import service.core.value.Ulid;
import service.core.value.Value;

/** What one Blob property of one entity holds in one state. */
public sealed interface BlobCell {
    /** The effective head of the state that was read. */
    Ulid snapshot();

    /** Bytes of ours, to be copied with {@code Graph.copyBlob}. */
    record Managed(Ulid snapshot, Value.ManagedBlob blob) implements BlobCell {}

    /** A reference, which is never followed here. */
    record External(Ulid snapshot, String uri) implements BlobCell {}

    /**
     * Which property of which entity, as the caller names it.
     *
     * @param entity {@code node} or {@code edge}
     */
    record Address(String entity, String type, String id, String property) {}
}
