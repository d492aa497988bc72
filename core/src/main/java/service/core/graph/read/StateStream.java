package service.core.graph.read;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.blob.BlobIntake;
import service.core.budget.MemoryAccount;
import service.core.budget.RequestBudget;
import service.core.event.Image;
import service.core.json.ImageJson;
import service.core.json.Int64Form;
import service.core.json.JsonBuffer;
import service.core.json.JsonWriter;
import service.core.json.StoredJson;
import service.core.port.BlobStore;
import service.core.port.GraphView;
import service.core.port.StateHold;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;

/**
 * Writes one state as records in the form that a load reads ({@code docs/writes.md}), at the speed of the reader. A
 * null is left out, unless the property has a default, which a load of the record would give it.
 *
 * <p>Records are collected in chunks. A read transaction is open only while a chunk is filled, never while it is
 * written: a reader that stalls must not keep LMDB from reusing its pages. The next chunk opens a view of the same
 * point, which is the same state, and continues after the last id. Memory: one chunk, or one record when it is longer,
 * which the request is charged for; the bytes of blobs are in neither, but are copied into their gaps while the chunk
 * is written.
 */
public final class StateStream {
    private static final int CHUNK_BYTES = 64 << 10;

    private final BlobStore blobs;
    private final StateHold state;
    private final JsonBuffer chunk;
    private final MemoryAccount memory;
    private final List<Gap> gaps = new ArrayList<>();

    /** A position in the chunk at which the base64 of a blob is inserted. */
    private record Gap(int at, Value.ManagedBlob blob) {}

    private int type;
    private @Nullable String after;

    /**
     * A stream of a state.
     *
     * @param state held for as long as this is used
     * @param int64 how values of 64 bits are written; a load reads both forms
     * @param budget charged for what a long record takes beyond the chunk
     */
    public StateStream(BlobStore blobs, StateHold state, Int64Form int64, RequestBudget budget) {
        this.chunk = new JsonBuffer(CHUNK_BYTES + (8 << 10), budget, int64);
        this.memory = budget.memory();
        this.blobs = blobs;
        this.state = state;
    }

    /**
     * Writes the live entities of the types, in the given order, each type by id.
     *
     * @throws service.core.error.ServiceException SNAPSHOT_RECLAIMED when cleanup has taken the state, because this
     *     took longer than a read may hold it
     */
    public void write(List<EntityType> types, OutputStream into) {
        type = 0;
        after = null;
        while (type < types.size()) {
            state.read(view -> fill(view, types));
            send(into);
        }
    }

    private void fill(GraphView view, List<EntityType> types) {
        while (type < types.size() && chunk.size() < CHUNK_BYTES) {
            after = fill(view, types.get(type), after);
            type += after == null ? 1 : 0;
        }
    }

    private void send(OutputStream into) {
        try {
            int written = 0;
            for (Gap gap : gaps) {
                chunk.writeTo(into, written, gap.at);
                Blobs.writeBase64(blobs, gap.blob, into);
                written = gap.at;
            }
            chunk.writeTo(into, written, chunk.size());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        chunk.truncate(0);
        gaps.clear();
    }

    /** Fills the chunk. Returns the last id in it, or null at the end of the type. */
    private @Nullable String fill(GraphView view, EntityType type, @Nullable String from) {
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = view.scanById(type.identity(), from)) {
            int size;
            while ((size = scan.next(found)) > 0) {
                for (int row = 0; row < size; row++) {
                    String id = view.id(type.identity(), found.ordinals[row]);
                    record(view, type, found.ordinals[row], id);
                    if (chunk.size() >= CHUNK_BYTES) {
                        return id;
                    }
                }
            }
        }
        return null;
    }

    private void record(GraphView view, EntityType type, int ordinal, String id) {
        long bytes = view.imageBytes(type.identity(), ordinal);
        // The account keeps what is released for the JSON that is written next. Of many streams of large records some
        // get all that they need then, and not each of them a part.
        memory.charge(2 * bytes, "the record", "read fewer of such records at a time");
        memory.release(bytes);
        try {
            record(view.image(type.identity(), ordinal), type, id);
        } finally {
            memory.release(bytes);
        }
    }

    private void record(Image image, EntityType type, String id) {
        JsonWriter json = chunk.writer();
        json.beginObject();
        json.field(type.kind() == EntityKind.NODE ? "type" : "edge").string(type.name());
        if (type instanceof EntityType.EdgeType edge && image.from() != null && image.to() != null) {
            ImageJson.end(json.field("from"), edge.source(), image.fromType(), image.from());
            ImageJson.end(json.field("to"), edge.destination(), image.toType(), image.to());
        }
        json.field("data").beginObject();
        json.field("id").string(id);
        PropertyRow row = image.properties();
        DirectBuffer properties = new UnsafeBuffer(row.bytes());
        for (Property property : type.properties()) {
            int place = row.placeOf(property.identity());
            if (place >= 0) {
                json.field(property.name());
                value(json, row, place, properties, property);
            } else if (property.defaultValue() != null) {
                // Without it, a load would store the default.
                json.field(property.name()).nullValue();
            }
        }
        json.endObject().endObject().newline();
    }

    /** Writes a value in the form that a load reads, with whole blobs. */
    private void value(JsonWriter json, PropertyRow row, int place, DirectBuffer properties, Property property) {
        switch (row.tagAt(place)) {
            case PropertyRow.TAG_BLOB -> {
                json.string(BlobIntake.BASE64);
                // Before the closing quote.
                gaps.add(new Gap(chunk.size() - 1, (Value.ManagedBlob) row.valueAt(place)));
            }
            case PropertyRow.TAG_EXTERNAL_BLOB -> json.string(((Value.ExternalBlob) row.valueAt(place)).uri());
            default -> StoredJson.value(json, properties, row.startAt(place), row.lengthAt(place), property.type());
        }
    }
}
