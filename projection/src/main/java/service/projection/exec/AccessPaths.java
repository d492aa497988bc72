package service.projection.exec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Variable;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.KeyText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/**
 * How to find the first entities of a variable: by id or key, through an index, or by a scan. A
 * filter that the path answers exactly is not evaluated again.
 */
final class AccessPaths {
    /** Ranges that one index path may consist of. */
    private static final int RANGES_MAX = 1024;

    private final GraphView view;

    AccessPaths(GraphView view) {
        this.view = view;
    }

    /** A source and the filters that it leaves to be evaluated. */
    record Path(Node source, List<Expression> rest) {}

    /** The cheapest path for the variable, given the conjuncts that use it alone. */
    Path best(Variable variable, List<Expression> filters) {
        Path byId = byId(variable, filters);
        if (byId != null) {
            return byId;
        }
        if (variable.types().size() == 1) {
            EntityType type = view.catalog().requireType(variable.types().getFirst());
            Path byKey = byKey(variable, type, filters);
            if (byKey != null) {
                return byKey;
            }
            Path byIndex = byIndex(variable, type, filters);
            if (byIndex != null) {
                return byIndex;
            }
            Path byEnd = byEnd(variable, type, filters);
            if (byEnd != null) {
                return byEnd;
            }
        }
        double rows = 0;
        for (int type : variable.types()) {
            rows += view.count(type);
        }
        return new Path(new Node.Scan(variable.slot(), variable.types(), rows), filters);
    }

    private @Nullable Path byId(Variable variable, List<Expression> filters) {
        for (Expression filter : filters) {
            List<Value> ids = null;
            if (filter instanceof Expression.In in && in.left() instanceof Expression.IdOf) {
                ids = list(in.list());
            } else {
                Test test = test(filter);
                if (test != null && test.left instanceof Expression.IdOf && test.isEqual()) {
                    ids = List.of(test.value);
                }
            }
            if (ids != null) {
                return new Path(
                        new Node.IdLookup(
                                variable.slot(), variable.types(), texts(ids), ids.size()),
                        without(filters, Set.of(filter)));
            }
        }
        return null;
    }

    private @Nullable Path byKey(Variable variable, EntityType type, List<Expression> filters) {
        if (!(type instanceof EntityType.NodeType node) || node.key().isEmpty()) {
            return null;
        }
        List<PropertyType> types = new ArrayList<>();
        List<Value> values = new ArrayList<>();
        Set<Expression> used = new LinkedHashSet<>();
        for (int member : node.key()) {
            Equal equal = equality(type, member, filters);
            Property property = type.property(member);
            if (equal == null || property == null) {
                return null;
            }
            types.add(property.type());
            values.add(equal.value);
            used.add(equal.filter);
        }
        return new Path(
                new Node.IdLookup(
                        variable.slot(), variable.types(), List.of(KeyText.id(types, values)), 1),
                without(filters, used));
    }

    /** {@code @src = …} of an edge: the edges at that node. */
    private @Nullable Path byEnd(Variable variable, EntityType type, List<Expression> filters) {
        if (type.kind() != EntityKind.EDGE) {
            return null;
        }
        for (Expression filter : filters) {
            Test test = test(filter);
            if (test != null && test.isEqual() && test.left instanceof Expression.EndOf end) {
                Direction direction = end.end();
                double rows = view.fanOut(type.identity(), direction);
                return new Path(
                        new Node.EdgesAt(
                                variable.slot(),
                                type.identity(),
                                direction,
                                texts(List.of(test.value)),
                                rows),
                        without(filters, Set.of(filter)));
            }
        }
        return null;
    }

    private static List<String> texts(List<Value> values) {
        Set<String> texts = new LinkedHashSet<>();
        for (Value value : values) {
            if (value instanceof Value.Text(String text)) {
                texts.add(text);
            }
        }
        return List.copyOf(texts);
    }

    private @Nullable Path byIndex(Variable variable, EntityType type, List<Expression> filters) {
        Path best = null;
        for (IndexDefinition index : type.indexes()) {
            Path path = byIndex(variable, type, index, filters);
            if (path != null && (best == null || path.source.rows() < best.source.rows())) {
                best = path;
            }
        }
        return best;
    }

