package service.projection.query.vector;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.port.GraphView;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.core.value.ValueType;

/** Compares, boxes and sets single values of columns. */
public final class ColumnValues {
    private ColumnValues() {}

    /**
     * Compares two values of one family, neither null. Entities are compared by identity; a caller that needs the order
     * of their ids compares those.
     */
    public static int compare(Column left, int l, Column right, int r) {
        return switch (left) {
            case TextColumn a when right instanceof TextColumn b -> compareText(a, l, b, r);
            case LongColumn a
            when right instanceof LongColumn b -> compareLongs(a.values[l], a.kind, b.values[r], b.kind);
            case LongColumn a when right instanceof DoubleColumn b -> compareLongReal(a.values[l], a.kind, b.values[r]);
            case DoubleColumn a
            when right instanceof LongColumn b -> -compareLongReal(b.values[r], b.kind, a.values[l]);
            case DoubleColumn a
            when right instanceof DoubleColumn b -> ValueOrder.compareDoubles(a.values[l], b.values[r]);
            case BoolColumn a when right instanceof BoolColumn b -> Boolean.compare(a.values[l], b.values[r]);
            case EntityColumn a
            when right instanceof EntityColumn b -> {
                int byType = Integer.compare(a.types[l], b.types[r]);
                yield byType != 0 ? byType : Integer.compare(a.ordinals[l], b.ordinals[r]);
            }
            default -> ValueOrder.compare(value(left, l), value(right, r));
        };
    }

    static int compareText(TextColumn a, int l, TextColumn b, int r) {
        int from = a.starts[l];
        int other = b.starts[r];
        return Arrays.compareUnsigned(a.bytes, from, from + a.lengths[l], b.bytes, other, other + b.lengths[r]);
    }

    public static int compareLongs(long left, LongColumn.Kind leftKind, long right, LongColumn.Kind rightKind) {
        boolean leftUnsigned = leftKind == LongColumn.Kind.UINT;
        boolean rightUnsigned = rightKind == LongColumn.Kind.UINT;
        if (leftUnsigned == rightUnsigned) {
            return leftUnsigned ? Long.compareUnsigned(left, right) : Long.compare(left, right);
        }
        return leftUnsigned
                ? -ValueOrder.compareLongUnsigned(right, left)
                : ValueOrder.compareLongUnsigned(left, right);
    }

    private static int compareLongReal(long whole, LongColumn.Kind kind, double real) {
        return kind == LongColumn.Kind.UINT
                ? ValueOrder.compareUnsignedDouble(whole, real)
                : ValueOrder.compareLongDouble(whole, real);
    }

    /** The class of column that a value goes into. */
    public static Column emptyColumn(Value value) {
        return switch (value) {
            case Value.Bool ignored -> new BoolColumn();
            case Value.Int ignored -> new LongColumn(LongColumn.Kind.INT);
            case Value.UInt ignored -> new LongColumn(LongColumn.Kind.UINT);
            case Value.Real ignored -> new DoubleColumn();
            case Value.Text ignored -> new TextColumn();
            case Value.Date ignored -> new LongColumn(LongColumn.Kind.DATE);
            case Value.DateTime ignored -> new LongColumn(LongColumn.Kind.DATETIME);
            case Value.Null ignored -> new ValueColumn();
            case Value.ListOf ignored -> new ValueColumn();
            case Value.Vector ignored -> new ValueColumn();
            case Value.ManagedBlob ignored -> new ValueColumn();
            case Value.ExternalBlob ignored -> new ValueColumn();
            case Value.Entity ignored -> new EntityColumn();
            case Value.Struct ignored -> new ValueColumn();
            case Value.Path ignored -> new ValueColumn();
        };
    }

    /** The class of column for a type; a boxed column for the literal null, which has no type. */
    public static Column columnFor(@Nullable ValueType type) {
        return switch (type) {
            case PropertyType stored -> GraphView.columnFor(stored);
            case ValueType.Entity ignored -> new EntityColumn();
            case null, default -> new ValueColumn();
        };
    }

    /**
     * An empty column for copies of rows of another one that outlives it. Boxed values are shared, so that only the
     * other column is charged for them.
     */
    public static Column forCopies(ExecutionBudget budget, Column of) {
        return of instanceof ValueColumn ? new ValueColumn() : of.sibling(budget);
    }

    /** Stores a value, widening numbers to what the column holds; Null makes the row null. */
    public static void set(Column column, int row, Value value) {
        if (value instanceof Value.Null) {
            column.setNull(row);
            return;
        }
        switch (column) {
            case BoolColumn c -> c.values[row] = ((Value.Bool) value).value();
            case TextColumn c -> c.set(row, ((Value.Text) value).value());
            case DoubleColumn c -> c.values[row] = toDouble(value);
            case LongColumn c -> c.values[row] = toLong(value);
            case ValueColumn c -> c.set(row, value);
            case EntityColumn c -> {
                Value.Entity entity = (Value.Entity) value;
                c.set(row, entity.type(), entity.ordinal(), EntityColumn.NO_RECORD);
            }
        }
    }

    public static double toDouble(Value value) {
        return switch (value) {
            case Value.Real v -> v.value();
            case Value.Int v -> v.value();
            case Value.UInt v -> unsignedToDouble(v.bits());
            default -> throw new IllegalStateException("not a number: " + value);
        };
    }

    /** The number of a row that is not null, rounded to a float. */
    public static double real(Column column, int row) {
        return switch (column) {
            case DoubleColumn c -> c.values[row];
            case LongColumn c ->
                c.kind == LongColumn.Kind.UINT ? unsignedToDouble(c.values[row]) : (double) c.values[row];
            default -> toDouble(value(column, row));
        };
    }

    public static double unsignedToDouble(long bits) {
        if (bits >= 0) {
            return bits;
        }
        // The lowest bit is kept in the half, so the result is rounded once and correctly.
        return ((bits >>> 1) | (bits & 1)) * 2.0;
    }

    private static long toLong(Value value) {
        return switch (value) {
            case Value.Int v -> v.value();
            case Value.UInt v -> v.bits();
            case Value.Date v -> v.epochDay();
            case Value.DateTime v -> v.epochMillis();
            default -> throw new IllegalStateException("not an integer: " + value);
        };
    }

    /** The boxed value of a row. */
    public static Value value(Column column, int row) {
        return column.value(row);
    }

    /** Puts the value of row 0 into every row. */
    public static void spread(Column column) {
        column.makeRoom(Column.CAPACITY);
        boolean isNull = column.isNull(0);
        for (int row = 1; row < Column.CAPACITY; row++) {
            if (isNull) {
                column.setNull(row);
            }
        }
        switch (column) {
            case BoolColumn c -> Arrays.fill(c.values, c.values[0]);
            case LongColumn c -> Arrays.fill(c.values, c.values[0]);
            case DoubleColumn c -> Arrays.fill(c.values, c.values[0]);
            case ValueColumn c -> Arrays.fill(c.values, c.values[0]);
            case TextColumn c -> {
                Arrays.fill(c.starts, c.starts[0]);
                Arrays.fill(c.lengths, c.lengths[0]);
            }
            case EntityColumn ignored -> throw new IllegalStateException("no entity is a constant");
        }
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
