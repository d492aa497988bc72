package service.core.graph;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.event.Image;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.port.ReadPoint;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.value.Direction;
import service.core.value.Value;
import service.core.value.ValueOrder;

/** One state of a {@link MemoryStorage}. */
final class MemoryView implements GraphView {
    private static final TreeMap<String, Image> EMPTY = new TreeMap<>();

    private final MemoryStorage storage;
    private final ReadPoint point;
    private final MemoryStorage.State state;

    MemoryView(MemoryStorage storage, ReadPoint point, MemoryStorage.State state) {
        this.storage = storage;
        this.point = point;
        this.state = state;
    }

    private NavigableMap<String, Image> of(int type) {
        return state.entities().getOrDefault(type, EMPTY);
    }

    @Override
    public Catalog catalog() {
        return storage.catalog();
    }

    @Override
    public ReadPoint point() {
        return point;
    }

    @Override
    public long count(int type) {
        return of(type).size();
    }

    @Override
    public int ordinalBound(int type) {
        return of(type).size();
    }

    @Override
    public int lookup(int type, String id) {
        return of(type).containsKey(id) ? storage.ordinal(type, id) : -1;
    }

    @Override
    public String id(int type, int ordinal) {
        return storage.idOf(type, ordinal);
    }

    @Override
    public boolean isLive(int type, int ordinal) {
        return of(type).containsKey(id(type, ordinal));
    }

    @Override
    public Scan scan(int type) {
        return scanOf(
                type,
                of(type).keySet().stream()
                        .map(id -> storage.ordinal(type, id))
                        .sorted()
                        .toList());
    }

    @Override
    public Scan scanById(int type, @Nullable String after) {
        return scanOf(
                type,
                of(type).keySet().stream()
                        .filter(id -> after == null || ValueOrder.compareText(id, after) > 0)
                        .sorted(ValueOrder::compareText)
                        .map(id -> storage.ordinal(type, id))
                        .toList());
    }

    private static Scan scanOf(int type, List<Integer> ordinals) {
        Iterator<Integer> rest = ordinals.iterator();
        return new Scan() {
            @Override
            public int next(EntityColumn into) {
                into.reset();
                int size = 0;
                // Small batches, so that callers must ask more than once.
                while (size < 3 && rest.hasNext()) {
                    into.set(size++, type, rest.next(), EntityColumn.NO_RECORD);
                }
                return size;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Scan seek(IndexRange range) {
        for (EntityType type : allTypes()) {
            for (IndexDefinition index : type.indexes()) {
                if (index.identity() == range.index()) {
                    return scanOf(
                            type.identity(),
                            of(type.identity()).entrySet().stream()
                                    .filter(entry -> matches(type, index, range, entry))
                                    .map(entry -> storage.ordinal(type.identity(), entry.getKey()))
                                    .sorted()
                                    .toList());
                }
            }
        }
        throw new IllegalStateException("no index " + range.index());
    }

    private List<EntityType> allTypes() {
        List<EntityType> types = new ArrayList<>(catalog().nodes());
        types.addAll(catalog().edges());
        return types;
    }

    private boolean matches(EntityType type, IndexDefinition index, IndexRange range, Map.Entry<String, Image> entry) {
        for (int i = 0; i < range.equal().size(); i++) {
            Value value = switch (index.members().get(i)) {
                case Constraint.SRC ->
                    end(((EntityType.EdgeType) type).source(), entry.getValue().from());
                case Constraint.DST ->
                    end(
                            ((EntityType.EdgeType) type).destination(),
                            entry.getValue().to());
                default -> entry.getValue().properties().get(index.members().get(i));
            };
            if (value == null || !ValueOrder.equal(value, range.equal().get(i))) {
                return false;
            }
        }
        return true;
    }

    private Value end(int type, @Nullable String id) {
        return new Value.Int(storage.ordinal(type, String.valueOf(id)));
    }

    @Override
    public Image image(int type, int ordinal) {
        return of(type).get(id(type, ordinal));
    }

    @Override
    public List<Integer> edgesOf(int edgeType, Direction direction, int node) {
        EntityType.EdgeType edge = (EntityType.EdgeType) catalog().requireType(edgeType);
        String nodeId = id(direction == Direction.OUT ? edge.source() : edge.destination(), node);
        return of(edgeType).entrySet().stream()
                .filter(e -> nodeId.equals(
                        direction == Direction.OUT
                                ? e.getValue().from()
                                : e.getValue().to()))
                .map(e -> storage.ordinal(edgeType, e.getKey()))
                .sorted()
                .toList();
    }

    @Override
    public void ids(EntityColumn rows, int size, Column into) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Expansion expand(int edgeType, Direction direction, EntityColumn nodes, int size) {
        if (size != 1) {
            throw new UnsupportedOperationException();
        }
        java.util.Iterator<Integer> edges =
                edgesOf(edgeType, direction, nodes.ordinals[0]).iterator();
        return new Expansion() {
            @Override
            public boolean next(service.core.batch.ExpandBatch into) {
                into.size = 0;
                while (edges.hasNext() && into.size < into.edges.length) {
                    into.edges[into.size++] = edges.next();
                }
                return into.size > 0;
            }

            @Override
            public void skipRow() {
                edges.forEachRemaining(skipped -> {});
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void endpoints(EntityColumn edges, int size, int[] sources, int[] destinations) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void read(int property, EntityColumn rows, int size, Column into) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long distinctEstimate(int index) {
        return 0;
    }

    @Override
    public void close() {}
}
