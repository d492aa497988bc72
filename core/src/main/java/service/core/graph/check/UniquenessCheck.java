package service.core.graph.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.schema.Constraint;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.Value;

/**
 * Checks that no two live entities have the same tuple under {@code @key} and {@code @unique}; tuples with a null are
 * exempt. Each changed tuple is looked up once: among the changes, then in the view's index. One thread.
 */
final class UniquenessCheck {
    private static final String UNIQUE = "unique_violation";

    private final ChangeBlock changes;
    private final List<EntityChange> order;
    private final GraphView view;
    private final Map<Integer, TypeRules> rules;
    private final RequestBudget budget;
    private final Violations violations;
    private final Map<IndexDefinition, TupleClaims> claims = new HashMap<>();
    private @Nullable EntityColumn entities;

    UniquenessCheck(
            ChangeBlock changes,
            List<EntityChange> order,
            GraphView view,
            Map<Integer, TypeRules> rules,
            RequestBudget budget,
            Violations violations) {
        this.changes = changes;
        this.order = order;
        this.view = view;
        this.rules = rules;
        this.budget = budget;
        this.violations = violations;
    }

    void run() {
        Map<Integer, Boolean> populated = new HashMap<>();
        TypeRules typeRules = null;
        for (int place = 0; place < order.size(); place++) {
            EntityChange change = order.get(place);
            Image after = change.after();
            if (after == null) {
                continue;
            }
            if (typeRules == null || typeRules.type.identity() != change.typeIdentity()) {
                // Consecutive changes mostly have the same type.
                typeRules = Objects.requireNonNull(rules.get(change.typeIdentity()));
            }
            for (IndexDefinition index : typeRules.unique) {
                List<Value> tuple = tuple(index, after);
                if (tuple != null) {
                    int claimed = claims.computeIfAbsent(index, this::claims).claim(tuple, place);
                    String holder = claimed < 0 ? null : order.get(claimed).id();
                    boolean moved = change.before() == null || !tuple.equals(tuple(index, change.before()));
                    if (holder == null
                            && moved
                            && populated.computeIfAbsent(change.typeIdentity(), type -> view.count(type) > 0)) {
                        holder = holderInView(index, tuple, change.typeIdentity());
                    }
                    if (holder != null) {
                        // Of two entities, the one that takes the tuple is reported, not the one that had it.
                        violations.ofIndex(
                                index,
                                moved
                                        ? duplicate(typeRules.type, change.id(), index, holder)
                                        : duplicate(typeRules.type, holder, index, change.id()));
                    }
                }
            }
        }
    }

    /** Whether an image of a type has a unique tuple that one of the changes has too. Called after {@link #run}. */
    boolean collides(TypeRules typeRules, Image image) {
        for (IndexDefinition index : typeRules.unique) {
            TupleClaims ofIndex = claims.get(index);
            List<Value> tuple = ofIndex == null ? null : tuple(index, image);
            if (ofIndex != null && tuple != null && ofIndex.isClaimed(tuple)) {
                return true;
            }
        }
        return false;
    }

    private TupleClaims claims(IndexDefinition index) {
        return new TupleClaims(
                place -> tuple(index, Objects.requireNonNull(order.get(place).after())), budget);
    }

    /** The values of an index's members, or null when one of them is null. */
    private static @Nullable List<Value> tuple(IndexDefinition index, Image image) {
        List<Value> values = new ArrayList<>(index.members().size());
        for (int member : index.members()) {
            Value value = switch (member) {
                case Constraint.SRC -> end(image.from(), image.fromType());
                case Constraint.DST -> end(image.to(), image.toType());
                default -> image.properties().get(member);
            };
            if (value == null) {
                return null;
            }
            // 0.0 and −0.0 are one value to GQ and to the index.
            values.add(value instanceof Value.Real real && real.value() == 0 ? new Value.Real(0.0) : value);
        }
        return values;
    }

    /** An end as a value: its id or, where it is not of the first type of that end, its type and its id. */
    private static @Nullable Value end(@Nullable String id, int type) {
        if (id == null) {
            return null;
        }
        Value text = new Value.Text(id);
        return type == EdgeEnd.FIRST ? text : new Value.ListOf(List.of(new Value.Int(type), text));
    }

    /** The id of a live entity that has the tuple and is not itself changed, or null. */
    private @Nullable String holderInView(IndexDefinition index, List<Value> tuple, int type) {
        List<Value> sought = sought(index, tuple);
        if (sought == null) {
            return null;
        }
        EntityColumn found = entities;
        if (found == null) {
            found = new EntityColumn();
            entities = found;
        }
        try (GraphView.Scan scan = view.seek(IndexRange.equal(index.identity(), sought))) {
            int size;
            while ((size = scan.next(found)) > 0) {
                for (int row = 0; row < size; row++) {
                    String id = view.id(type, found.ordinals[row]);
                    if (changes.indexOf(type, id) < 0) {
                        return id;
                    }
                }
            }
        }
        return null;
    }

    /**
     * The tuple as the index compares it, with ends as ordinals; null when an end is not in the view, because then no
     * entity has the tuple.
     */
    private @Nullable List<Value> sought(IndexDefinition index, List<Value> tuple) {
        List<Value> sought = new ArrayList<>(tuple);
        for (int i = 0; i < tuple.size(); i++) {
            int member = index.members().get(i);
            if (member == Constraint.SRC || member == Constraint.DST) {
                EntityType.EdgeType edge = (EntityType.EdgeType) view.catalog().requireType(index.typeIdentity());
                EdgeEnd end = member == Constraint.SRC ? edge.source() : edge.destination();
                boolean typed = tuple.get(i) instanceof Value.ListOf;
                List<Value> parts = typed ? ((Value.ListOf) tuple.get(i)).items() : List.of(tuple.get(i));
                int type = typed ? (int) ((Value.Int) parts.getFirst()).value() : end.first();
                int ordinal = view.lookup(type, ((Value.Text) parts.getLast()).value());
                if (ordinal < 0) {
                    return null;
                }
                sought.set(i, new Value.Int(end.key(type, ordinal)));
            }
        }
        return sought;
    }

    private ServiceException duplicate(EntityType type, String id, IndexDefinition index, String holder) {
        List<String> members =
                index.members().stream().map(member -> memberName(type, member)).toList();
        return ConstraintChecks.violation(
                ErrorCode.CONFLICT,
                UNIQUE,
                type,
                id,
                ConstraintChecks.describe(type, id)
                        + " has the same "
                        + String.join(", ", members)
                        + " as `"
                        + holder
                        + "`; @unique allows each once");
    }

    private static String memberName(EntityType type, int member) {
        if (member == Constraint.SRC || member == Constraint.DST) {
            return member == Constraint.SRC ? "src" : "dst";
        }
        Property property = type.property(member);
        return property == null ? Integer.toString(member) : property.name();
    }
}
