package service.core.value;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Equality and order of values as GQ defines them: numbers by exact value across widths and signs, text by code point,
 * dates by time, lists item by item, null before everything and equal to itself.
 *
 * <p>This is the order of sorting and grouping. A <em>comparison</em> in a filter is three-valued: its evaluator tests
 * both sides for null before it calls this class.
 *
 * <p>The order is total over all values, so that a sort never fails: values of different families (which the type
 * checker keeps apart) are ordered by family. The order agrees with {@link #equal} and {@link #hash}, but not with
 * {@code Value.equals}, where 1 and 1.0 differ.
 */
public final class ValueOrder {
    /** This order as a comparator. */
    public static final Comparator<Value> COMPARATOR = ValueOrder::compare;

    private static final double TWO_TO_63 = 0x1p63;
    private static final double TWO_TO_64 = 0x1p64;

    private ValueOrder() {}

    /** Negative, zero or positive: the left value is less than, equal to, or greater than the right one. */
    public static int compare(Value left, Value right) {
        return compare(left, right, ValueOrder::compareEntities);
    }

    /** The same with an order of entities, on their own and within lists, records and paths. */
    public static int compare(Value left, Value right, Comparator<Value.Entity> entities) {
        int byFamily = Integer.compare(family(left), family(right));
        if (byFamily != 0) {
            return byFamily;
        }
        return switch (left) {
            case Value.Null ignored -> 0;
            case Value.Bool l -> Boolean.compare(l.value(), ((Value.Bool) right).value());
            case Value.Int l -> compareInt(l.value(), right);
            case Value.UInt l -> compareUInt(l.bits(), right);
            case Value.Real l -> compareReal(l.value(), right);
            case Value.Text l -> compareText(l.value(), ((Value.Text) right).value());
            case Value.Date l -> Integer.compare(l.epochDay(), ((Value.Date) right).epochDay());
            case Value.DateTime l -> Long.compare(l.epochMillis(), ((Value.DateTime) right).epochMillis());
            case Value.ListOf l -> compareLists(l.items(), ((Value.ListOf) right).items(), entities);
            case Value.Vector l -> compareVectors(l.items(), ((Value.Vector) right).items());
            case Value.ManagedBlob l -> l.hex().compareTo(((Value.ManagedBlob) right).hex());
            case Value.ExternalBlob l -> compareText(l.uri(), ((Value.ExternalBlob) right).uri());
            case Value.Entity l -> entities.compare(l, (Value.Entity) right);
            case Value.Struct l -> compareLists(l.values(), ((Value.Struct) right).values(), entities);
            case Value.Path l -> comparePaths(l, (Value.Path) right, entities);
        };
    }

    /** Whether two values are equal: 1 equals 1.0, 0.0 equals −0.0, null equals null. */
    public static boolean equal(Value left, Value right) {
        return compare(left, right) == 0;
    }

    /** A hash that agrees with {@link #equal}. */
    public static int hash(Value value) {
        return switch (value) {
            case Value.Null ignored -> 0;
            case Value.Bool v -> Boolean.hashCode(v.value());
            case Value.Int v -> Long.hashCode(v.value());
            case Value.UInt v -> Long.hashCode(v.bits());
            case Value.Real v -> hashReal(v.value());
            case Value.Text v -> v.value().hashCode();
            case Value.Date v -> 31 + Integer.hashCode(v.epochDay());
            case Value.DateTime v -> 62 + Long.hashCode(v.epochMillis());
            case Value.ListOf v -> {
                int hash = 1;
                for (Value item : v.items()) {
                    hash = 31 * hash + hash(item);
                }
                yield hash;
            }
            case Value.Vector v -> {
                int hash = 2;
                for (float item : v.items()) {
                    hash = 31 * hash + hashReal(item);
                }
                yield hash;
            }
            case Value.ManagedBlob v -> v.hashCode();
            case Value.ExternalBlob v -> v.uri().hashCode();
            case Value.Entity v -> v.hashCode();
            case Value.Struct v -> 3 + hash(new Value.ListOf(v.values()));
            case Value.Path v -> 31 * hash(v.nodes()) + hash(v.edges());
        };
    }

    /**
     * The three-valued equality of the language, item by item for lists and records: null when it is unknown, because
     * one side is null or because only a null item keeps two lists from being equal or unequal.
     */
    public static @Nullable Boolean equality(Value left, Value right) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return null;
        }
        if (left instanceof Value.ListOf l && right instanceof Value.ListOf r) {
            return equality(l.items(), r.items());
        }
        if (left instanceof Value.Struct l && right instanceof Value.Struct r) {
            return equality(l.values(), r.values());
        }
        return equal(left, right);
    }

    private static @Nullable Boolean equality(List<Value> left, List<Value> right) {
        if (left.size() != right.size()) {
            return false;
        }
        boolean unknown = false;
        for (int i = 0; i < left.size(); i++) {
            Boolean equal = equality(left.get(i), right.get(i));
            if (Boolean.FALSE.equals(equal)) {
                return false;
            }
            unknown |= equal == null;
        }
        return unknown ? null : Boolean.TRUE;
    }

    private static int compareEntities(Value.Entity left, Value.Entity right) {
        int byType = Integer.compare(left.type(), right.type());
        return byType != 0 ? byType : Integer.compare(left.ordinal(), right.ordinal());
    }

    private static int comparePaths(Value.Path left, Value.Path right, Comparator<Value.Entity> entities) {
        int byNodes = compare(left.nodes(), right.nodes(), entities);
        return byNodes != 0 ? byNodes : compare(left.edges(), right.edges(), entities);
    }

    /** Compares a signed integer with a float exactly, without rounding. */
    public static int compareLongDouble(long left, double right) {
        if (right >= TWO_TO_63) {
            return -1;
        }
        if (right < -TWO_TO_63) {
            return 1;
        }
        long truncated = (long) right;
        int whole = Long.compare(left, truncated);
        // A fraction implies |right| < 2^53, so the subtraction is exact.
        return whole != 0 ? whole : signOf(truncated - right);
    }

    /** Compares an unsigned integer with a float exactly, without rounding. */
    public static int compareUnsignedDouble(long left, double right) {
        if (right >= TWO_TO_64) {
            return -1;
        }
        if (right < 0) {
            return 1;
        }
        if (right >= TWO_TO_63) {
            return Long.compareUnsigned(left, (long) (right - TWO_TO_63) + Long.MIN_VALUE);
        }
        long truncated = (long) right;
        int whole = Long.compareUnsigned(left, truncated);
        return whole != 0 ? whole : signOf(truncated - right);
    }

    /** Compares a signed integer with an unsigned one. */
    public static int compareLongUnsigned(long left, long right) {
        return left < 0 || right < 0 ? -1 : Long.compare(left, right);
    }

    /** Compares floats as numbers: −0.0 equals 0.0. NaN does not occur. */
    public static int compareDoubles(double left, double right) {
        return left < right ? -1 : left > right ? 1 : 0;
    }

    /**
     * Compares text by code point, which is also the order of its UTF-8 bytes. {@link String#compareTo} orders by
     * UTF-16 unit and therefore puts U+FFFF after U+10000.
     */
    public static int compareText(String left, String right) {
        int common = Math.min(left.length(), right.length());
        for (int i = 0; i < common; i++) {
            char l = left.charAt(i);
            char r = right.charAt(i);
            if (l != r) {
                boolean leftIsPair = Character.isSurrogate(l);
                boolean rightIsPair = Character.isSurrogate(r);
                return leftIsPair == rightIsPair ? Character.compare(l, r) : leftIsPair ? 1 : -1;
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    private static int compareInt(long left, Value right) {
        return switch (right) {
            case Value.Int r -> Long.compare(left, r.value());
            case Value.UInt r -> compareLongUnsigned(left, r.bits());
            case Value.Real r -> compareLongDouble(left, r.value());
            default -> throw unlike(right);
        };
    }

    private static int compareUInt(long left, Value right) {
        return switch (right) {
            case Value.Int r -> -compareLongUnsigned(r.value(), left);
            case Value.UInt r -> Long.compareUnsigned(left, r.bits());
            case Value.Real r -> compareUnsignedDouble(left, r.value());
            default -> throw unlike(right);
        };
    }

    private static int compareReal(double left, Value right) {
        return switch (right) {
            case Value.Int r -> -compareLongDouble(r.value(), left);
            case Value.UInt r -> -compareUnsignedDouble(r.bits(), left);
            case Value.Real r -> compareDoubles(left, r.value());
            default -> throw unlike(right);
        };
    }

    private static int compareLists(List<Value> left, List<Value> right, Comparator<Value.Entity> entities) {
        int common = Math.min(left.size(), right.size());
        for (int i = 0; i < common; i++) {
            int byItem = compare(left.get(i), right.get(i), entities);
            if (byItem != 0) {
                return byItem;
            }
        }
        return Integer.compare(left.size(), right.size());
    }

    private static int compareVectors(float[] left, float[] right) {
        int common = Math.min(left.length, right.length);
        for (int i = 0; i < common; i++) {
            int byItem = compareDoubles(left[i], right[i]);
            if (byItem != 0) {
                return byItem;
            }
        }
        return Integer.compare(left.length, right.length);
    }

    private static int hashReal(double value) {
        if (value == Math.rint(value)) {
            if (value >= -TWO_TO_63 && value < TWO_TO_63) {
                return Long.hashCode((long) value);
            }
            if (value >= TWO_TO_63 && value < TWO_TO_64) {
                return Long.hashCode((long) (value - TWO_TO_63) + Long.MIN_VALUE);
            }
        }
        return Double.hashCode(value);
    }

    private static int signOf(double difference) {
        return difference > 0 ? 1 : difference < 0 ? -1 : 0;
    }

    private static int family(Value value) {
        return switch (value) {
            case Value.Null ignored -> 0;
            case Value.Bool ignored -> 1;
            case Value.Int ignored -> 2;
            case Value.UInt ignored -> 2;
            case Value.Real ignored -> 2;
            case Value.Text ignored -> 3;
            case Value.Date ignored -> 4;
            case Value.DateTime ignored -> 5;
            case Value.ListOf ignored -> 6;
            case Value.Vector ignored -> 7;
            case Value.ManagedBlob ignored -> 8;
            case Value.ExternalBlob ignored -> 9;
            case Value.Entity ignored -> 10;
            case Value.Struct ignored -> 11;
            case Value.Path ignored -> 12;
        };
    }

    private static IllegalStateException unlike(Value value) {
        return new IllegalStateException("not a number: " + value);
    }
}
