package service.projection.query.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * Finds the filters on a variable that an index can answer: equality ({@code =}, {@code in}) on its first members, then
 * a range or a prefix on the next one.
 */
final class IndexPaths {
    static final double SEEK_COST = 2;
    static final double POSTING_COST = 3;

    private final Statistics statistics;
    private final Choices choices;

    IndexPaths(Statistics statistics, Choices choices) {
        this.statistics = statistics;
        this.choices = choices;
    }

    /** A seek in an index, and the filters that it answers. */
    record Found(IndexDefinition index, Seek seek, Set<Expression> answered) {}

    /** All indexes whose first member the filters constrain. */
    static List<Found> all(EntityType type, List<Expression> filters) {
        List<Found> all = new ArrayList<>();
        for (IndexDefinition index : type.indexes()) {
            Found found = find(type, index, filters);
            if (found != null) {
                all.add(found);
            }
        }
        return all;
    }

    private static @Nullable Found find(EntityType type, IndexDefinition index, List<Expression> filters) {
        Set<Expression> answered = new LinkedHashSet<>();
        List<Seek.Member> equal = new ArrayList<>();
        int ranges = 1;
        for (int property : index.members()) {
            Equal one = equality(type, property, filters);
            one = one == null ? membership(type, property, filters, Seek.RANGES_MAX / ranges) : one;
            if (one == null) {
                break;
            }
            ranges *= one.values();
            equal.add(one.member());
            answered.add(one.filter());
        }
        Seek.Bounds bounds = null;
        if (equal.size() < index.members().size()) {
            bounds = bounds(type, index.members().get(equal.size()), filters, answered);
        }
        int constrained = equal.size() + (bounds == null ? 0 : 1);
        if (constrained == 0 || !holdsAll(type, index, constrained)) {
            return null;
        }
        return new Found(index, new Seek(index.identity(), equal, bounds), answered);
    }

    /**
     * The paths through an index: exactly one, except in tests.
     *
     * @param probing whether to count the postings of the ranges, because the plan depends on the number
     */
    List<AccessPaths.Path> paths(int slot, EntityType type, Found found, boolean probing) {
        double all = statistics.count(type.identity());
        Seek seek = found.seek;
        double ranges = 1;
        for (Seek.Member member : seek.equal()) {
            ranges *= member.isList() ? statistics.length(member.constant()) : 1;
        }
        double rows = Math.min(all, estimate(all, found, ranges, probing));
        // Costs at most a scan, because it becomes a scan when it finds too many postings.
        double cost = Math.min(SEEK_COST * ranges + POSTING_COST * rows, 0.9 * all);
        List<Expression> answered = List.copyOf(found.answered);
        List<AccessPaths.Path> paths = new ArrayList<>();
        for (int most : choices.postingsMax(all)) {
            Node source = new Node.Index(slot, type.identity(), seek, answered, most, rows);
            paths.add(new AccessPaths.Path(source, answered, cost));
        }
        return paths;
    }

    /** An index holds no entity with a null member, so members without a filter must not be nullable. */
    private static boolean holdsAll(EntityType type, IndexDefinition index, int constrained) {
        for (int member : index.members().subList(constrained, index.members().size())) {
            Property property = type.property(member);
            if (property != null && property.nullable()) {
                return false;
            }
        }
        return true;
    }

    private double estimate(double all, Found found, double ranges, boolean probing) {
        IndexDefinition index = found.index;
        int equal = found.seek.equal().size();
        if (equal == index.members().size() && index.unique()) {
            return ranges;
        }
        DoubleSupplier guess = () -> {
            double rows = all;
            if (equal > 0) {
                double distinct = statistics.distinct(index);
                rows = distinct > 0 ? all / distinct : Estimates.EQUAL * all;
            }
            return rows * ranges * (found.seek.bounds() == null ? 1 : Estimates.RANGE);
        };
        return probing ? statistics.found(found.seek, guess) : guess.getAsDouble();
    }

    /**
     * A member with an equality filter, and that filter.
     *
     * @param values number of values that it may have, as far as the query shows
     */
    record Equal(Seek.Member member, Expression filter, int values) {}

