package service.core.value;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value of the data model. Null is {@link Null}, so that lists and parameter maps can hold it; stored rows do not
 * hold nulls.
 */
public sealed interface Value {
    Null NULL = new Null();

    record Null() implements Value {}

    record Bool(boolean value) implements Value {}

    /** I32, I64 and U32: all fit a signed 64-bit integer. */
    record Int(long value) implements Value {}

    /** U64; the bits are unsigned. */
    record UInt(long bits) implements Value {}

    /** F32 (rounded to float already) and F64; never NaN or infinite, and never -0.0, which becomes 0.0 here. */
    record Real(double value) implements Value {
        public Real {
            value = positiveZero(value);
        }
    }

    /** The number, but 0.0 for -0.0: the data model has one zero. */
    static double positiveZero(double number) {
        return number + 0.0;
    }

    /** Strings and enum words. */
    record Text(String value) implements Value {}

    /** Days since 1970-01-01. */
    record Date(int epochDay) implements Value {}

    /** Milliseconds since 1970-01-01T00:00:00Z. */
    record DateTime(long epochMillis) implements Value {}

    record ListOf(List<Value> items) implements Value {
        public ListOf {
            items = List.copyOf(items);
        }
    }

    /** The items are finite; as in {@link Real}, -0.0 becomes 0.0, within the given array. */
    record Vector(float[] items) implements Value {
        public Vector {
            for (int i = 0; i < items.length; i++) {
                items[i] += 0.0f;
            }
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Vector vector && Arrays.equals(items, vector.items);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(items);
        }
    }

    /** A reference to managed bytes by their content. */
    record ManagedBlob(byte[] sha256, long size) implements Value {
        public ManagedBlob {
            if (sha256.length != 32 || size < 0) {
                throw new IllegalArgumentException("a managed blob has a 32-byte digest and a size");
            }
        }

        public String hex() {
            return HexFormat.of().formatHex(sha256);
        }

        /** The entity tag of the bytes: their digest in quotes. */
        public String etag() {
            return "\"" + hex() + "\"";
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof ManagedBlob blob && size == blob.size && Arrays.equals(sha256, blob.sha256);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(sha256);
        }
    }

    record ExternalBlob(String uri) implements Value {}

    /** What only expressions give: it is in no property, no parameter and no event. */
    sealed interface Computed extends Value {
        /** The error of a place that only stored values reach. */
        default IllegalStateException unstored() {
            return new IllegalStateException("not a stored value: " + this);
        }
    }

    /** A node or an edge of a view. Only the view that has given the ordinal knows what it stands for. */
    record Entity(int type, int ordinal) implements Computed {}

    /** Named values, as many as names. The records of one expression share their names. */
    record Struct(List<String> names, List<Value> values) implements Computed {
        /** The value of that name; null if there is none. */
        public Value get(String name) {
            int at = names.indexOf(name);
            return at < 0 ? NULL : values.get(at);
        }
    }

    /**
     * A walk along edges; it has one node more than edges.
     *
     * @param nodes entities
     * @param edges entities
     * @param cost null when none was asked for
     */
    record Path(ListOf nodes, ListOf edges, @Nullable Double cost) implements Computed {
        public Path {
            if (nodes.items().size() != edges.items().size() + 1) {
                throw new IllegalArgumentException("a path has one node more than edges");
            }
        }

        /** The cost as a value. */
        public Value costValue() {
            return cost == null ? NULL : new Real(cost);
        }
    }
}
