package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.RoundedVector;
import service.core.value.Value;
import service.projection.TestGraph;
import service.projection.search.Scores;
import service.projection.storage.LmdbGraphStorage;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/** Compares all that two views of one point show, where one of them may read blocks. */
final class ViewRows {
    private final GraphView blocks;
    private final GraphView tables;
    private final Random random;

    /** Runs between two batches of the view that may read blocks. */
    private final Runnable between;

    ViewRows(GraphView blocks, GraphView tables, Random random, Runnable between) {
        this.blocks = blocks;
        this.tables = tables;
        this.random = random;
        this.between = between;
    }

    /** Compares the head of a branch as the storage shows it with what the tables alone show. */
    static void compareHead(LmdbGraphStorage graph, String branch, Random random) {
        Sessions sessions = new Sessions(graph.environment(), graph.events(), TestGraph.CATALOGS, ViewSource.TABLES);
        try (GraphSession with = graph.session();
                GraphSession without = sessions.reading()) {
            // The session without blocks began later, so it has the point.
            ReadPoint point = Objects.requireNonNull(with.branch(branch)).headPoint();
            try (GraphView tables = without.view(point);
                    GraphView blocks = with.view(point)) {
                new ViewRows(blocks, tables, random, () -> {}).compare();
            }
        }
    }

    void compare() {
        List<EntityType> types = new ArrayList<>(tables.catalog().nodes());
        types.addAll(tables.catalog().edges());
        for (EntityType type : types) {
            List<Integer> live = new ArrayList<>();
            List<String> expected = rows(tables, type, live, ViewRows::nothing);
            assertThat(rows(blocks, type, new ArrayList<>(), between))
                    .as("%s at %s", type.name(), tables.point())
                    .isEqualTo(expected);
            compareSample(type, live);
            compareIds(type, live);
        }
        for (EntityType.EdgeType type : tables.catalog().edges()) {
            for (Direction direction : Direction.values()) {
                compareNeighbours(type, direction);
            }
        }
    }

    /** The live entities of a type with their properties, as texts. */
    private List<String> rows(GraphView view, EntityType type, List<Integer> live, Runnable pause) {
        List<String> rows = new ArrayList<>();
        EntityColumn found = new EntityColumn();
        boolean handles = random.nextBoolean();
        try (GraphView.Scan scan = view.scan(type.identity())) {
            for (int n = scan.next(found); n > 0; n = scan.next(found)) {
                if (!handles) {
                    Arrays.fill(found.records, 0, n, EntityColumn.NO_RECORD);
                }
                rows.addAll(values(view, type, found, n, pause));
                for (int i = 0; i < n; i++) {
                    live.add(found.ordinals[i]);
                }
            }
        }
        return rows;
    }

    /** Reads of live entities in any order, with nulls and repeated ones between. */
    private void compareSample(EntityType type, List<Integer> live) {
        if (live.isEmpty()) {
            return;
        }
        int size = 1 + random.nextInt(Math.min(Column.CAPACITY, 2 * live.size()));
        EntityColumn nodes = new EntityColumn();
        nodes.reset(size);
        EntityColumn same = new EntityColumn();
        same.reset(size);
        for (int i = 0; i < size; i++) {
            if (random.nextInt(8) == 0) {
                nodes.setNull(i);
                same.setNull(i);
            } else {
                int ordinal = live.get(random.nextInt(live.size()));
                nodes.set(i, type.identity(), ordinal, EntityColumn.NO_RECORD);
                same.set(i, type.identity(), ordinal, EntityColumn.NO_RECORD);
            }
        }
        assertThat(values(blocks, type, nodes, size, between))
                .as("%s at %s", type.name(), tables.point())
                .isEqualTo(values(tables, type, same, size, ViewRows::nothing));
    }

