package service.core.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.event.Image;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.port.ReadPoint;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Lane;
import service.core.value.Direction;
import service.core.value.Value;
import service.core.value.ValueOrder;

/** The simplest view that keeps the contract of {@link GraphView}. One thread. */
public final class HeapView implements GraphView {
    private final HeapGraph graph;

    private final ReadPoint point;

    /** Rows of one batch of a cursor: few, so that batches end within inputs. */
    private final int step;

    private final Map<List<String>, Dictionary> dictionaries = new HashMap<>();

    /** Added to {@link #ordinalBound}, for ordinals of entities that are not in the graph any more. */
    public int ordinalsGone;

    /** The answers of {@link #distinctValues}, by property; 0 for others. */
    public final Map<Integer, Long> distinctValues = new HashMap<>();

    /** The number of rows from scans and seeks so far. */
    public int scanned;

    /** The number of calls of {@link #seek} so far. */
    public int sought;

    public HeapView(HeapGraph graph, int step) {
        this(graph, new ReadPoint(0, 0), step);
    }

    HeapView(HeapGraph graph, ReadPoint point, int step) {
        this.graph = graph;
        this.point = point;
        this.step = step;
    }

    @Override
    public Catalog catalog() {
        return graph.catalog;
    }

    @Override
    public ReadPoint point() {
        return point;
    }

    @Override
    public long count(int type) {
        if (Lane.isOther(type)) {
            Lane lane = graph.catalog.lane(type);
            return graph.live(lane.edgeType()).stream()
                    .filter(edge -> edge.sourceType == lane.source() && edge.destinationType == lane.destination())
                    .count();
        }
        return graph.live(type).size();
    }

    @Override
    public int ordinalBound(int type) {
        return graph.all(type).size() + ordinalsGone;
    }

    @Override
    public int ordinal(int type, String id) {
        HeapGraph.Entity entity = graph.find(type, id);
        return entity == null ? -1 : entity.ordinal;
    }

    @Override
    public int lookup(int type, String id) {
        HeapGraph.Entity entity = graph.find(type, id);
        return entity != null && entity.live ? entity.ordinal : -1;
    }

    @Override
    public String id(int type, int ordinal) {
        return graph.all(type).get(ordinal).id;
    }

    @Override
    public void ids(EntityColumn rows, int size, Column into) {
        into.reset(size);
        for (int row = 0; row < size; row++) {
            if (rows.isNull(row)) {
                into.setNull(row);
            } else {
                ((TextColumn) into).set(row, id(rows.types[row], rows.ordinals[row]));
            }
        }
    }

    @Override
    public boolean isLive(int type, int ordinal) {
        return graph.all(type).get(ordinal).live;
    }

    @Override
    public Scan scan(int type) {
        return cursor(graph.live(type).iterator());
    }

    @Override
    public Scan scan(int type, int from) {
        return cursor(graph.live(type).stream()
                .filter(entity -> entity.ordinal >= from)
                .iterator());
    }

    @Override
    public Scan scanById(int type, @Nullable String after) {
        return cursor(graph.live(type).stream()
                .filter(entity -> after == null || ValueOrder.compareText(entity.id, after) > 0)
                .sorted((left, right) -> ValueOrder.compareText(left.id, right.id))
                .iterator());
    }

    private Scan cursor(Iterator<HeapGraph.Entity> entities) {
        return new Scan() {
            @Override
            public int next(EntityColumn into) {
                into.reset();
                int n = 0;
                while (n < step && entities.hasNext()) {
                    HeapGraph.Entity entity = entities.next();
                    into.set(n++, entity.type, entity.ordinal, EntityColumn.NO_RECORD);
                    scanned++;
                }
                return n;
            }

            @Override
            public void close() {}
        };
    }

    private IndexDefinition index(int identity) {
        List<EntityType> types = new ArrayList<>(graph.catalog.nodes());
        types.addAll(graph.catalog.edges());
        for (EntityType type : types) {
            for (IndexDefinition index : type.indexes()) {
                if (index.identity() == identity) {
                    return index;
                }
            }
        }
        throw new IllegalArgumentException("no index " + identity);
    }

    @Override
    public Scan seek(IndexRange range) {
        sought++;
        IndexDefinition index = index(range.index());
        List<Keyed> found = new ArrayList<>();
        for (HeapGraph.Entity entity : graph.live(index.typeIdentity())) {
            boolean in = index.members().stream().noneMatch(m -> entity.get(m).equals(Value.NULL));
            for (int i = 0; in && i < range.equal().size(); i++) {
                in = entity.get(index.members().get(i)).equals(range.equal().get(i));
            }
            if (in && range.equal().size() < index.members().size()) {
                in = inRange(range, entity.get(index.members().get(range.equal().size())));
            }
            if (in) {
                Value key = new Value.ListOf(
                        index.members().stream().map(entity::get).toList());
                found.add(new Keyed(entity, key));
            }
        }
        found.sort(Comparator.comparing(Keyed::key, ValueOrder::compare));
        return cursor(found.stream().map(Keyed::entity).iterator());
    }

