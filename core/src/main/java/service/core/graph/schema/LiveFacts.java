package service.core.graph.schema;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.event.Image;
import service.core.graph.check.EntityIds;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Lane;
import service.core.schema.TextPattern;
import service.core.schema.migrate.LiveCheck;
import service.core.schema.migrate.LiveData;
import service.core.value.Direction;
import service.core.value.Value;
import service.core.value.ValueOrder;

/**
 * Reads the facts about live entities from one state of a graph. Entities of a type are read once for all checks of
 * single entities, and once for each pass of a check of uniqueness. Memory does not grow with the entities. One thread.
 */
final class LiveFacts implements LiveData {
    /** Entities between two readings of the clock: below a millisecond of work. */
    private static final int ENTITIES_PER_CHECKPOINT = 256;

    /** The same for the steps of regular expressions. */
    private static final int STEPS_PER_CHECKPOINT = 20_000;

    private final GraphSession session;
    private final ReadPoint point;
    private final RequestBudget budget;
    private int looked;
    private int matched;

    LiveFacts(GraphSession session, ReadPoint point, RequestBudget budget) {
        this.session = session;
        this.point = point;
        this.budget = budget;
    }

    @Override
    public Map<LiveCheck, Offence> offences(Catalog desired, Collection<LiveCheck> checks) {
        Map<LiveCheck, Offence> offences = new HashMap<>();
        Map<Integer, List<LiveCheck>> single = new LinkedHashMap<>();
        try (GraphView view = session.viewAs(point, desired)) {
            for (LiveCheck check : checks) {
                switch (check) {
                    case LiveCheck.NoEntities none -> put(offences, check, anyEntity(view, none.type()));
                    case LiveCheck.Unique unique -> put(offences, check, repetition(view, unique));
                    case LiveCheck.Card card -> put(offences, check, outOfBounds(view, card));
                    case LiveCheck.Ends ends -> put(offences, check, outOfEnds(view, ends));
                    case LiveCheck.Required ignored -> add(single, check);
                    case LiveCheck.Values ignored -> add(single, check);
                    case LiveCheck.Key ignored -> add(single, check);
                }
            }
            single.forEach((type, ofType) -> scan(view, desired.requireType(type), ofType, offences));
        }
        return offences;
    }

    private static void add(Map<Integer, List<LiveCheck>> checks, LiveCheck check) {
        checks.computeIfAbsent(check.type(), type -> new ArrayList<>()).add(check);
    }

    private static void put(Map<LiveCheck, Offence> offences, LiveCheck check, @Nullable Offence offence) {
        if (offence != null) {
            offences.put(check, offence);
        }
    }

    /** Takes a batch of entities; ordinals ascend within and between batches. */
    @FunctionalInterface
    private interface Batch {
        void take(EntityColumn rows, int size);
    }

