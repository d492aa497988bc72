package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static service.core.testkit.SmallGraph.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.TextColumn;
import service.core.event.Image;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.schema.EntityType;
import service.core.schema.EntityType.EdgeType;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.core.value.ValueOrder;

/** The invariant: every way of reading a view shows exactly the entities of a fold of the log. */
public final class ViewShows {
    private final GraphView view;
    private final SortedMap<FoldOfLog.Name, Image> expected;

    private ViewShows(GraphView view, SortedMap<FoldOfLog.Name, Image> expected) {
        this.view = view;
        this.expected = expected;
    }

    public static void exactly(GraphView view, SortedMap<FoldOfLog.Name, Image> expected) {
        ViewShows shows = new ViewShows(view, expected);
        for (int type : TYPES) {
            shows.scanCountLookupRead(type);
        }
        shows.expand(KNOWS);
        shows.expand(LIVES);
        shows.seek();
        shows.seekBySource();
    }

    private Map<String, Image> ofType(int type) {
        Map<String, Image> images = new TreeMap<>();
        expected.forEach((name, image) -> {
            if (name.type() == type) {
                images.put(name.id(), image);
            }
        });
        return images;
    }

    private void scanCountLookupRead(int type) {
        Map<String, Image> images = ofType(type);
        assertThat(view.count(type)).as("count of %d", type).isEqualTo(images.size());
        Map<String, Map<Integer, Value>> seen = new TreeMap<>();
        EntityColumn rows = new EntityColumn();
        TextColumn ids = new TextColumn();
        EntityType entityType = view.catalog().requireType(type);
        int last = -1;
        try (GraphView.Scan scan = view.scan(type)) {
            for (int size = scan.next(rows); size > 0; size = scan.next(rows)) {
                view.ids(rows, size, ids);
                for (int i = 0; i < size; i++) {
                    assertThat(rows.ordinals[i]).isGreaterThan(last).isLessThan(view.ordinalBound(type));
                    last = rows.ordinals[i];
                    seen.put(ids.text(i), new TreeMap<>());
                    assertThat(view.lookup(type, ids.text(i))).isEqualTo(last);
                    assertThat(view.isLive(type, last)).isTrue();
                    assertThat(view.image(type, last)).isEqualTo(images.get(ids.text(i)));
                }
                if (entityType instanceof EdgeType edges) {
                    endpoints(edges, rows, size, images);
                }
                for (Property property : entityType.properties()) {
                    read(property, rows, size, ids, seen);
                    EntityColumn bare = new EntityColumn();
                    for (int i = 0; i < size; i++) {
                        bare.set(i, type, rows.ordinals[i], EntityColumn.NO_RECORD);
                    }
                    read(property, bare, size, ids, seen);
                }
            }
        }
        Map<String, Map<Integer, Value>> wanted = new TreeMap<>();
        images.forEach((id, image) -> wanted.put(id, image.properties().toMap()));
        assertThat(seen).as("scan of %d", type).isEqualTo(wanted);
        assertThat(view.lookup(type, "never was")).isEqualTo(-1);
        assertThat(idsInOrder(type, null)).as("ids of %d", type).containsExactlyElementsOf(images.keySet());
        List<String> all = List.copyOf(images.keySet());
        for (int i = 0; i < all.size(); i += 1 + all.size() / 7) {
            assertThat(idsInOrder(type, all.get(i)))
                    .as("ids of %d after %s", type, all.get(i))
                    .containsExactlyElementsOf(all.subList(i + 1, all.size()));
            assertThat(idsInOrder(type, all.get(i) + "\u0001"))
                    .containsExactlyElementsOf(all.subList(i + 1, all.size()));
        }
    }

    private void endpoints(EdgeType edges, EntityColumn rows, int size, Map<String, Image> images) {
        EntityColumn sources = new EntityColumn();
        EntityColumn destinations = new EntityColumn();
        view.endpoints(rows, size, sources, destinations);
        for (int i = 0; i < size; i++) {
            Image image = images.get(view.id(edges.identity(), rows.ordinals[i]));
            assertThat(sources.types[i]).isEqualTo(edges.source().type(image.fromType()));
            assertThat(destinations.types[i]).isEqualTo(edges.destination().type(image.toType()));
            assertThat(view.id(sources.types[i], sources.ordinals[i])).isEqualTo(image.from());
            assertThat(view.id(destinations.types[i], destinations.ordinals[i])).isEqualTo(image.to());
        }
    }

