package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.error.ServiceException;
import service.core.port.BlockGauges;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RetentionPolicy;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.testkit.GeneratedHistory;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.Direction;
import service.projection.TestGraph;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/**
 * Random histories with branches, fast-forwards, deletes, cleanups and restarts. After each piece of the history random
 * points are read twice, once with blocks and once from the tables alone, and both give the same rows.
 *
 * <p>Blocks are wanted after the first row, so they appear, are replaced and, with little memory, are dropped while the
 * reads run. {@code -Dservice.pieces=n} makes longer histories.
 */
class BlocksEqualTablesTest {
    private static final int PIECES = Integer.getInteger("service.pieces", 12);
    private static final int POINTS = 4;

    @TempDir
    Path temporary;

    @ParameterizedTest
    @ValueSource(ints = {3_000, 1 << 26})
    void everyViewShowsTheSameWithBlocksAsWithout(int bytes, @Seed long seed) {
        Random random = new Random(seed + bytes);
        ResidentMemory memory = new ResidentMemory(bytes, 0);
        StorageOptions options = TestGraph.options().withResident(memory);
        Path directory = temporary.resolve("graph");
        LmdbGraphStorage storage = LmdbGraphStorage.create(directory, options, SmallGraph.SCHEMA, "tester");
        try {
            GeneratedHistory history = new GeneratedHistory(seed, storage, 4);
            for (int piece = 0; piece < PIECES; piece++) {
                history.run(1 + random.nextInt(12), 2);
                if (random.nextInt(8) == 0) {
                    storage.cleanup().run(new RetentionPolicy(1L + random.nextInt(15), null), Duration.ZERO);
                }
                List<ReadPoint> points = points(storage, history);
                for (int i = 0; i < POINTS; i++) {
                    compare(storage, points.get(random.nextInt(points.size())), random);
                }
                if (random.nextInt(3) == 0) {
                    long before = memory.gauges().built();
                    compare(storage, SmallGraph.branch(storage, "main").headPoint(), random);
                    if (bytes > 1 << 20 && before == 0) {
                        Awaitility.await().until(() -> memory.gauges().built() > 0);
                    }
                    compare(storage, SmallGraph.branch(storage, "main").headPoint(), random);
                }
            }
            BlockGauges gauges = memory.gauges();
            System.out.println("BlocksEqualTablesTest: " + gauges);
            assertThat(gauges.bytes()).isBetween(0L, gauges.bytesMax());
            assertThat(gauges.built()).isPositive();
            assertThat(gauges.fromBlocks()).isPositive();
        } finally {
            storage.close();
        }
        // A thread that was making a block gives its memory back after the graph is closed.
        Awaitility.await().until(() -> memory.gauges().bytes() == 0);
        try (LmdbGraphStorage again = LmdbGraphStorage.open(directory, options)) {
            for (int i = 0; i < 2 * POINTS; i++) {
                compare(again, SmallGraph.branch(again, "main").headPoint(), random);
            }
        }
    }

    private static List<ReadPoint> points(LmdbGraphStorage storage, GeneratedHistory history) {
        List<ReadPoint> points = new ArrayList<>(history.copies.keySet());
        try (GraphSession session = storage.session()) {
            for (Branch branch : session.branches()) {
                for (int twice = 0; twice < 8; twice++) {
                    points.add(branch.headPoint());
                }
            }
        }
        return points;
    }

    @SuppressWarnings("MustBeClosedChecker") // the views are closed here, or are refused
    private static void compare(LmdbGraphStorage storage, ReadPoint point, Random random) {
        Sessions sessions =
                new Sessions(storage.environment(), storage.events(), TestGraph.CATALOGS, ViewSource.TABLES);
        try (GraphSession with = storage.session();
                GraphSession without = sessions.reading()) {
            GraphView tables;
            try {
                tables = without.view(point);
            } catch (ServiceException e) {
                assertThatThrownBy(() -> with.view(point).close()).isInstanceOf(ServiceException.class);
                return;
            }
            try (tables;
                    GraphView blocks = with.view(point)) {
                for (int round = 0; round < 2; round++) {
                    for (int type : SmallGraph.TYPES) {
                        assertThat(rows(blocks, type, random.nextBoolean()))
                                .as("type %d at %s", type, point)
                                .isEqualTo(rows(tables, type, true));
                    }
                    for (EntityType.EdgeType type : tables.catalog().edges()) {
                        compareNeighbours(blocks, tables, type, random);
                    }
                }
            }
        }
    }

