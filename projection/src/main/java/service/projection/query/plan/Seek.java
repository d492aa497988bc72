package service.projection.query.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.port.IndexRange;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * A seek of a plan. It becomes index ranges when the arguments are known.
 *
 * @param index identity of the index
 * @param equal its first members, each equal to a constant or to one of a list
 * @param bounds of the next member, or null
 */
public record Seek(int index, List<Member> equal, @Nullable Bounds bounds) {
    /** Ranges that one seek may consist of. */
    static final int RANGES_MAX = 1024;

    /**
     * A member that equals a constant.
     *
     * @param isList the constant is a list, and the member equals one of its items
     */
    public record Member(String name, PropertyType type, Expression constant, boolean isList) {}

    /** A member between two limits, or with a constant prefix. */
    public record Bounds(
            String name,
            PropertyType type,
            @Nullable Limit low,
            @Nullable Limit high,
            @Nullable Expression prefix) {}

    /**
     * One end of a range.
     *
     * @param distance what the limit is away from the constant, or null
     */
    public record Limit(
            Expression constant,
            boolean inclusive,
            @Nullable Distance distance) {}

    /** The constants that decide what the ranges are. */
    List<Expression> constants() {
        List<Expression> all = new ArrayList<>();
        equal.forEach(member -> all.add(member.constant()));
        Bounds last = bounds;
        if (last != null) {
            for (Limit limit : new Limit[] {last.low(), last.high()}) {
                if (limit != null) {
                    all.add(limit.constant());
                    if (limit.distance() != null) {
                        all.add(limit.distance().amount());
                    }
                }
            }
            if (last.prefix() != null) {
                all.add(last.prefix());
            }
        }
        return all;
    }

    /**
     * The ranges, which do not overlap. Empty when a constant is null, because null equals nothing. Null when the index
     * cannot answer the seek: a constant has no form that the index stores, or there would be too many ranges.
     */
    public @Nullable List<IndexRange> ranges(List<Value> arguments) {
        List<List<Value>> prefixes = List.of(List.of());
        for (Member member : equal) {
            List<Value> values = values(member, arguments);
            if (values == null || (long) prefixes.size() * values.size() > RANGES_MAX) {
                return null;
            }
            prefixes = extended(prefixes, values);
        }
        List<IndexRange> ranges = new ArrayList<>(prefixes.size());
        if (bounds == null) {
            prefixes.forEach(prefix -> ranges.add(IndexRange.equal(index, prefix)));
            return ranges;
        }
        String prefix = null;
        if (bounds.prefix() != null) {
            if (!(Constants.value(bounds.prefix(), arguments) instanceof Value.Text(String text))) {
                return List.of();
            }
            prefix = text;
        }
        Limit low = bounds.low();
        Limit high = bounds.high();
        Value storedLow = low == null ? null : stored(low, bounds.type(), arguments);
        Value storedHigh = high == null ? null : stored(high, bounds.type(), arguments);
        if (storedLow instanceof Value.Null || storedHigh instanceof Value.Null) {
            return List.of();
        }
        if ((low != null && storedLow == null) || (high != null && storedHigh == null)) {
            return null;
        }
        for (List<Value> values : prefixes) {
            ranges.add(new IndexRange(
                    index,
                    values,
                    storedLow,
                    low != null && low.inclusive(),
                    storedHigh,
                    high != null && high.inclusive(),
                    prefix));
        }
        return ranges;
    }

    /** A limit as the index stores it; the null of the language for a null, and null when it has no such form. */
    private static @Nullable Value stored(Limit limit, PropertyType type, List<Value> arguments) {
        Value constant = Constants.computed(limit.constant(), arguments);
        Distance distance = limit.distance();
        Value amount = distance == null ? Value.NULL : Constants.computed(distance.amount(), arguments);
        if (constant == null || amount == null) {
            return null;
        }
        Value value = distance == null ? constant : distance.from(constant, amount, type);
        return value == null || value instanceof Value.Null ? value : StoredForm.of(type, value);
    }

    private static @Nullable List<Value> values(Member member, List<Value> arguments) {
        Value constant = Constants.computed(member.constant(), arguments);
        if (constant == null) {
            return null;
        }
        List<Value> items =
                member.isList() && constant instanceof Value.ListOf(List<Value> list) ? list : List.of(constant);
        Set<Value> values = new LinkedHashSet<>();
        for (Value item : items) {
            Value stored = StoredForm.of(member.type(), item);
            if (stored != null) {
                values.add(stored);
            } else if (!(item instanceof Value.Null)) {
                return null;
            }
        }
        return List.copyOf(values);
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
}