    private @Nullable Path byIndex(
            Variable variable, EntityType type, IndexDefinition index, List<Expression> filters) {
        Set<Expression> used = new LinkedHashSet<>();
        List<List<Value>> prefixes = new ArrayList<>();
        prefixes.add(List.of());
        int member = 0;
        for (; member < index.members().size(); member++) {
            Choice choice = choices(type, index.members().get(member), filters);
            if (choice == null || (long) prefixes.size() * choice.values.size() > RANGES_MAX) {
                break;
            }
            used.add(choice.filter);
            prefixes = extended(prefixes, choice.values);
        }
        Range range =
                member < index.members().size()
                        ? range(type, index.members().get(member), filters)
                        : null;
        int constrained = member + (range == null ? 0 : 1);
        if (constrained == 0 || !holdsAll(type, index, constrained)) {
            return null;
        }
        List<IndexRange> ranges = new ArrayList<>();
        for (List<Value> prefix : prefixes) {
            ranges.add(
                    range == null
                            ? IndexRange.equal(index.identity(), prefix)
                            : range.under(index.identity(), prefix));
        }
        double rows = estimate(type, index, member, ranges.size(), range != null);
        if (range != null) {
            used.addAll(range.filters);
        }
        boolean exact = range == null;
        return new Path(
                new Node.Index(
                        variable.slot(),
                        type.identity(),
                        ranges,
                        exact,
                        List.copyOf(used),
                        view.count(type.identity()),
                        detail(type, index, member, range),
                        rows),
                without(filters, used));
    }

    /**
     * An entity with a null member is not in the index: the members without a test must have none.
     */
    private static boolean holdsAll(EntityType type, IndexDefinition index, int constrained) {
        for (int member : index.members().subList(constrained, index.members().size())) {
            Property property = type.property(member);
            if (property != null && property.nullable()) {
                return false;
            }
        }
        return true;
    }

    private double estimate(
            EntityType type, IndexDefinition index, int equalMembers, int ranges, boolean range) {
        double all = view.count(type.identity());
        if (equalMembers == index.members().size() && index.unique()) {
            return Math.min(all, ranges);
        }
        double rows = all;
        if (equalMembers > 0) {
            double distinct = view.distinctEstimate(index.identity());
            rows = distinct > 0 ? all / distinct : Estimates.EQUAL * all;
        }
        rows *= range ? Estimates.RANGE : 1;
        return Math.min(all, rows * ranges);
    }

    private static List<List<Value>> extended(List<List<Value>> prefixes, List<Value> values) {
        List<List<Value>> longer = new ArrayList<>();
        for (List<Value> prefix : prefixes) {
            for (Value value : values) {
                List<Value> one = new ArrayList<>(prefix);
                one.add(value);
                longer.add(one);
            }
        }
        return longer;
    }