    /** The live entities of a type with their properties, as texts. */
    private static List<String> rows(GraphView view, int type, boolean handles) {
        List<String> rows = new ArrayList<>();
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = view.scan(type)) {
            for (int n = scan.next(found); n > 0; n = scan.next(found)) {
                List<Column> columns = new ArrayList<>();
                for (Property property : view.catalog().requireType(type).properties()) {
                    if (!handles) {
                        java.util.Arrays.fill(found.records, 0, n, EntityColumn.NO_RECORD);
                    }
                    Column column = GraphView.columnFor(property.type());
                    view.read(property.identity(), found, n, column);
                    columns.add(column);
                }
                for (int i = 0; i < n; i++) {
                    StringBuilder row = new StringBuilder().append(found.ordinals[i]);
                    for (Column column : columns) {
                        row.append(' ').append(column.isNull(i) ? "null" : value(column, i));
                    }
                    rows.add(row.toString());
                }
            }
        }
        return rows;
    }

    private static Object value(Column column, int row) {
        return switch (column) {
            case LongColumn c -> c.values[row];
            case DoubleColumn c -> c.values[row];
            case BoolColumn c -> c.values[row];
            case TextColumn c -> c.text(row);
            default -> throw new IllegalArgumentException("unexpected " + column);
        };
    }

    private static void compareNeighbours(GraphView blocks, GraphView tables, EntityType.EdgeType type, Random random) {
        for (Direction direction : List.of(Direction.OUT, Direction.IN)) {
            int near = direction == Direction.OUT ? type.source() : type.destination();
            int bound = tables.ordinalBound(near);
            EntityColumn nodes = new EntityColumn();
            int size = Math.min(Column.CAPACITY, 2 * bound + 2);
            nodes.reset(size);
            for (int i = 0; i < size; i++) {
                if (random.nextInt(10) == 0) {
                    nodes.setNull(i);
                } else {
                    boolean other = random.nextInt(10) == 0;
                    nodes.set(i, other ? 999 : near, random.nextInt(bound + 2), EntityColumn.NO_RECORD);
                }
            }
            int skipAt = random.nextBoolean() ? 1 + random.nextInt(20) : 0;
            List<String> expected = neighbours(tables, type.identity(), direction, nodes, size, 0);
            assertThat(neighbours(blocks, type.identity(), direction, nodes, size, 0))
                    .isEqualTo(expected);
            assertThat(expected).containsAll(neighbours(blocks, type.identity(), direction, nodes, size, skipAt));
            for (boolean distinct : new boolean[] {false, true}) {
                int[] degrees = new int[size];
                if (blocks.degrees(type.identity(), direction, distinct, nodes, size, degrees)) {
                    int[] counted = new int[size];
                    expected.stream()
                            .map(line -> distinct ? line.substring(0, line.lastIndexOf(' ')) : line)
                            .distinct()
                            .forEach(line -> counted[Integer.parseInt(line.substring(0, line.indexOf(' ')))]++);
                    for (int i = 0; i < size; i++) {
                        assertThat(degrees[i]).isIn(-1, counted[i]);
                    }
                }
            }
        }
    }

    /** Lines of input row, neighbour and edge; leaves each batch's last row after its first batches when asked to. */
    private static List<String> neighbours(
            GraphView view, int edgeType, Direction direction, EntityColumn nodes, int size, int skipAt) {
        List<String> lines = new ArrayList<>();
        ExpandBatch found = new ExpandBatch();
        try (GraphView.Expansion expansion = view.expand(edgeType, direction, nodes, size)) {
            for (int batch = 1; expansion.next(found); batch++) {
                for (int i = 0; i < found.size; i++) {
                    lines.add(found.inputRows[i] + " " + found.neighbours[i] + " " + found.edges[i]);
                }
                if (batch == skipAt) {
                    expansion.skipRow();
                }
            }
        }
        return lines;
    }
}
