package service.core.graph.read;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import service.core.arrow.ArrowFields;
import service.core.arrow.ArrowStream;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.TextColumn;
import service.core.budget.MemoryAccount;
import service.core.budget.RequestBudget;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.port.StateHold;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyType;

/**
 * Writes one state as Arrow streams, one after the other, one for each type: {@code @id}, of edges {@code @src} and
 * {@code @dst} (and {@code @src_type} and {@code @dst_type} where several types may stand), and the properties. Rows
 * are in the order in which entities were first written. A Blob is the JSON of the change feed, without its bytes.
 *
 * <p>A read transaction is open only while a batch is filled, as in {@link StateStream}; the next batch continues after
 * the last ordinal. Memory: one batch, which the request is charged for.
 */
final class TableStream {
    private static final int BATCH_ROWS = 32 << 10;
    private static final long BATCH_BYTES = 4 << 20;

    /** What the columns of a scan take at most: its batches end at 4 MiB of records, unless one alone is longer. */
    private static final long COLUMNS_BYTES = 8 << 20;

    private final StateHold state;
    private final MemoryAccount memory;

    /**
     * A stream of a state.
     *
     * @param state held for as long as this is used
     */
    TableStream(StateHold state, RequestBudget budget) {
        this.state = state;
        this.memory = budget.memory();
    }

    /**
     * Writes the live entities of the types, in the given order.
     *
     * @throws service.core.error.ServiceException SNAPSHOT_RECLAIMED when cleanup has taken the state, because this
     *     took longer than a read may hold it
     */
    void write(List<EntityType> types, Catalog catalog, OutputStream into) {
        memory.charge(COLUMNS_BYTES, "the export", "run fewer exports at a time");
        try {
            for (EntityType type : types) {
                new OfType(type, catalog).write(into);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            memory.release(COLUMNS_BYTES);
        }
    }

    /** The stream of one type. */
    private final class OfType implements QueryExecutor.Kept {
        private final EntityType type;
        private final ArrowStream stream;
        private final EntityColumn rows = new EntityColumn();
        private final EntityColumn sources = new EntityColumn();
        private final EntityColumn destinations = new EntityColumn();

        /** The columns before those of properties, and how many there are. */
        private final Column[] columns;

        private final int fixed;
        private int next;
        private boolean isWhole;
        private long charged;

        OfType(EntityType type, Catalog catalog) {
            this.type = type;
            ArrowFields fields = new ArrowFields(catalog);
            fields.add("@id", PropertyType.STRING);
            int count = 1;
            if (type instanceof EntityType.EdgeType edge) {
                fields.add("@src", PropertyType.STRING);
                fields.add("@dst", PropertyType.STRING);
                count += 2;
                if (edge.source().wide()) {
                    fields.add("@src_type", PropertyType.STRING);
                    count++;
                }
                if (edge.destination().wide()) {
                    fields.add("@dst_type", PropertyType.STRING);
                    count++;
                }
            }
            fixed = count;
            columns = new Column[fixed + type.properties().size()];
            for (int i = 0; i < fixed; i++) {
                columns[i] = new TextColumn();
            }
            for (int i = fixed; i < columns.length; i++) {
                Property property = type.properties().get(i - fixed);
                fields.add(property.name(), property.type());
                columns[i] = GraphView.columnFor(property.type());
            }
            stream = new ArrowStream(fields);
        }

        void write(OutputStream into) throws IOException {
            send(stream.begin(Map.of("kind", type.kind().wireName(), "type", type.name())), into);
            while (!isWhole) {
                state.read(this::fill);
                send(stream.take(), into);
                memory.release(charged);
                charged = 0;
            }
            send(List.of(ArrowStream.end()), into);
        }

        private static void send(List<ByteBuffer> pieces, OutputStream into) throws IOException {
            for (ByteBuffer piece : pieces) {
                into.write(piece.array(), piece.arrayOffset() + piece.position(), piece.remaining());
            }
        }

        private void fill(GraphView view) {
            try (GraphView.Scan scan = view.scan(type.identity(), next)) {
                for (int taken = 0; taken < BATCH_ROWS && charged < BATCH_BYTES; ) {
                    int size = scan.next(rows);
                    if (size == 0) {
                        isWhole = true;
                        return;
                    }
                    add(view, size);
                    taken += size;
                    next = rows.ordinals[size - 1] + 1;
                }
            }
        }

        private void add(GraphView view, int size) {
            long large = size < Column.CAPACITY ? recordBytes(view, size) : 0;
            memory.charge(large, "the records of an export", "run fewer exports at a time");
            try {
                view.ids(rows, size, columns[0]);
                if (type instanceof EntityType.EdgeType edge) {
                    view.endpoints(rows, size, sources, destinations);
                    view.ids(sources, size, columns[1]);
                    view.ids(destinations, size, columns[2]);
                    int at = 3;
                    if (edge.source().wide()) {
                        types(view, sources, size, (TextColumn) columns[at++]);
                    }
                    if (edge.destination().wide()) {
                        types(view, destinations, size, (TextColumn) columns[at]);
                    }
                }
                for (int i = fixed; i < columns.length; i++) {
                    int property = type.properties().get(i - fixed).identity();
                    view.read(property, rows, size, columns[i]);
                }
                stream.add(view, columns, size, this);
            } finally {
                memory.release(large);
            }
        }

        private long recordBytes(GraphView view, int size) {
            long bytes = 0;
            for (int i = 0; i < size; i++) {
                bytes += 2 * view.imageBytes(type.identity(), rows.ordinals[i]);
            }
            return bytes;
        }

        private static void types(GraphView view, EntityColumn nodes, int size, TextColumn into) {
            into.reset(size);
            for (int i = 0; i < size; i++) {
                into.set(i, view.catalog().requireType(nodes.types[i]).name());
            }
        }

        @Override
        public void bytes(long more) {
            memory.charge(more, "the batches of an export", "run fewer exports at a time");
            charged += more;
        }

        @Override
        public void release(long bytes) {
            memory.release(bytes);
            charged -= bytes;
        }
    }
}
