package service.core.graph.schema;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.event.Image;
import service.core.graph.check.EntityIds;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.BoundedPattern;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
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
    /** Entities between two looks at the clock: below a millisecond of work. */
    private static final int ENTITIES_PER_CHECKPOINT = 256;

    private final GraphSession session;
    private final ReadPoint point;
    private final RequestBudget budget;
    private int looked;

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

    /** Takes entities, by ordinal, in ascending order. */
    @FunctionalInterface
    private interface Visitor {
        void visit(int ordinal);
    }

    private void each(GraphView view, int type, Visitor visitor) {
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = view.scan(type)) {
            int size;
            while ((size = scan.next(found)) > 0) {
                for (int row = 0; row < size; row++) {
                    step();
                    visitor.visit(found.ordinals[row]);
                }
            }
        }
    }

    private void step() {
        if (looked++ % ENTITIES_PER_CHECKPOINT == 0) {
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

        void add(String id, String why) {
            if (count++ == 0) {
                first = id;
                fault = why;
            }
        }

        @Nullable
        Offence offence() {
            return first == null ? null : new Offence(first, count, fault);
        }
    }

    /** A check of one entity at a time. */
    private record Single(LiveCheck check, @Nullable Pattern pattern, Tally tally) {}

    private void scan(GraphView view, EntityType type, List<LiveCheck> checks, Map<LiveCheck, Offence> offences) {
        List<Single> prepared = checks.stream()
                .map(check -> new Single(check, pattern(check), new Tally()))
                .toList();
        each(view, type.identity(), ordinal -> {
            Image image = view.image(type.identity(), ordinal);
            for (Single single : prepared) {
                String id = view.id(type.identity(), ordinal);
                String fault = fault(single, type, image, id);
                if (fault != null) {
                    single.tally.add(id, fault);
                }
            }
        });
        prepared.forEach(single -> put(offences, single.check, single.tally.offence()));
    }

    private static @Nullable Pattern pattern(LiveCheck check) {
        return check instanceof LiveCheck.Values(int ignored, Constraint.Check of)
                ? BoundedPattern.compile(of.pattern())
                : null;
    }

    private static @Nullable String fault(Single single, EntityType type, Image image, String id) {
        return switch (single.check) {
            case LiveCheck.Required required -> image.properties().placeOf(required.property()) < 0 ? "has none" : null;
            case LiveCheck.Values(int ignored, Constraint constraint) -> fault(constraint, single.pattern, image);
            case LiveCheck.Key ignored -> keyFault((EntityType.NodeType) type, image, id);
            case LiveCheck.NoEntities ignored -> throw notSingle(single.check);
            case LiveCheck.Unique ignored -> throw notSingle(single.check);
            case LiveCheck.Card ignored -> throw notSingle(single.check);
        };
    }

    private static IllegalArgumentException notSingle(LiveCheck check) {
        return new IllegalArgumentException("not a check of one entity: " + check);
    }

    private static @Nullable String fault(Constraint constraint, @Nullable Pattern pattern, Image image) {
        switch (constraint) {
            case Constraint.Range range -> {
                Value value = image.properties().get(range.property());
                boolean breaks = value != null
                        && ((range.min() != null && ValueOrder.compare(value, range.min()) < 0)
                                || (range.max() != null && ValueOrder.compare(value, range.max()) > 0));
                return breaks ? "is out of the range" : null;
            }
            case Constraint.Check check -> {
                boolean breaks = image.properties().get(check.property()) instanceof Value.Text text
                        && !Objects.requireNonNull(pattern)
                                .matcher(text.value())
                                .matches();
                return breaks ? "does not match" : null;
            }
            case Constraint.Unique ignored ->
                throw new IllegalArgumentException("not a check of one entity: " + constraint);
        }
    }

    private static @Nullable String keyFault(EntityType.NodeType type, Image image, String id) {
        try {
            return EntityIds.gives(type, image.properties(), id)
                    ? null
                    : "would have the id `" + EntityIds.derive(type, image.properties()) + "`";
        } catch (ServiceException noKey) {
            return "has no key";
        }
    }

    private @Nullable Offence repetition(GraphView view, LiveCheck.Unique unique) {
        int type = unique.type();
        TupleDigests tuples = new TupleDigests(view.count(type), budget);
        int[] first = {-1, -1};
        long[] count = {0};
        for (int pass = 0; pass < tuples.passes; pass++) {
            tuples.begin(pass);
            each(view, type, ordinal -> {
                if (take(view, unique, ordinal, tuples)) {
                    int holder = tuples.claim(ordinal);
                    if (holder >= 0) {
                        count[0]++;
                        if (first[0] < 0 || ordinal < first[0]) {
                            first[0] = ordinal;
                            first[1] = holder;
                        }
                    }
                }
            });
        }
        return count[0] == 0
                ? null
                : new Offence(
                        view.id(type, first[0]), count[0], "has the same values as `" + view.id(type, first[1]) + "`");
    }

    /** Reads the tuple of an entity; false when one of its values is null. */
    private static boolean take(GraphView view, LiveCheck.Unique unique, int ordinal, TupleDigests into) {
        Image image = view.image(unique.type(), ordinal);
        into.start();
        for (int member : unique.members()) {
            Value value = switch (member) {
                case Constraint.SRC -> new Value.Text(Objects.requireNonNull(image.from()));
                case Constraint.DST -> new Value.Text(Objects.requireNonNull(image.to()));
                default -> image.properties().get(member);
            };
            if (value == null) {
                return false;
            }
            into.add(value);
        }
        return true;
    }

    private @Nullable Offence outOfBounds(GraphView view, LiveCheck.Card card) {
        EntityType.EdgeType edge = (EntityType.EdgeType) view.catalog().requireType(card.type());
        Tally tally = new Tally();
        EntityColumn sources = new EntityColumn();
        try (GraphView.Scan scan = view.scan(edge.source())) {
            int size;
            while ((size = scan.next(sources)) > 0) {
                int[] edges = count(view, edge, sources, size);
                for (int row = 0; row < size; row++) {
                    boolean breaks =
                            edges[row] > 0 && (edges[row] < edge.minPerSource() || edges[row] > edge.maxPerSource());
                    if (breaks) {
                        tally.add(view.id(edge.source(), sources.ordinals[row]), "has " + edges[row]);
                    }
                }
            }
        }
        return tally.offence();
    }

    private int[] count(GraphView view, EntityType.EdgeType edge, EntityColumn sources, int size) {
        int[] counts = new int[size];
        ExpandBatch batch = new ExpandBatch();
        try (GraphView.Expansion expansion = view.expand(edge.identity(), Direction.OUT, sources, size)) {
            while (expansion.next(batch)) {
                for (int i = 0; i < batch.size; i++) {
                    step();
                    counts[batch.inputRows[i]]++;
                }
            }
        }
        return counts;
    }
}