    /** An entity with its key in an index. */
    private record Keyed(HeapGraph.Entity entity, Value key) {}

    private static boolean inRange(IndexRange range, Value value) {
        if (range.prefix() != null) {
            return ((Value.Text) value).value().startsWith(range.prefix());
        }
        if (range.low() != null) {
            int order = ValueOrder.compare(value, range.low());
            if (order < 0 || (order == 0 && !range.lowInclusive())) {
                return false;
            }
        }
        if (range.high() != null) {
            int order = ValueOrder.compare(value, range.high());
            return order < 0 || (order == 0 && range.highInclusive());
        }
        return true;
    }

    @Override
    public Expansion expand(int laneIdentity, Direction direction, EntityColumn nodes, int size) {
        Lane lane = graph.catalog.lane(laneIdentity);
        int nearType = lane.near(direction);
        Map<Integer, List<HeapGraph.Entity>> ofNear = new HashMap<>();
        for (HeapGraph.Entity edge : graph.live(lane.edgeType())) {
            if (edge.sourceType == lane.source() && edge.destinationType == lane.destination()) {
                int near = direction == Direction.OUT ? edge.source : edge.destination;
                ofNear.computeIfAbsent(near, ordinal -> new ArrayList<>()).add(edge);
            }
        }
        List<int[]> found = new ArrayList<>();
        for (int row = 0; row < size; row++) {
            if (nodes.isNull(row) || nodes.types[row] != nearType) {
                continue;
            }
            List<int[]> ofRow = new ArrayList<>();
            for (HeapGraph.Entity edge : ofNear.getOrDefault(nodes.ordinals[row], List.of())) {
                ofRow.add(new int[] {row, direction == Direction.OUT ? edge.destination : edge.source, edge.ordinal});
            }
            ofRow.sort(Comparator.comparingInt(e -> e[1]));
            found.addAll(ofRow);
        }
        return new Expansion() {
            private final java.util.ArrayDeque<int[]> rest = new java.util.ArrayDeque<>(found);
            private int lastRow = -1;

            @Override
            public void skipRow() {
                rest.removeIf(one -> one[0] == lastRow);
            }

            @Override
            public boolean next(ExpandBatch into) {
                into.size = 0;
                while (into.size < step && !rest.isEmpty()) {
                    int[] one = rest.remove();
                    lastRow = one[0];
                    into.inputRows[into.size] = one[0];
                    into.neighbours[into.size] = one[1];
                    if (into.withEdges) {
                        into.edges[into.size] = one[2];
                    }
                    into.size++;
                }
                return into.size > 0;
            }

            @Override
            public void close() {}
        };
    }

    /** Views with an even step count neighbours, but not those of every third node. */
    @Override
    public boolean degrees(int lane, Direction direction, boolean distinct, EntityColumn nodes, int size, int[] into) {
        if (step % 2 == 1) {
            return false;
        }
        EntityColumn one = new EntityColumn();
        ExpandBatch found = new ExpandBatch();
        for (int i = 0; i < size; i++) {
            into[i] = !nodes.isNull(i) && nodes.ordinals[i] % 3 == 2 ? -1 : 0;
            if (nodes.isNull(i) || into[i] < 0) {
                continue;
            }
            one.set(0, nodes.types[i], nodes.ordinals[i], EntityColumn.NO_RECORD);
            int last = -1;
            try (Expansion expansion = expand(lane, direction, one, 1)) {
                while (expansion.next(found)) {
                    for (int f = 0; f < found.size; f++) {
                        into[i] += distinct && found.neighbours[f] == last ? 0 : 1;
                        last = found.neighbours[f];
                    }
                }
            }
        }
        return true;
    }

    /** Views with an even step have the neighbours of all nodes as runs, but not those of every third node. */
    @Override
    public @Nullable Runs runs(int laneIdentity, Direction direction, int rows) {
        if (step % 2 == 1) {
            return null;
        }
        Lane lane = graph.catalog.lane(laneIdentity);
        int near = lane.near(direction);
        int bound = graph.all(near).size();
        if (!isQuick(bound)) {
            return null;
        }
        int[] starts = new int[bound + 1];
        int[] nodes = new int[graph.live(lane.edgeType()).size()];
        int size = 0;
        EntityColumn one = new EntityColumn();
        ExpandBatch found = new ExpandBatch();
        for (int node = 0; node < bound; node++) {
            one.set(0, near, node, EntityColumn.NO_RECORD);
            try (Expansion expansion = expand(laneIdentity, direction, one, 1)) {
                while (expansion.next(found)) {
                    System.arraycopy(found.neighbours, 0, nodes, size, found.size);
                    size += found.size;
                }
            }
            starts[node + 1] = size;
        }
        return new HeapRuns(starts, nodes);
    }