    private List<String> idsInOrder(int type, @Nullable String after) {
        List<String> ids = new ArrayList<>();
        EntityColumn rows = new EntityColumn();
        try (GraphView.Scan scan = view.scanById(type, after)) {
            for (int size = scan.next(rows); size > 0; size = scan.next(rows)) {
                for (int i = 0; i < size; i++) {
                    ids.add(view.id(type, rows.ordinals[i]));
                }
            }
        }
        return ids;
    }

    private void read(
            Property property, EntityColumn rows, int size, TextColumn ids, Map<String, Map<Integer, Value>> into) {
        Column column = GraphView.columnFor(property.type());
        view.read(property.identity(), rows, size, column);
        for (int i = 0; i < size; i++) {
            Map<Integer, Value> values = into.get(ids.text(i));
            if (values != null && !column.isNull(i)) {
                values.put(property.identity(), value(column, i));
            }
        }
    }

    private static Value value(Column column, int row) {
        return switch (column) {
            case service.core.batch.LongColumn c ->
                switch (c.kind) {
                    case INT -> new Value.Int(c.values[row]);
                    case UINT -> new Value.UInt(c.values[row]);
                    case DATE -> new Value.Date((int) c.values[row]);
                    case DATETIME -> new Value.DateTime(c.values[row]);
                };
            case service.core.batch.DoubleColumn c -> new Value.Real(c.values[row]);
            case service.core.batch.BoolColumn c -> new Value.Bool(c.values[row]);
            case TextColumn c -> new Value.Text(c.text(row));
            case service.core.batch.ValueColumn c -> c.values[row];
            case EntityColumn ignored -> throw new IllegalArgumentException();
        };
    }

    private void expand(int edgeType) {
        EdgeType type = (EdgeType) view.catalog().requireType(edgeType);
        for (Direction direction : Direction.values()) {
            List<String> wanted = new ArrayList<>();
            ofType(edgeType)
                    .forEach((id, image) -> wanted.add(
                            direction == Direction.OUT
                                    ? image.from() + ">" + image.to() + ":" + id
                                    : image.to() + ">" + image.from() + ":" + id));
            int near = type.near(direction).first();
            int far = type.far(direction).first();
            List<String> seen = new ArrayList<>();
            EntityColumn rows = new EntityColumn();
            ExpandBatch batch = new ExpandBatch();
            try (GraphView.Scan scan = view.scan(near)) {
                for (int size = scan.next(rows); size > 0; size = scan.next(rows)) {
                    try (GraphView.Expansion expansion = view.expand(edgeType, direction, rows, size)) {
                        int row = -1;
                        int neighbour = -1;
                        while (expansion.next(batch)) {
                            for (int i = 0; i < batch.size; i++) {
                                assertThat(batch.inputRows[i]).isGreaterThanOrEqualTo(row);
                                if (batch.inputRows[i] == row) {
                                    assertThat(batch.neighbours[i]).isGreaterThanOrEqualTo(neighbour);
                                }
                                row = batch.inputRows[i];
                                neighbour = batch.neighbours[i];
                                seen.add(view.id(near, rows.ordinals[batch.inputRows[i]])
                                        + ">"
                                        + view.id(far, batch.neighbours[i])
                                        + ":"
                                        + view.id(edgeType, batch.edges[i]));
                            }
                        }
                    }
                }
            }
            assertThat(seen).as("%s along %d", direction, edgeType).containsExactlyInAnyOrderElementsOf(wanted);
        }
    }

