package service.projection;

import static service.projection.TestGraph.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.LongColumn;
import service.core.event.ChangeBlock;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Image;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.WriteCommand;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.Ulid;
import service.core.value.Value;
import service.log.lmdb.CommitHook;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;
import service.projection.apply.CatchUp;
import service.projection.storage.LmdbGraphStorage;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/**
 * The tables against bare LMDB cursors and puts: {@code TableMeasure <directory> [nodes] [edges per node]}. Prints one
 * line a case: rate, floor, ratio.
 */
@SuppressWarnings("SystemOut")
public final class TableMeasure {
    private static final int ROUNDS = 7;
    private static final int BATCH = 50_000;
    private static long sink;

    private TableMeasure() {}

    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createTempDirectory(Path.of(arguments[0]), "measure-");
        int nodes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 500_000;
        int degree = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 4;
        try (LmdbGraphStorage storage = LmdbGraphStorage.create(
                directory.resolve("graph"),
                service.projection.storage.StorageOptions.defaults(CATALOGS).withCheckpointEvents(0),
                SCHEMA,
                null)) {
            long start = System.nanoTime();
            load(storage, nodes, degree);
            rate("load through the writer, changes", nodes * (1L + degree), System.nanoTime() - start, 0);
            writes(storage, 60_000, 64);
            writes(storage, 3_000, 1);
            reads(storage);
            replay(storage, directory, nodes * (1L + degree));
        }
        System.out.println("checksum " + sink);
        long start = System.nanoTime();
        LmdbGraphStorage.open(
                        directory.resolve("graph"),
                        service.projection.storage.StorageOptions.defaults(CATALOGS)
                                .withCheckpointEvents(0))
                .close();
        System.out.printf("open and close after a clean stop: %d ms%n", (System.nanoTime() - start) / 1_000_000);
    }

    private static void load(LmdbGraphStorage storage, int nodes, int degree) {
        Random random = new Random(1);
        List<EntityChange> changes = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            PropertyRow row = PropertyRow.of(Map.of(
                    NAME, new Value.Text("name " + random.nextInt(1000)),
                    AGE, new Value.Int(random.nextInt(100)),
                    SCORE, new Value.Real(random.nextDouble())));
            changes.add(new EntityChange(EntityKind.NODE, PERSON, "person-" + i, null, Image.ofNode(row)));
            flush(storage, changes, BATCH);
        }
        flush(storage, changes, 1);
        Ulid id = Ulid.of(1_700_000_000_000L, 1, 1);
        for (long i = 0; i < (long) nodes * degree; i++) {
            id = id.next();
            String from = "person-" + random.nextInt(nodes);
            String to = "person-" + random.nextInt(nodes);
            PropertyRow row = PropertyRow.of(Map.of(SINCE, new Value.Date(random.nextInt(10_000))));
            changes.add(new EntityChange(EntityKind.EDGE, KNOWS, id.toString(), null, Image.ofEdge(row, from, to)));
            flush(storage, changes, BATCH);
        }
        flush(storage, changes, 1);
    }

    private static void flush(LmdbGraphStorage storage, List<EntityChange> changes, int least) {
        if (changes.size() >= least && !changes.isEmpty()) {
            commit(storage.log(), main(storage), List.copyOf(changes));
            changes.clear();
        }
    }

    private static Branch main(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return Objects.requireNonNull(session.branch("main"));
        }
    }

    /** Single inserts, so many in flight. */
    private static void writes(LmdbGraphStorage storage, int count, int inFlight) {
        Semaphore room = new Semaphore(inFlight);
        String prefix = "w" + inFlight + "-";
        PropertyRow row = PropertyRow.of(Map.of(NAME, new Value.Text("written"), AGE, new Value.Int(1)));
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            room.acquireUninterruptibly();
            EntityChange change = new EntityChange(EntityKind.NODE, PERSON, prefix + i, null, Image.ofNode(row));
            var unused = storage.log()
                    .<Long>submit(session -> {
                        Branch head = Objects.requireNonNull(session.branch("main"));
                        return new WriteCommand.Decision.Append<>(
                                new WriteCommand.Draft.Commit(
                                        CommitKind.MUTATION,
                                        head,
                                        null,
                                        null,
                                        null,
                                        null,
                                        ChangeBlock.of(List.of(change))),
                                Event::offset);
                    })
                    .whenComplete((offset, failure) -> room.release());
        }
        room.acquireUninterruptibly(inFlight);
        rate("single inserts, " + inFlight + " in flight", count, System.nanoTime() - start, 0);
    }

    private static void reads(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(main(storage).headPoint());
                ReadTransaction read = storage.environment().environment().read()) {
            TableAccess access = storage.environment().access(read);
            long bareScan = median(() -> bare(access, ProjectionTable.RECORDS, view.count(PERSON)));
            long scan = median(() -> scan(view));
            rate("scan, filter, group, count (P6), rows", view.count(PERSON), scan, bareScan);
            long edges = view.count(KNOWS);
            long bareOut = median(() -> bareByNode(access, view));
            long expand = median(() -> expand(view, true));
            rate("expand in the order of nodes (P5), edges", edges, expand, bareOut);
            long bareRandom = median(() -> bareRandom(access, view));
            long random = median(() -> expand(view, false));
            rate(
                    "expand from random nodes (P5), edges",
                    100_000 * edges / Math.max(1, view.count(PERSON)),
                    random,
                    bareRandom);
        }
    }

    private static long bare(TableAccess access, ProjectionTable table, long entries) {
        Cursor<DirectBuffer> cursor = access.cursor(table);
        long sum = 0;
        long left = entries;
        for (boolean found = cursor.first(); found && left > 0; found = cursor.next(), left--) {
            sum += cursor.key().capacity();
        }
        access.release(table, cursor);
        return sum;
    }

    private static long bareByNode(TableAccess access, GraphView view) {
        return bare(access, ProjectionTable.OUT, view.count(KNOWS));
    }

    private static long bareRandom(TableAccess access, GraphView view) {
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.OUT);
        Random random = new Random(3);
        int bound = view.ordinalBound(PERSON);
        long sum = 0;
        for (int i = 0; i < 100_000; i++) {
            int node = random.nextInt(bound);
            DirectBuffer key = access.key().putInt(KNOWS).putInt(node).written();
            boolean found = cursor.get(key, org.lmdbjava.GetOp.MDB_SET_RANGE);
            while (found && cursor.key().getInt(4, java.nio.ByteOrder.BIG_ENDIAN) == node) {
                sum++;
                found = cursor.next();
            }
        }
        access.release(ProjectionTable.OUT, cursor);
        return sum;
    }

    private static long scan(GraphView view) {
        EntityColumn rows = new EntityColumn();
        LongColumn ages = (LongColumn) GraphView.columnFor(PropertyType.I64);
        long[] groups = new long[128];
        try (GraphView.Scan scan = view.scan(PERSON)) {
            for (int size = scan.next(rows); size > 0; size = scan.next(rows)) {
                view.read(AGE, rows, size, ages);
                for (int i = 0; i < size; i++) {
                    if (!ages.isNull(i) && ages.values[i] >= 30) {
                        groups[(int) ages.values[i]]++;
                    }
                }
            }
        }
        return groups[50];
    }

    private static long expand(GraphView view, boolean ascending) {
        EntityColumn rows = new EntityColumn();
        ExpandBatch batch = new ExpandBatch();
        Random random = new Random(3);
        int bound = view.ordinalBound(PERSON);
        int inputs = ascending ? bound : 100_000;
        long sum = 0;
        for (int at = 0; at < inputs; at += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, inputs - at);
            for (int i = 0; i < size; i++) {
                rows.set(i, PERSON, ascending ? at + i : random.nextInt(bound), EntityColumn.NO_RECORD);
            }
            try (GraphView.Expansion expansion = view.expand(KNOWS, Direction.OUT, rows, size)) {
                while (expansion.next(batch)) {
                    sum += batch.size;
                }
            }
        }
        return sum;
    }

    private static void replay(LmdbGraphStorage storage, Path directory, long changes) {
        long[] times = new long[3];
        for (int round = 0; round < times.length; round++) {
            try (ProjectionEnvironment again = ProjectionEnvironment.open(
                    directory.resolve("again-" + round), service.log.lmdb.LmdbOptions.unsynced(), CommitHook.NONE)) {
                long start = System.nanoTime();
                new CatchUp(storage.events(), again, CATALOGS)
                        .run(storage.events().tail().offset(), offset -> {});
                times[round] = System.nanoTime() - start;
            }
        }
        long floor = barePuts(storage, directory);
        Arrays.sort(times);
        rate("replay (P13), changes", changes, times[1], floor);
    }

    /** The same entries put sorted, 100,000 a transaction. */
    private static long barePuts(LmdbGraphStorage storage, Path directory) {
        try (ProjectionEnvironment bare = ProjectionEnvironment.open(
                        directory.resolve("bare"), service.log.lmdb.LmdbOptions.unsynced(), CommitHook.NONE);
                ReadTransaction read = storage.environment().environment().read()) {
            TableAccess from = storage.environment().access(read);
            long start = System.nanoTime();
            for (ProjectionTable table : ProjectionTable.values()) {
                Cursor<DirectBuffer> source = from.cursor(table);
                boolean found = source.first();
                while (found) {
                    try (WriteTransaction write = bare.environment().write()) {
                        TableAccess to = bare.access(write);
                        Cursor<DirectBuffer> target = to.cursor(table);
                        for (int i = 0; found && i < 100_000; i++, found = source.next()) {
                            target.put(source.key(), source.val());
                        }
                        to.release(table, target);
                        to.end();
                        write.commit();
                    }
                }
                from.release(table, source);
            }
            return System.nanoTime() - start;
        }
    }

    private static long median(LongSupplier run) {
        long[] times = new long[ROUNDS];
        for (int i = -3; i < ROUNDS; i++) {
            long start = System.nanoTime();
            sink += run.getAsLong();
            if (i >= 0) {
                times[i] = System.nanoTime() - start;
            }
        }
        Arrays.sort(times);
        return times[ROUNDS / 2];
    }

    private static void rate(String what, long units, long nanos, long floorNanos) {
        System.out.printf(
                "%-45s %,12.0f/s  floor %,12.0f/s  ratio %.2f%n",
                what, units * 1e9 / nanos, floorNanos == 0 ? 0 : units * 1e9 / floorNanos, (double) floorNanos / nanos);
    }
}