    /** Whether a pass over so many entities for each batch costs little. */
    private boolean isQuick(int entities) {
        return entities <= Math.max(16, step);
    }

    private record HeapRuns(int[] starts, int[] nodes) implements Runs {
        @Override
        public int start(int node) {
            return node % 3 == 2 ? -1 : starts[node];
        }

        @Override
        public int end(int node) {
            return starts[node + 1];
        }
    }

    @Override
    public void endpoints(EntityColumn edges, int size, EntityColumn sources, EntityColumn destinations) {
        sources.reset(size);
        destinations.reset(size);
        for (int row = 0; row < size; row++) {
            if (!edges.isNull(row)) {
                HeapGraph.Entity edge = graph.all(edges.types[row]).get(edges.ordinals[row]);
                sources.set(row, edge.sourceType, edge.source, EntityColumn.NO_RECORD);
                destinations.set(row, edge.destinationType, edge.destination, EntityColumn.NO_RECORD);
            }
        }
    }

    /** Views with an even step give texts as codes, unless the first row is that of a third entity. */
    @Override
    public void read(int property, EntityColumn rows, int size, Column into) {
        into.reset(size);
        if (into instanceof TextColumn texts
                && step % 2 == 0
                && size > 0
                && !rows.isNull(0)
                && isQuick(graph.all(rows.types[0]).size())
                && rows.ordinals[0] % 3 != 2) {
            readCodes(property, rows, size, texts);
            return;
        }
        for (int row = 0; row < size; row++) {
            if (rows.isNull(row)) {
                into.setNull(row);
            } else {
                HeapGraph.Entity entity = graph.all(rows.types[row]).get(rows.ordinals[row]);
                set(into, row, entity.get(property));
            }
        }
    }

    private void readCodes(int property, EntityColumn rows, int size, TextColumn into) {
        List<String> texts = graph.all(rows.types[0]).stream()
                .map(entity -> entity.get(property))
                .filter(Value.Text.class::isInstance)
                .map(value -> ((Value.Text) value).value())
                .distinct()
                .toList();
        char[] codes = into.codes(size);
        for (int row = 0; row < size; row++) {
            codes[row] = Dictionary.NULL;
            if (!rows.isNull(row)
                    && graph.all(rows.types[row]).get(rows.ordinals[row]).get(property) instanceof Value.Text text) {
                codes[row] = (char) (1 + texts.indexOf(text.value()));
            }
        }
        into.decode(dictionaries.computeIfAbsent(texts, HeapView::dictionary), size);
    }

    private static Dictionary dictionary(List<String> texts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int[] ends = new int[texts.size()];
        for (int i = 0; i < ends.length; i++) {
            bytes.writeBytes(texts.get(i).getBytes(StandardCharsets.UTF_8));
            ends[i] = bytes.size();
        }
        return new Dictionary(bytes.toByteArray(), ends);
    }

    private static void set(Column column, int row, Value value) {
        if (value instanceof Value.Null) {
            column.setNull(row);
            return;
        }
        switch (column) {
            case BoolColumn c -> c.values[row] = ((Value.Bool) value).value();
            case TextColumn c -> c.set(row, ((Value.Text) value).value());
            case DoubleColumn c -> c.values[row] = ((Value.Real) value).value();
            case LongColumn c ->
                c.values[row] = switch (value) {
                    case Value.Int v -> v.value();
                    case Value.UInt v -> v.bits();
                    case Value.Date v -> v.epochDay();
                    case Value.DateTime v -> v.epochMillis();
                    default -> throw new IllegalArgumentException("not an integer: " + value);
                };
            case ValueColumn c -> c.values[row] = value;
            case EntityColumn ignored -> throw new IllegalArgumentException("an entity is not a value");
        }
    }

    @Override
    public Image image(int type, int ordinal) {
        if (!isLive(type, ordinal)) {
            throw new IllegalArgumentException("type " + type + " has no live entity of ordinal " + ordinal);
        }
        return graph.image(type, ordinal);
    }

    @Override
    public long imageBytes(int type, int ordinal) {
        return image(type, ordinal).properties().bytes().length;
    }

    @Override
    public long distinctEstimate(int index) {
        return 4;
    }

    @Override
    public long distinctValues(int type, int property) {
        return distinctValues.getOrDefault(property, 0L);
    }

    @Override
    public int[] edgesOf(int edgeType, Direction direction, int nodeType, int node) {
        return graph.live(edgeType).stream()
                .filter(e -> direction == Direction.OUT
                        ? e.source == node && e.sourceType == nodeType
                        : e.destination == node && e.destinationType == nodeType)
                .mapToInt(e -> e.ordinal)
                .toArray();
    }

    @Override
    public void close() {}
}
