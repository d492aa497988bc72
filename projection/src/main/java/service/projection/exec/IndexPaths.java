package service.projection.exec;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.port.IndexRange;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.Value;

/**
 * What an index can answer of the filters on a variable: equality ({@code =}, {@code in}) on its
 * first members, then a range or a prefix on the next one.
 */
final class IndexPaths {
    /** Ranges that one index path may consist of. */
    private static final int RANGES_MAX = 1024;

    private static final double SEEK_COST = 2;
    private static final double POSTING_COST = 3;

    private final Statistics statistics;
    private final Choices choices;
    private final boolean probing;

    /**
     * @param probing whether to look into ranges: worth it where their size decides something
     */
    IndexPaths(Statistics statistics, Choices choices, boolean probing) {
        this.statistics = statistics;
        this.choices = choices;
        this.probing = probing;
    }

    /** The path through the index, or null where the filters do not constrain its first member. */
    AccessPaths.@Nullable Path path(
            int slot, EntityType type, IndexDefinition index, List<Expression> filters) {
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
        if (range != null) {
            used.addAll(range.filters);
        }
        double rows = estimate(type, index, member, ranges, range != null);
        double all = statistics.count(type.identity());
        Node source =
                new Node.Index(
                        slot,
                        type.identity(),
                        ranges,
                        range == null,
                        List.copyOf(used),
                        choices.postingsMax(all),
                        detail(type, index, member, range),
                        rows);
        // Never dearer than a scan, in whose place it stands: it turns into one where it must.
        double cost = Math.min(SEEK_COST * ranges.size() + POSTING_COST * rows, 0.9 * all);
        return new AccessPaths.Path(source, List.copyOf(used), cost);
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
            EntityType type,
            IndexDefinition index,
            int equalMembers,
            List<IndexRange> ranges,
            boolean range) {
        double all = statistics.count(type.identity());
        if (equalMembers == index.members().size() && index.unique()) {
            return Math.min(all, ranges.size());
        }
        DoubleSupplier guess = () -> guess(all, index, equalMembers, ranges.size(), range);
        return probing ? statistics.probe(ranges, guess) : guess.getAsDouble();
    }

    private double guess(
            double all, IndexDefinition index, int equalMembers, int ranges, boolean range) {
        double rows = all;
        if (equalMembers > 0) {
            double distinct = statistics.distinct(index);
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

    private static @Nullable Choice choices(EntityType type, int member, List<Expression> filters) {
        Equal equal = equality(type, member, filters);
        if (equal != null) {
            return new Choice(List.of(equal.value), equal.filter);
        }
        Property property = type.property(member);
        for (Expression filter : filters) {
            if (property != null
                    && filter instanceof Expression.In in
                    && ConstantTest.isProperty(in.left(), type, member)) {
                List<Value> items = ConstantTest.list(in.list());
                Set<Value> values = new LinkedHashSet<>();
                boolean all = items != null;
                for (Value item : items == null ? List.<Value>of() : items) {
                    Value stored = StoredForm.of(property.type(), item);
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

    /** The value that a member must equal, and the filter that says so. */
    record Equal(Value value, Expression filter) {}

    static @Nullable Equal equality(EntityType type, int member, List<Expression> filters) {
        Property property = type.property(member);
        if (property == null) {
            return null;
        }
        for (Expression filter : filters) {
            ConstantTest test = ConstantTest.of(filter);
            if (test != null
                    && test.isEqual()
                    && ConstantTest.isProperty(test.left(), type, member)) {
                Value stored = StoredForm.of(property.type(), test.value());
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

    private static @Nullable Range range(EntityType type, int member, List<Expression> filters) {
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
                    && ConstantTest.isProperty(text.left(), type, member)
                    && text.right() instanceof Expression.Literal literal
                    && literal.value() instanceof Value.Text(String prefix)) {
                return new Range(null, false, null, false, prefix, Set.of(filter));
            }
            ConstantTest test = ConstantTest.of(filter);
            if (test == null || !ConstantTest.isProperty(test.left(), type, member)) {
                continue;
            }
            Value stored = StoredForm.of(property.type(), test.value());
            if (stored == null) {
                continue;
            }
            // A second bound on the same side stays a filter.
            switch (test.operator()) {
                case GREATER, GREATER_OR_EQUAL -> {
                    if (low == null) {
                        low = stored;
                        lowInclusive = test.operator() == ComparisonOperator.GREATER_OR_EQUAL;
                        used.add(filter);
                    }
                }
                case LESS, LESS_OR_EQUAL -> {
                    if (high == null) {
                        high = stored;
                        highInclusive = test.operator() == ComparisonOperator.LESS_OR_EQUAL;
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
}
