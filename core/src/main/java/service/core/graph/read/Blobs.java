package service.core.graph.read;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Base64;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.batch.ValueColumn;
import service.core.blob.BlobIntake;
import service.core.blob.ExternalBases;
import service.core.blob.StagedBlobs;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Targets;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.BlobStore;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.StateHold;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/**
 * Stages the blobs of writes and copies blobs of cells ({@code docs/blobs.md}). A copy reads piece by piece: the
 * content of a digest never changes, so no transaction is held while a slow reader reads. Any thread.
 */
public final class Blobs {
    private final GraphStorage storage;
    private final ExternalBases allowed;

    public Blobs(GraphStorage storage, ExternalBases allowed) {
        this.storage = storage;
        this.allowed = allowed;
    }

    /** Opens the intake for the blobs of one write; pass it to {@link #closing}. */
    public BlobIntake intake() {
        return new BlobIntake(allowed, storage.blobs().stage());
    }

    /** Runs a write, and releases the staged blobs at its end, whatever its outcome. */
    public <R> CompletableFuture<R> closing(BlobIntake intake, Supplier<CompletableFuture<R>> write) {
        StagedBlobs staged = intake.staged();
        try {
            CompletableFuture<R> outcome = write.get();
            return staged.isHolding() ? outcome.whenComplete((result, failure) -> staged.close()) : outcome;
        } catch (RuntimeException e) {
            staged.close();
            throw e;
        }
    }

    /** Whether any type has a Blob. */
    public static boolean mayOccur(Catalog catalog) {
        return Stream.concat(catalog.nodes().stream(), catalog.edges().stream())
                .flatMap(type -> type.properties().stream())
                .anyMatch(property -> isBlob(property.type()));
    }

    private static boolean isBlob(PropertyType type) {
        return type instanceof PropertyType.Scalar scalar && scalar.scalar() == ScalarType.BLOB;
    }

    /**
     * Finds a cell.
     *
     * @throws ServiceException BAD_REQUEST for a type or property that the schema does not have, NOT_FOUND for an
     *     entity or blob that the state does not have
     */
    public BlobCell cell(Caller caller, ReadTarget target, BlobCell.Address address) {
        try (GraphSession session = storage.session()) {
            Targets.Resolved resolved = Targets.resolve(session, target, Action.READ, caller);
            try (GraphView view = session.view(resolved.point())) {
                EntityType type = type(view.catalog(), address);
                Property property = property(type, address.property());
                EntityColumn row = new EntityColumn();
                row.reset(1);
                if (!view.lookup(type.identity(), address.id(), row, 0)) {
                    throw ServiceException.notFound(
                            Reason.ENTITY,
                            address.entity() + " " + type.name() + " `" + address.id() + "` does not exist here");
                }
                return switch (stored(view, property, row)) {
                    case Value.ManagedBlob blob -> new BlobCell.Managed(resolved.head(), blob, resolved.point());
                    case Value.ExternalBlob blob -> new BlobCell.External(resolved.head(), blob.uri());
                    case null, default ->
                        throw ServiceException.notFound(
                                Reason.ENTITY,
                                "`"
                                        + property.name()
                                        + "` of "
                                        + type.name()
                                        + " `"
                                        + address.id()
                                        + "` holds no blob");
                };
            }
        }
    }

    /** The value of a property of one row. The other properties of the record, which may be large, are not copied. */
    private static @Nullable Value stored(GraphView view, Property property, EntityColumn row) {
        ValueColumn cell = new ValueColumn();
        view.read(property.identity(), row, 1, cell);
        return cell.isNull(0) ? null : cell.values[0];
    }

    private static EntityType type(Catalog catalog, BlobCell.Address address) {
        boolean node = switch (address.entity()) {
            case "node" -> true;
            case "edge" -> false;
            default ->
                throw ServiceException.badRequest("`entity` must be node or edge, not `" + address.entity() + "`");
        };
        EntityType type = node ? catalog.node(address.type()) : catalog.edge(address.type());
        if (type == null) {
            Collection<? extends EntityType> all = node ? catalog.nodes() : catalog.edges();
            throw unknown(
                    "unknown "
                            + (node ? EntityKind.NODE : EntityKind.EDGE).wireName()
                            + " type `"
                            + address.type()
                            + "`",
                    Suggestion.didYouMean(
                            address.type(), all.stream().map(EntityType::name).toList()));
        }
        return type;
    }

    private static Property property(EntityType type, String name) {
        for (Property property : type.properties()) {
            if (property.name().equals(name)) {
                if (isBlob(property.type())) {
                    return property;
                }
                throw ServiceException.badRequest(
                        "`" + name + "` of " + type.name() + " is not a Blob; a query returns it");
            }
        }
        throw unknown(
                type.name() + " has no property `" + name + "`",
                Suggestion.didYouMean(
                        name, type.properties().stream().map(Property::name).toList()));
    }

    private static ServiceException unknown(String message, @Nullable String meant) {
        return ServiceException.badRequest(message + (meant == null ? "" : "; " + meant));
    }

    /**
     * Copies bytes of a blob at the speed of the stream, with one piece in memory. Cleanup keeps the state of the cell
     * meanwhile, and with it the blob.
     */
    public void copy(BlobCell.Managed cell, long from, long length, OutputStream into) throws IOException {
        StateHold state = storage.hold(cell.point());
        try {
            copy(cell.blob(), from, length, into);
        } finally {
            state.close();
        }
    }

    private void copy(Value.ManagedBlob blob, long from, long length, OutputStream into) throws IOException {
        byte[] piece = new byte[(int) Math.min(BlobStore.PIECE_BYTES, length)];
        long at = from;
        while (at < from + length) {
            int count = storage.blobs().read(blob, at, piece);
            int wanted = (int) Math.min(count, from + length - at);
            into.write(piece, 0, wanted);
            at += wanted;
        }
    }

    /** Writes the bytes of a blob as base64, with one piece in memory. */
    static void writeBase64(BlobStore store, Value.ManagedBlob blob, OutputStream into) throws IOException {
        byte[] piece = new byte[(int) Math.min(BlobStore.PIECE_BYTES, blob.size())];
        byte[] text = new byte[(piece.length + 2) / 3 * 4];
        for (long at = 0; at < blob.size(); at += piece.length) {
            int count = (int) Math.min(piece.length, blob.size() - at);
            byte[] exact = count == piece.length ? piece : new byte[count];
            fill(store, blob, at, exact);
            into.write(text, 0, Base64.getEncoder().encode(exact, text));
        }
    }

    private static void fill(BlobStore store, Value.ManagedBlob blob, long offset, byte[] exact) {
        int done = store.read(blob, offset, exact);
        while (done < exact.length) {
            byte[] rest = new byte[exact.length - done];
            int more = store.read(blob, offset + done, rest);
            System.arraycopy(rest, 0, exact, done, more);
            done += more;
        }
    }
}
