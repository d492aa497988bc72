package service.core.graph.read;

import service.core.port.ReadPoint;
import service.core.value.Ulid;
import service.core.value.Value;

/** The value of one Blob property of one entity in one state. */
public sealed interface BlobCell {
    /** The effective head of the state that was read. */
    Ulid snapshot();

    /**
     * Managed bytes, to be copied with {@code GraphAccess.copyBlob}.
     *
     * @param point the state that was read
     */
    record Managed(Ulid snapshot, Value.ManagedBlob blob, ReadPoint point) implements BlobCell {}

    /** A reference, which the service never follows. */
    record External(Ulid snapshot, String uri) implements BlobCell {}

    /**
     * The entity and the property, as the caller names them.
     *
     * @param entity {@code node} or {@code edge}
     */
    record Address(String entity, String type, String id, String property) {}
}