    /** Looks up ids of entities that are live, were deleted, or are on other branches only. */
    private void compareIds(EntityType type, List<Integer> live) {
        // The session of the tables may have begun after a commit that the one of the blocks does not see.
        int bound = Math.min(tables.ordinalBound(type.identity()), blocks.ordinalBound(type.identity()));
        for (int i = 0; i < 20 && bound > 0; i++) {
            int ordinal = random.nextInt(bound);
            boolean isLive = live.contains(ordinal);
            String where = type.name() + " " + ordinal + " at " + tables.point();
            between.run();
            assertThat(blocks.isLive(type.identity(), ordinal)).as(where).isEqualTo(isLive);
            String id = tables.id(type.identity(), ordinal);
            between.run();
            assertThat(blocks.ordinal(type.identity(), id)).as(where).isEqualTo(ordinal);
            assertThat(blocks.lookup(type.identity(), id)).as(where).isEqualTo(isLive ? ordinal : -1);
        }
        assertThat(blocks.lookup(type.identity(), "no such id")).isEqualTo(-1);
    }

    private static List<String> values(
            GraphView view, EntityType type, EntityColumn entities, int size, Runnable pause) {
        List<Column> columns = new ArrayList<>();
        for (Property property : type.properties()) {
            pause.run();
            Column column = GraphView.columnFor(property.type());
            view.read(property.identity(), entities, size, column);
            columns.add(column);
            if (property.type() instanceof PropertyType.VectorOf) {
                GraphView.Vectors vectors = view.vectors(type.identity(), property.identity(), entities, size);
                for (int i = 0; vectors != null && i < size; i++) {
                    if (!entities.isNull(i) && vectors.knows(entities.ordinals[i])) {
                        assertSame(vectors, entities.ordinals[i], column.isNull(i) ? Value.NULL : column.value(i));
                    }
                }
            }
        }
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            StringBuilder row = new StringBuilder(entities.isNull(i) ? "null" : "" + entities.ordinals[i]);
            for (Column column : columns) {
                row.append(' ').append(column.isNull(i) ? "null" : value(column, i));
            }
            rows.add(row.toString());
        }
        return rows;
    }

    private static void assertSame(GraphView.Vectors vectors, int ordinal, Value expected) {
        float[] items = vectors.items(ordinal);
        assertThat(items == null ? Value.NULL : new Value.Vector(items)).isEqualTo(expected);
        RoundedVector rounded = vectors.rounded(ordinal);
        assertThat(rounded == null ? null : rounded.words())
                .isEqualTo(items == null ? null : RoundedVector.of(items).words());
        assertThat(vectors.square(ordinal)).isEqualTo(items == null ? 0 : Scores.square(items));
    }

    private static Object value(Column column, int row) {
        return switch (column) {
            case LongColumn c -> c.values[row];
            case DoubleColumn c -> c.values[row];
            case BoolColumn c -> c.values[row];
            case TextColumn c -> c.text(row);
            case ValueColumn c ->
                c.values[row] instanceof Value.Vector(float[] items) ? Arrays.toString(items) : c.values[row];
            case EntityColumn ignored -> throw new IllegalArgumentException("a property is not an entity");
        };
    }

    private void compareNeighbours(EntityType.EdgeType type, Direction direction) {
        int near = type.near(direction).first();
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
        assertThat(withoutEdges(blocks, type.identity(), direction, nodes, size))
                .isEqualTo(withoutEdges(tables, type.identity(), direction, nodes, size));
        int skipAt = random.nextBoolean() ? 1 + random.nextInt(20) : 0;
        List<String> expected = neighbours(tables, type.identity(), direction, nodes, size, 0, ViewRows::nothing);
        String where = type.name() + " " + direction + " at " + tables.point();
        assertThat(neighbours(blocks, type.identity(), direction, nodes, size, 0, between))
                .as(where)
                .isEqualTo(expected);
        assertThat(expected)
                .as(where)
                .containsAll(neighbours(blocks, type.identity(), direction, nodes, size, skipAt, between));
        compareEdgesTo(type, direction, nodes, size, expected);
        for (boolean distinct : new boolean[] {false, true}) {
            int[] degrees = new int[size];
            if (blocks.degrees(type.identity(), direction, distinct, nodes, size, degrees)) {
                int[] counted = new int[size];
                String last = "";
                for (String line : expected) {
                    String pair = line.substring(0, line.lastIndexOf(' '));
                    if (!distinct || !pair.equals(last)) {
                        counted[Integer.parseInt(line.substring(0, line.indexOf(' ')))]++;
                    }
                    last = pair;
                }
                for (int i = 0; i < size; i++) {
                    counted[i] = degrees[i] < 0 ? degrees[i] : counted[i];
                }
                assertThat(degrees).as(where).isEqualTo(counted);
            }
        }
    }

    /** @param all lines of the neighbours of the nodes */
    private void compareEdgesTo(
            EntityType.EdgeType type, Direction direction, EntityColumn nodes, int size, List<String> all) {
        int far = type.far(direction).first();
        EntityColumn ends = new EntityColumn();
        ends.reset(size);
        for (int i = 0; i < size; i++) {
            boolean other = random.nextInt(10) == 0;
            ends.set(i, other ? 999 : far, random.nextInt(tables.ordinalBound(far) + 2), EntityColumn.NO_RECORD);
        }
        for (String line : all) {
            String[] words = line.split(" ", -1);
            if (random.nextBoolean()) {
                ends.set(Integer.parseInt(words[0]), far, Integer.parseInt(words[1]), EntityColumn.NO_RECORD);
            }
        }
        for (int i = 0; i < size; i++) {
            if (random.nextInt(10) == 0) {
                ends.setNull(i);
            }
        }
        List<String> expected = all.stream()
                .filter(line -> {
                    String[] words = line.split(" ", -1);
                    int row = Integer.parseInt(words[0]);
                    return !ends.isNull(row)
                            && ends.types[row] == far
                            && ends.ordinals[row] == Integer.parseInt(words[1]);
                })
                .toList();
        String where = type.name() + " " + direction + " to one node at " + tables.point();
        try (GraphView.Expansion ofTables = tables.expandTo(type.identity(), direction, nodes, ends, size)) {
            assertThat(lines(ofTables, 0, ViewRows::nothing)).as(where).isEqualTo(expected);
        }
        try (GraphView.Expansion ofBlocks = blocks.expandTo(type.identity(), direction, nodes, ends, size)) {
            assertThat(lines(ofBlocks, 0, between)).as(where).isEqualTo(expected);
        }
    }

    /** Lines of input row, neighbour and edge; leaves the last row of a batch when asked to. */
    private static List<String> neighbours(
            GraphView view,
            int edgeType,
            Direction direction,
            EntityColumn nodes,
            int size,
            int skipAt,
            Runnable pause) {
        try (GraphView.Expansion expansion = view.expand(edgeType, direction, nodes, size)) {
            return lines(expansion, skipAt, pause);
        }
    }

    /** Lines of input row and neighbour. */
    private static List<String> withoutEdges(
            GraphView view, int edgeType, Direction direction, EntityColumn nodes, int size) {
        try (GraphView.Expansion expansion = view.expand(edgeType, direction, nodes, size)) {
            return lines(expansion, new ExpandBatch(false), 0, ViewRows::nothing);
        }
    }

    private static List<String> lines(GraphView.Expansion expansion, int skipAt, Runnable pause) {
        return lines(expansion, new ExpandBatch(), skipAt, pause);
    }

    private static List<String> lines(GraphView.Expansion expansion, ExpandBatch found, int skipAt, Runnable pause) {
        List<String> lines = new ArrayList<>();
        for (int batch = 1; expansion.next(found); batch++) {
            for (int i = 0; i < found.size; i++) {
                String edge = found.withEdges ? " " + found.edges[i] : "";
                lines.add(found.inputRows[i] + " " + found.neighbours[i] + edge);
            }
            if (batch == skipAt) {
                expansion.skipRow();
            }
            pause.run();
        }
        return lines;
    }

    private static void nothing() {}
}