    static @Nullable Equal equality(EntityType type, int member, List<Expression> filters) {
        Property property = type.property(member);
        if (property == null) {
            return null;
        }
        for (Expression filter : filters) {
            ConstantComparison comparison = ConstantComparison.of(filter);
            if (comparison != null
                    && comparison.isEqual()
                    && ConstantComparison.isProperty(comparison.left(), type, member)
                    && isStorable(property.type(), comparison.constant())) {
                Seek.Member one = new Seek.Member(property.name(), property.type(), comparison.constant(), false);
                return new Equal(one, filter, 1);
            }
        }
        return null;
    }

    private static @Nullable Equal membership(EntityType type, int member, List<Expression> filters, int most) {
        Property property = type.property(member);
        if (property == null) {
            return null;
        }
        for (Expression filter : filters) {
            if (filter instanceof Expression.In in
                    && Constants.isConstant(in.list())
                    && ConstantComparison.isProperty(in.left(), type, member)
                    && isStorable(property.type(), in.list())) {
                int values = Math.max(1, itemCount(in.list()));
                if (values <= most) {
                    Seek.Member one = new Seek.Member(property.name(), property.type(), in.list(), true);
                    return new Equal(one, filter, values);
                }
            }
        }
        return null;
    }

    private static int itemCount(Expression list) {
        return switch (list) {
            case Expression.ListOf of -> of.items().size();
            case Expression.Literal literal
            when literal.value() instanceof Value.ListOf(List<Value> items) -> items.size();
            default -> 1;
        };
    }

    /** Whether an index may hold the constant; an argument is only known at run time. */
    private static boolean isStorable(PropertyType type, Expression constant) {
        return switch (constant) {
            case Expression.Literal literal
            when literal.value() instanceof Value.ListOf(List<Value> items) ->
                items.stream().allMatch(item -> item instanceof Value.Null || StoredForm.of(type, item) != null);
            case Expression.Literal literal -> StoredForm.of(type, literal.value()) != null;
            case Expression.ListOf list ->
                list.items().stream().allMatch(item -> isNull(item) || isStorable(type, item));
            default -> true;
        };
    }

    private static boolean isNull(Expression expression) {
        return expression instanceof Expression.Literal literal && literal.value() instanceof Value.Null;
    }

    /** The bounds or the prefix of a member. Adds the filters that they answer. */
    private static Seek.@Nullable Bounds bounds(
            EntityType type, int member, List<Expression> filters, Set<Expression> answered) {
        Property property = type.property(member);
        if (property == null) {
            return null;
        }
        String name = property.name();
        for (Expression filter : filters) {
            if (filter instanceof Expression.TextTest text
                    && text.operator() == Expression.TextOperator.STARTS_WITH
                    && ConstantComparison.isProperty(text.left(), type, member)
                    && Constants.isConstant(text.right())
                    && isStorable(property.type(), text.right())) {
                answered.add(filter);
                return new Seek.Bounds(name, property.type(), null, null, text.right());
            }
        }
        Seek.Limit low = null;
        Seek.Limit high = null;
        for (Expression filter : filters) {
            Distance.Side side = side(type, property, filter);
            // A second bound on the same side stays a filter.
            if (side != null && (side.low() ? low : high) == null) {
                low = side.low() ? side.limit() : low;
                high = side.low() ? high : side.limit();
                answered.add(filter);
            }
        }
        return low == null && high == null ? null : new Seek.Bounds(name, property.type(), low, high, null);
    }

    /** The limit that a filter sets to a property, or null. */
    private static Distance.@Nullable Side side(EntityType type, Property property, Expression filter) {
        int member = property.identity();
        ConstantComparison comparison = ConstantComparison.of(filter);
        if (comparison == null
                || !ConstantComparison.isProperty(comparison.left(), type, member)
                || !isStorable(property.type(), comparison.constant())) {
            return Distance.of(filter, type, member);
        }
        return switch (comparison.operator()) {
            case GREATER -> new Distance.Side(new Seek.Limit(comparison.constant(), false, null), true);
            case GREATER_OR_EQUAL -> new Distance.Side(new Seek.Limit(comparison.constant(), true, null), true);
            case LESS -> new Distance.Side(new Seek.Limit(comparison.constant(), false, null), false);
            case LESS_OR_EQUAL -> new Distance.Side(new Seek.Limit(comparison.constant(), true, null), false);
            case EQUAL, NOT_EQUAL -> null;
        };
    }
}