    private void seek() {
        Map<String, Image> people = ofType(PERSON);
        TreeSet<Value> ages = new TreeSet<>(ValueOrder.COMPARATOR);
        TreeSet<Value> names = new TreeSet<>(ValueOrder.COMPARATOR);
        people.values().forEach(image -> {
            Value age = image.properties().get(AGE);
            if (age != null) {
                ages.add(age);
            }
            Value name = image.properties().get(NAME);
            if (name != null) {
                names.add(name);
            }
        });
        for (Value age : ages.stream().limit(5).toList()) {
            assertThat(found(IndexRange.equal(BY_AGE, List.of(age))))
                    .isEqualTo(matching(people, row -> age.equals(row.get(AGE))));
        }
        if (!ages.isEmpty()) {
            Value low = ages.first();
            Value high = ages.last();
            for (boolean inclusive : new boolean[] {true, false}) {
                assertThat(found(new IndexRange(BY_AGE, List.of(), low, inclusive, high, inclusive, null)))
                        .isEqualTo(matching(people, row -> between(row.get(AGE), low, high, inclusive)));
            }
            assertThat(found(new IndexRange(BY_AGE, List.of(), null, false, null, false, null)))
                    .isEqualTo(matching(people, row -> row.get(AGE) != null));
        }
        for (Value name : names.stream().limit(6).toList()) {
            assertThat(found(IndexRange.equal(BY_NAME_AGE, List.of(name))))
                    .isEqualTo(matching(people, row -> name.equals(row.get(NAME)) && row.get(AGE) != null));
            String text = ((Value.Text) name).value();
            String prefix = text.substring(0, text.offsetByCodePoints(0, 1));
            assertThat(found(new IndexRange(BY_NAME_AGE, List.of(), null, false, null, false, prefix)))
                    .isEqualTo(matching(
                            people,
                            row -> row.get(AGE) != null
                                    && row.get(NAME) instanceof Value.Text other
                                    && other.value().startsWith(prefix)));
            for (boolean inclusive : new boolean[] {true, false}) {
                Value high = names.last();
                assertThat(found(new IndexRange(BY_NAME_AGE, List.of(), name, inclusive, high, inclusive, null)))
                        .isEqualTo(matching(
                                people, row -> row.get(AGE) != null && between(row.get(NAME), name, high, inclusive)));
            }
        }
    }

    private void seekBySource() {
        Map<String, Image> edges = ofType(KNOWS);
        for (String person : ofType(PERSON).keySet()) {
            int ordinal = view.lookup(PERSON, person);
            NavigableSet<String> wanted = new TreeSet<>();
            edges.forEach((id, image) -> {
                if (person.equals(image.from())) {
                    wanted.add(id);
                }
            });
            assertThat(found(IndexRange.equal(BY_SOURCE_SINCE, List.of(new Value.Int(ordinal)))))
                    .isEqualTo(wanted);
            NavigableSet<String> seen = new TreeSet<>();
            int[] found = view.edgesOf(KNOWS, Direction.OUT, PERSON, ordinal);
            assertThat(found).isSorted();
            for (int edge : found) {
                seen.add(view.id(KNOWS, edge));
            }
            assertThat(seen).isEqualTo(wanted);
        }
    }

    private static boolean between(
            @org.jspecify.annotations.Nullable Value value, Value low, Value high, boolean inclusive) {
        if (value == null) {
            return false;
        }
        int limit = inclusive ? 0 : 1;
        return ValueOrder.compare(value, low) >= limit && ValueOrder.compare(high, value) >= limit;
    }

    private static NavigableSet<String> matching(
            Map<String, Image> images, java.util.function.Predicate<PropertyRow> predicate) {
        TreeSet<String> ids = new TreeSet<>();
        images.forEach((id, image) -> {
            if (predicate.test(image.properties())) {
                ids.add(id);
            }
        });
        return ids;
    }

    private NavigableSet<String> found(IndexRange range) {
        TreeSet<String> ids = new TreeSet<>();
        EntityColumn rows = new EntityColumn();
        try (GraphView.Scan scan = view.seek(range)) {
            for (int size = scan.next(rows); size > 0; size = scan.next(rows)) {
                for (int i = 0; i < size; i++) {
                    assertThat(ids.add(view.id(rows.types[i], rows.ordinals[i])))
                            .isTrue();
                }
            }
        }
        return ids;
    }
}