    private static String detail(
            EntityType type, IndexDefinition index, int equal, @Nullable Range range) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < equal + (range == null ? 0 : 1); i++) {
            Property property = type.property(index.members().get(i));
            text.append(i == 0 ? "" : ", ").append(property == null ? "?" : property.name());
            text.append(
                    i < equal
                            ? " ="
                            : range != null && range.prefix != null ? " starts_with" : " range");
        }
        return text.toString();
    }

    /** Values that one member may equal, and the filter that says so. */
    private record Choice(List<Value> values, Expression filter) {}

    private @Nullable Choice choices(EntityType type, int member, List<Expression> filters) {
        Equal equal = equality(type, member, filters);
        if (equal != null) {
            return new Choice(List.of(equal.value), equal.filter);
        }
        Property property = type.property(member);
        for (Expression filter : filters) {
            if (property != null
                    && filter instanceof Expression.In in
                    && isProperty(in.left(), type, member)) {
                List<Value> items = list(in.list());
                Set<Value> values = new LinkedHashSet<>();
                boolean all = items != null;
                for (Value item : items == null ? List.<Value>of() : items) {
                    Value stored = stored(property.type(), item);
                    all &= stored != null || item instanceof Value.Null;
                    if (stored != null) {
                        values.add(stored);
                    }
                }
                if (all) {
                    return new Choice(List.copyOf(values), filter);
                }
            }
        }
        return null;
    }

    private record Equal(Value value, Expression filter) {}

    private @Nullable Equal equality(EntityType type, int member, List<Expression> filters) {
        Property property = type.property(member);
        if (property == null) {
            return null;
        }
        for (Expression filter : filters) {
            Test test = test(filter);
            if (test != null && test.isEqual() && isProperty(test.left, type, member)) {
                Value stored = stored(property.type(), test.value);
                if (stored != null) {
                    return new Equal(stored, filter);
                }
            }
        }
        return null;
    }

    /** A bounded or prefixed member. */
    private record Range(
            @Nullable Value low,
            boolean lowInclusive,
            @Nullable Value high,
            boolean highInclusive,
            @Nullable String prefix,
            Set<Expression> filters) {
        IndexRange under(int index, List<Value> equal) {
            return new IndexRange(index, equal, low, lowInclusive, high, highInclusive, prefix);
        }
    }

    private @Nullable Range range(EntityType type, int member, List<Expression> filters) {
        Property property = type.property(member);
        if (property == null) {
            return null;
        }
        Value low = null;
        Value high = null;
        boolean lowInclusive = false;
        boolean highInclusive = false;
        Set<Expression> used = new LinkedHashSet<>();
        for (Expression filter : filters) {
            if (filter instanceof Expression.TextTest text
                    && text.operator() == Expression.TextOperator.STARTS_WITH
                    && isProperty(text.left(), type, member)
                    && text.right() instanceof Expression.Literal literal
                    && literal.value() instanceof Value.Text(String prefix)) {
                return new Range(null, false, null, false, prefix, Set.of(filter));
            }
            Test test = test(filter);
            if (test == null || !isProperty(test.left, type, member)) {
                continue;
            }
            Value stored = stored(property.type(), test.value);
            if (stored == null) {
                continue;
            }
            // A second bound on the same side stays a filter.
            switch (test.operator) {
                case GREATER, GREATER_OR_EQUAL -> {
                    if (low == null) {
                        low = stored;
                        lowInclusive = test.operator == ComparisonOperator.GREATER_OR_EQUAL;
                        used.add(filter);
                    }
                }
                case LESS, LESS_OR_EQUAL -> {
                    if (high == null) {
                        high = stored;
                        highInclusive = test.operator == ComparisonOperator.LESS_OR_EQUAL;
                        used.add(filter);
                    }
                }
                case EQUAL, NOT_EQUAL -> {}
            }
        }
        return used.isEmpty()
                ? null
                : new Range(low, lowInclusive, high, highInclusive, null, used);
    }

    /** A comparison with a constant, the constant on the right. */
    private record Test(Expression left, ComparisonOperator operator, Value value) {
        boolean isEqual() {
            return operator == ComparisonOperator.EQUAL;
        }
    }

    private static @Nullable Test test(Expression filter) {
        if (!(filter instanceof Expression.Compare compare)) {
            return null;
        }
        if (compare.right() instanceof Expression.Literal literal) {
            return new Test(compare.left(), compare.operator(), literal.value());
        }
        if (compare.left() instanceof Expression.Literal literal) {
            return new Test(
                    compare.right(), CompareKernels.mirror(compare.operator()), literal.value());
        }
        return null;
    }

    private static boolean isProperty(Expression expression, EntityType type, int property) {
        return expression instanceof Expression.PropertyOf of
                && of.identityByType().getOrDefault(type.identity(), 0) == property;
    }

    private static @Nullable List<Value> list(Expression expression) {
        return expression instanceof Expression.Literal literal
                        && literal.value() instanceof Value.ListOf(List<Value> items)
                ? items
                : null;
    }

    private static List<Expression> without(List<Expression> filters, Set<Expression> used) {
        Map<Expression, Boolean> seen = new HashMap<>();
        List<Expression> rest = new ArrayList<>();
        for (Expression filter : filters) {
            if (!used.contains(filter) && seen.put(filter, true) == null) {
                rest.add(filter);
            }
        }
        return rest;
    }

    /**
     * The value as a property of the type stores it, or null when it has no such form: then no
     * index knows it.
     */
    static @Nullable Value stored(PropertyType type, Value value) {
        if (!(type instanceof PropertyType.Scalar scalar)) {
            return type instanceof PropertyType.EnumOf && value instanceof Value.Text
                    ? value
                    : null;
        }
        ScalarType kind = scalar.scalar();
        return switch (value) {
            case Value.Text v -> kind == ScalarType.STRING ? v : null;
            case Value.Bool v -> kind == ScalarType.BOOL ? v : null;
            case Value.Date v -> kind == ScalarType.DATE ? v : null;
            case Value.DateTime v -> kind == ScalarType.DATETIME ? v : null;
            case Value.Int v -> storedInt(kind, v);
            case Value.UInt v ->
                    kind == ScalarType.U64
                            ? v
                            : v.bits() >= 0 ? storedInt(kind, new Value.Int(v.bits())) : null;
            case Value.Real v -> {
                // Zero has two forms in an index, and a fraction none among integers.
                boolean storable =
                        v.value() != 0
                                && (kind == ScalarType.F64
                                        || (kind == ScalarType.F32
                                                && (float) v.value() == v.value()));
                yield storable ? v : null;
            }
            case Value.Null ignored -> null;
            case Value.ListOf ignored -> null;
            case Value.Vector ignored -> null;
            case Value.ManagedBlob ignored -> null;
            case Value.ExternalBlob ignored -> null;
        };
    }

    private static @Nullable Value storedInt(ScalarType kind, Value.Int value) {
        return switch (kind) {
            case I32, I64, U32 -> value;
            case U64 -> value.value() >= 0 ? new Value.UInt(value.value()) : null;
            case F64 -> {
                boolean exact = value.value() != 0 && Math.abs(value.value()) <= 1L << 53;
                yield exact ? new Value.Real(value.value()) : null;
            }
            case F32 -> {
                boolean exact = value.value() != 0 && Math.abs(value.value()) <= 1L << 24;
                yield exact ? new Value.Real(value.value()) : null;
            }
            case STRING, BOOL, DATE, DATETIME, BLOB -> null;
        };
    }
}