    private void each(GraphView view, int type, Batch batch) {
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = view.scan(type)) {
            int size;
            while ((size = scan.next(found)) > 0) {
                budget.checkpoint(() -> {});
                batch.take(found, size);
            }
        }
    }

    private void step() {
        if (looked++ % ENTITIES_PER_CHECKPOINT == 0) {
            budget.checkpoint(() -> {});
        }
    }

    /** Counts the steps of a regular expression. */
    private void steps(int count) {
        matched += count;
        if (matched >= STEPS_PER_CHECKPOINT) {
            matched = 0;
            budget.checkpoint(() -> {});
        }
    }

    private @Nullable Offence anyEntity(GraphView view, int type) {
        long count = view.count(type);
        if (count == 0) {
            return null;
        }
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = view.scan(type)) {
            if (scan.next(found) == 0) {
                throw new IllegalStateException("type " + type + " counts " + count + " entities and has none");
            }
            return new Offence(view.id(type, found.ordinals[0]), count, "exists");
        }
    }

    /** The first offender of a check and the number of them. */
    private static final class Tally {
        private @Nullable String first;
        private String fault = "";
        private long count;

        void add(Supplier<String> id, String why) {
            if (count++ == 0) {
                first = id.get();
                fault = why;
            }
        }

        @Nullable
        Offence offence() {
            return first == null ? null : new Offence(first, count, fault);
        }
    }

    /** A check of one entity at a time. */
    private record Single(
            LiveCheck check,
            @Nullable TextPattern pattern,
            @Nullable Column column,
            Tally tally) {}

    private void scan(GraphView view, EntityType type, List<LiveCheck> checks, Map<LiveCheck, Offence> offences) {
        List<Single> prepared =
                checks.stream().map(check -> prepared(check, type)).toList();
        each(view, type.identity(), (rows, size) -> prepared.forEach(single -> check(single, view, type, rows, size)));
        prepared.forEach(single -> put(offences, single.check, single.tally.offence()));
    }

    private static Single prepared(LiveCheck check, EntityType type) {
        TextPattern pattern = check instanceof LiveCheck.Values(int ignored, Constraint.Check of)
                ? TextPattern.compile(of.pattern())
                : null;
        int property = property(check);
        return new Single(check, pattern, property == 0 ? null : column(type, property), new Tally());
    }

    /** The property that a check of single entities reads; 0 for the check of a key, which reads whole images. */
    private static int property(LiveCheck check) {
        return switch (check) {
            case LiveCheck.Required required -> required.property();
            case LiveCheck.Values(int ignored, Constraint.Range range) -> range.property();
            case LiveCheck.Values(int ignored, Constraint.Check matches) -> matches.property();
            case LiveCheck.Values(int ignored, Constraint.Unique unique) -> throw notSingle(check);
            case LiveCheck.Key ignored -> 0;
            case LiveCheck.NoEntities ignored -> throw notSingle(check);
            case LiveCheck.Unique ignored -> throw notSingle(check);
            case LiveCheck.Card ignored -> throw notSingle(check);
            case LiveCheck.Ends ignored -> throw notSingle(check);
        };
    }

    private static IllegalArgumentException notSingle(LiveCheck check) {
        return new IllegalArgumentException("not a check of one entity: " + check);
    }

    private static Column column(EntityType type, int property) {
        return GraphView.columnFor(
                Objects.requireNonNull(type.property(property)).type());
    }

    private void check(Single single, GraphView view, EntityType type, EntityColumn rows, int size) {
        Column column = single.column;
        if (column != null) {
            view.read(property(single.check), rows, size, column);
        }
        for (int row = 0; row < size; row++) {
            int ordinal = rows.ordinals[row];
            String fault = column == null ? keyFault(type, view, ordinal) : fault(single, value(column, row));
            if (fault != null) {
                single.tally.add(() -> view.id(type.identity(), ordinal), fault);
            }
        }
    }

    private @Nullable String fault(Single single, @Nullable Value value) {
        if (value == null) {
            return single.check instanceof LiveCheck.Required ? "has none" : null;
        }
        if (single.check instanceof LiveCheck.Values(int ignored, Constraint.Range range)) {
            boolean breaks = (range.min() != null && ValueOrder.compare(value, range.min()) < 0)
                    || (range.max() != null && ValueOrder.compare(value, range.max()) > 0);
            return breaks ? "is out of the range" : null;
        }
        boolean breaks = single.pattern != null
                && value instanceof Value.Text text
                && !single.pattern.matches(text.value(), this::steps);
        return breaks ? "does not match" : null;
    }

    private static @Nullable String keyFault(EntityType type, GraphView view, int ordinal) {
        Image image = view.image(type.identity(), ordinal);
        String id = view.id(type.identity(), ordinal);
        try {
            return EntityIds.gives(type, image, id)
                    ? null
                    : "would have the id `" + EntityIds.derive(type, image) + "`";
        } catch (ServiceException noKey) {
            return "has no key";
        }
    }

    private static @Nullable Value value(Column column, int row) {
        if (column.isNull(row)) {
            return null;
        }
        return switch (column) {
            case TextColumn text -> new Value.Text(text.text(row));
            case BoolColumn bool -> new Value.Bool(bool.values[row]);
            case DoubleColumn real -> new Value.Real(real.values[row]);
            case LongColumn number ->
                switch (number.kind) {
                    case INT -> new Value.Int(number.values[row]);
                    case UINT -> new Value.UInt(number.values[row]);
                    case DATE -> new Value.Date((int) number.values[row]);
                    case DATETIME -> new Value.DateTime(number.values[row]);
                };
            case ValueColumn any -> any.values[row];
            case EntityColumn ignored -> throw new IllegalArgumentException("a property is not an entity");
        };
    }

    private @Nullable Offence repetition(GraphView view, LiveCheck.Unique unique) {
        EntityType type = view.catalog().requireType(unique.type());
        TupleDigests tuples = new TupleDigests(view.count(unique.type()), budget);
        Tuples values = new Tuples(view, type, unique.members());
        Repetitions found = new Repetitions();
        for (int pass = 0; pass < tuples.passes; pass++) {
            tuples.begin(pass);
            each(view, unique.type(), (rows, size) -> {
                values.read(rows, size);
                for (int row = 0; row < size; row++) {
                    int holder = values.put(row, tuples) ? tuples.claim(rows.ordinals[row]) : -1;
                    if (holder >= 0) {
                        found.add(rows.ordinals[row], holder);
                    }
                }
            });
        }
        return found.count == 0
                ? null
                : new Offence(
                        view.id(unique.type(), found.first),
                        found.count,
                        "has the same values as `" + view.id(unique.type(), found.holder) + "`");
    }

    /** The entities that repeat the tuple of an earlier one. */
    private static final class Repetitions {
        private long count;
        private int first;
        private int holder;

        void add(int ordinal, int earlier) {
            if (count++ == 0 || ordinal < first) {
                first = ordinal;
                holder = earlier;
            }
        }
    }

    /** The members of a unique constraint, a batch at a time; ends are their ordinals. */
    private static final class Tuples {
        private final GraphView view;
        private final List<Integer> members;
        private final List<Column> columns = new ArrayList<>();
        private final EntityColumn sources = new EntityColumn();
        private final EntityColumn destinations = new EntityColumn();
        private final EntityType type;

        Tuples(GraphView view, EntityType type, List<Integer> members) {
            this.view = view;
            this.type = type;
            this.members = members;
            for (int member : members) {
                columns.add(isEnd(member) ? new LongColumn(LongColumn.Kind.INT) : column(type, member));
            }
        }

        private static boolean isEnd(int member) {
            return member == Constraint.SRC || member == Constraint.DST;
        }

        void read(EntityColumn rows, int size) {
            if (members.stream().anyMatch(Tuples::isEnd)) {
                view.endpoints(rows, size, sources, destinations);
            }
            for (int i = 0; i < members.size(); i++) {
                int member = members.get(i);
                if (isEnd(member)) {
                    EntityType.EdgeType edge = (EntityType.EdgeType) type;
                    EdgeEnd end = member == Constraint.SRC ? edge.source() : edge.destination();
                    EntityColumn nodes = member == Constraint.SRC ? sources : destinations;
                    columns.get(i).reset(size);
                    for (int row = 0; row < size; row++) {
                        ((LongColumn) columns.get(i)).values[row] = end.key(nodes.types[row], nodes.ordinals[row]);
                    }
                } else {
                    view.read(member, rows, size, columns.get(i));
                }
            }
        }

        /** Puts the tuple of a row; false when one of its values is null. */
        boolean put(int row, TupleDigests into) {
            into.start();
            for (Column column : columns) {
                Value value = value(column, row);
                if (value == null) {
                    return false;
                }
                into.add(value);
            }
            return true;
        }
    }

    private @Nullable Offence outOfEnds(GraphView view, LiveCheck.Ends check) {
        Tally tally = new Tally();
        EntityColumn sources = new EntityColumn();
        EntityColumn destinations = new EntityColumn();
        each(view, check.type(), (rows, size) -> {
            view.endpoints(rows, size, sources, destinations);
            for (int row = 0; row < size; row++) {
                String fault = misfit(view, "starts at", check.sources(), sources, row);
                fault = fault != null ? fault : misfit(view, "ends at", check.destinations(), destinations, row);
                if (fault != null) {
                    int ordinal = rows.ordinals[row];
                    tally.add(() -> view.id(check.type(), ordinal), fault);
                }
            }
        });
        return tally.offence();
    }

    private static @Nullable String misfit(
            GraphView view, String what, Map<Integer, String> lost, EntityColumn nodes, int row) {
        String name = lost.get(nodes.types[row]);
        return name == null
                ? null
                : what + " the " + name + " `" + view.id(nodes.types[row], nodes.ordinals[row]) + "`";
    }

    private @Nullable Offence outOfBounds(GraphView view, LiveCheck.Card card) {
        EntityType.EdgeType edge = (EntityType.EdgeType) view.catalog().requireType(card.type());
        Tally tally = new Tally();
        for (EdgeEnd.NodeName type : edge.source().types()) {
            each(view, type.identity(), (rows, size) -> {
                int[] edges = count(view, edge, rows, size);
                for (int row = 0; row < size; row++) {
                    if (edges[row] > 0 && !edge.cardinality().allows(edges[row])) {
                        int ordinal = rows.ordinals[row];
                        tally.add(() -> view.id(type.identity(), ordinal), "has " + edges[row]);
                    }
                }
            });
        }
        return tally.offence();
    }

    private int[] count(GraphView view, EntityType.EdgeType edge, EntityColumn sources, int size) {
        int[] counts = new int[size];
        ExpandBatch batch = new ExpandBatch(false);
        for (Lane lane : edge.lanes(Direction.OUT, sources.types[0])) {
            try (GraphView.Expansion expansion = view.expand(lane.identity(), Direction.OUT, sources, size)) {
                while (expansion.next(batch)) {
                    for (int i = 0; i < batch.size; i++) {
                        step();
                        counts[batch.inputRows[i]]++;
                    }
                }
            }
        }
        return counts;
    }
}
