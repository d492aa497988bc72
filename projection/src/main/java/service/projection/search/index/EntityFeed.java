package service.projection.search.index;

import com.google.errorprone.annotations.MustBeClosed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.event.Fork;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.log.lmdb.ReadTransaction;
import service.projection.table.ArrivalTable;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.SchemaTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.view.Sessions;
import service.projection.view.TypeScan;

/**
 * Reads the entities of {@code main}, or what a branch has written, for an index, in pieces: each is one short read,
 * because the tables cannot grow while one is open. All pieces are of the state at one offset.
 */
final class EntityFeed {
    private static final int PIECE = 2_000;

    /** Images of this size are read at a time, because columns copy their texts. */
    private static final long BATCH_BYTES = 4 << 20;

    /** Changes that are read in one round; the last event is read as a whole. */
    private static final int CHANGES_MAX = 100_000;

    private final ProjectionEnvironment environment;
    private final Sessions sessions;
    private final int incarnation;
    private final Fields fields;
    private final BooleanSupplier stopped;

    /** Chooses what is indexed. */
    interface Fields {
        /** The searched texts. */
        Fields TEXTS = new Fields() {
            @Override
            public boolean mayBeIn(String schema) {
                return schema.contains("@search");
            }

            @Override
            public List<IndexedField> of(GraphSession session, ReadPoint head) {
                return IndexedField.of(session.catalog(head));
            }
        };

        /**
         * Whether a schema may have any: a schema is compiled for {@link #of} alone, and a server may have a thousand.
         */
        boolean mayBeIn(String schema);

        List<IndexedField> of(GraphSession session, ReadPoint head);
    }

    /** @param stopped whether to give up, at the next piece */
    EntityFeed(
            ProjectionEnvironment environment,
            Sessions sessions,
            int incarnation,
            Fields fields,
            BooleanSupplier stopped) {
        this.fields = fields;
        this.environment = environment;
        this.incarnation = incarnation;
        this.sessions = sessions;
        this.stopped = stopped;
    }

