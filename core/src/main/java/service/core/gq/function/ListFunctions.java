package service.core.gq.function;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import service.core.text.Work;
import service.core.value.ExactIntegers;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.core.value.ValueOrder;

/** Values of functions of lists, and of the forms that take lists apart and join them. */
public final class ListFunctions {
    /** Items of a range. */
    private static final int ITEMS_MAX = 1 << 20;

    private static final BigInteger MOST = BigInteger.valueOf(ITEMS_MAX);

    private ListFunctions() {}

    /** The integers from {@code first} to {@code last}, both included. */
    static Value range(Value first, Value last, Value by, Work work) throws ValueFault {
        BigInteger from = bound(first);
        BigInteger to = bound(last);
        BigInteger step = bound(by);
        if (step.signum() == 0) {
            throw new ValueFault("R6", "the step of a range is 0", null);
        }
        BigInteger steps = to.subtract(from).divide(step);
        boolean isEmpty = to.subtract(from).signum() * step.signum() < 0;
        if (!isEmpty && steps.compareTo(MOST) >= 0) {
            throw new ValueFault("R6", "a range of more than " + ITEMS_MAX + " items", null);
        }
        int count = isEmpty ? 0 : steps.intValue() + 1;
        work.steps(count);
        long bytes = count * HeapBytes.of(first) + 2 * HeapBytes.references(count);
        work.charge(bytes);
        List<Value> items = new ArrayList<>(count);
        long item = from.longValue();
        for (int i = 0; i < count; i++) {
            items.add(new Value.Int(item));
            item += step.longValue();
        }
        Value range = new Value.ListOf(items);
        work.release(bytes);
        return range;
    }

    private static BigInteger bound(Value value) throws ValueFault {
        BigInteger exact = ExactIntegers.exact(value);
        if (exact.bitLength() >= Long.SIZE) {
            throw new ValueFault("R6", "the number " + exact + " is too large for a range", null);
        }
        return exact;
    }

    /** The items in the order of values, nulls first. */
    static Value sort(List<Value> items, CallContext context) {
        List<Value> sorted = new ArrayList<>(items);
        sorted.sort((a, b) -> {
            context.work().step();
            return ValueOrder.compare(a, b);
        });
        return new Value.ListOf(sorted);
    }

    /** The items without those that are equal to an earlier one. */
    static Value unique(List<Value> items, CallContext context) {
        TreeSet<Value> seen = new TreeSet<>((a, b) -> {
            context.work().step();
            return ValueOrder.compare(a, b);
        });
        return new Value.ListOf(items.stream().filter(seen::add).toList());
    }

    /** The item at an index, which counts from 0, or from -1 backwards. Null outside, and when either is null. */
    public static Value element(Value list, Value index) {
        if (!(list instanceof Value.ListOf(List<Value> items)) || index instanceof Value.Null) {
            return Value.NULL;
        }
        long at = NumberFunctions.clamped(index);
        long place = at < 0 ? at + items.size() : at;
        return place < 0 || place >= items.size() ? Value.NULL : items.get((int) place);
    }

    /** The items from one place up to, not including, another one; both are clamped. */
    public static Value slice(Value list, Value from, Value to) {
        if (!(list instanceof Value.ListOf(List<Value> items))
                || from instanceof Value.Null
                || to instanceof Value.Null) {
            return Value.NULL;
        }
        int first = place(from, items.size());
        int end = place(to, items.size());
        return first >= end ? new Value.ListOf(List.of()) : new Value.ListOf(items.subList(first, end));
    }

    private static int place(Value at, int size) {
        return Math.clamp(NumberFunctions.clamped(at), 0, size);
    }

    /** Two lists joined. */
    public static Value joined(Value.ListOf left, Value.ListOf right) {
        List<Value> items = new ArrayList<>(left.items().size() + right.items().size());
        items.addAll(left.items());
        items.addAll(right.items());
        return new Value.ListOf(items);
    }
}