    /** Thrown when the indexer is closed meanwhile. */
    static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        StoppedException() {
            super("the indexer was stopped", null, false, false);
        }
    }

    /** One read. */
    private final class Piece implements AutoCloseable {
        final ReadTransaction read;
        final TableAccess access;
        final GraphSession session;

        @SuppressWarnings("MustBeClosedChecker") // closed by close
        @MustBeClosed
        Piece() {
            if (stopped.getAsBoolean()) {
                throw new StoppedException();
            }
            read = environment.environment().read();
            access = environment.access(read);
            session = sessions.over(access);
        }

        @Override
        public void close() {
            try {
                session.close();
                access.end();
            } finally {
                read.close();
            }
        }
    }

    /**
     * What the tables have.
     *
     * @param branch its name; null when it was deleted
     * @param fields none when there is nothing to index
     */
    record Head(long applied, @Nullable String branch, List<IndexedField> fields) {}

    Head head() {
        try (Piece piece = new Piece()) {
            long applied = piece.session.appliedOffset();
            Branch branch = piece.session.branchOf(incarnation);
            return new Head(
                    applied,
                    branch == null ? null : branch.name(),
                    branch != null && (incarnation > 0 || searches(piece.access, applied))
                            ? fields.of(piece.session, new ReadPoint(incarnation, applied))
                            : List.of());
        }
    }

    /** Whether the schema of main may search something. Compiles none, because a server may have a thousand graphs. */
    private boolean searches(TableAccess access, long applied) {
        SchemaTable.Stored schema = SchemaTable.read(access, new Chain(new int[] {0}, new long[] {applied}));
        return schema != null && fields.mayBeIn(schema.source());
    }

    /**
     * Puts all entities of the state at an offset into an empty index; of a branch those that it has written.
     *
     * @return false when not all of these are known
     */
    boolean all(OwnIndex into, long offset) throws IOException {
        if (incarnation > 0) {
            return written(into, offset);
        }
        int[] types =
                into.fields().stream().mapToInt(IndexedField::type).distinct().toArray();
        for (int type : types) {
            List<IndexedField> ofType =
                    into.fields().stream().filter(field -> field.type() == type).toList();
            for (int from = 0; from >= 0; ) {
                from = piece(into, offset, ofType, from);
            }
        }
        return true;
    }

    private boolean written(OwnIndex into, long offset) throws IOException {
        long after = forkOffset();
        while (after < offset) {
            Changes changes = changes(after, offset);
            if (changes == null) {
                return false;
            }
            // All as they are at the end: cleanup may have taken what was between.
            apply(into, new Changes(changes.entities(), offset));
            after = changes.through();
        }
        return true;
    }

    private long forkOffset() {
        try (Piece piece = new Piece()) {
            Branch branch = piece.session.branchOf(incarnation);
            Fork fork = branch == null ? null : branch.fork();
            return fork == null ? Long.MAX_VALUE : fork.offset();
        }
    }

    private int piece(OwnIndex into, long offset, List<IndexedField> ofType, int from) throws IOException {
        int type = ofType.getFirst().type();
        EntityColumn rows = new EntityColumn();
        try (Piece piece = new Piece();
                GraphView view = piece.session.view(new ReadPoint(0, offset));
                GraphView.Scan scan =
                        new TypeScan(piece.access, new Chain(new int[] {0}, new long[] {offset}), type, from)) {
            int next = from;
            for (int number = 0; number < PIECE; ) {
                int size = scan.next(rows);
                if (size == 0) {
                    return -1;
                }
                put(into, view, ofType, rows, size, true);
                next = rows.ordinals[size - 1] + 1;
                number += size;
            }
            return next;
        }
    }

    private static void put(
            OwnIndex into, GraphView view, List<IndexedField> ofType, EntityColumn rows, int size, boolean isNew)
            throws IOException {
        List<Column> columns = new ArrayList<>();
        for (IndexedField field : ofType) {
            Column values = field.column();
            view.read(field.property().identity(), rows, size, values);
            columns.add(values);
        }
        for (int row = 0; row < size; row++) {
            into.put(ofType, rows.ordinals[row], columns, row, isNew);
        }
    }

    /**
     * Changes of the branch.
     *
     * @param entities type and ordinal of each, ascending
     * @param through the last offset of which they are
     */
    record Changes(long[] entities, long through) {}

    /** The changes after an offset; null when they are not known any more, so that the index must be rebuilt. */
    @Nullable
    Changes changes(long after, long applied) {
        try (Piece piece = new Piece()) {
            ArrivalTable.State state = ArrivalTable.state(piece.access);
            if (state == null) {
                return new Changes(new long[0], applied);
            }
            if (after < applied && (after < state.from() || (incarnation == 0 && after < state.cut()))) {
                return null;
            }
            Collected collected = new Collected();
            ArrivalTable.walk(piece.access, incarnation, after, applied, collected);
            long through = collected.isCut ? collected.last : applied;
            long[] entities = Arrays.stream(collected.entities, 0, collected.size)
                    .sorted()
                    .distinct()
                    .toArray();
            return collected.hasGap ? null : new Changes(entities, through);
        }
    }

    private static final class Collected implements ArrivalTable.Sink {
        private long[] entities = new long[64];
        private int size;
        private long last = -1;
        private boolean isCut;
        private boolean hasGap;

        @Override
        public boolean take(long offset, int type, int ordinal) {
            if (size >= CHANGES_MAX && offset > last) {
                isCut = true;
                return false;
            }
            if (type == ArrivalTable.GAP) {
                hasGap = true;
                return false;
            }
            if (size == entities.length) {
                entities = Arrays.copyOf(entities, 2 * size);
            }
            entities[size++] = (long) type << Integer.SIZE | ordinal;
            last = offset;
            return true;
        }
    }

    /** Makes changes in an index, as the state at their offset has the entities. */
    void apply(OwnIndex into, Changes changes) throws IOException {
        long[] entities = changes.entities();
        for (int from = 0; from < entities.length; ) {
            int to = Math.min(entities.length, from + Column.CAPACITY);
            int type = (int) (entities[from] >> Integer.SIZE);
            while ((int) (entities[to - 1] >> Integer.SIZE) != type) {
                to--;
            }
            apply(into, changes, type, from, to);
            from = to;
        }
    }

    private void apply(OwnIndex into, Changes changes, int type, int from, int to) throws IOException {
        List<IndexedField> ofType =
                into.fields().stream().filter(field -> field.type() == type).toList();
        if (ofType.isEmpty()) {
            return;
        }
        EntityColumn rows = new EntityColumn();
        try (Piece piece = new Piece();
                GraphView view = piece.session.view(new ReadPoint(incarnation, changes.through()))) {
            rows.reset(Column.CAPACITY);
            int size = 0;
            long bytes = 0;
            for (int i = from; i < to; i++) {
                int ordinal = (int) changes.entities()[i];
                if (!view.isLive(type, ordinal)) {
                    into.delete(type, ordinal);
                    continue;
                }
                rows.set(size++, type, ordinal, EntityColumn.NO_RECORD);
                bytes += view.imageBytes(type, ordinal);
                if (bytes > BATCH_BYTES) {
                    put(into, view, ofType, rows, size, false);
                    rows.reset(Column.CAPACITY);
                    size = 0;
                    bytes = 0;
                }
            }
            put(into, view, ofType, rows, size, false);
        }
    }
}
