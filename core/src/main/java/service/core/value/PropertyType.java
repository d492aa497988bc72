package service.core.value;

import java.util.List;

/** The type of a property, parameter or expression, without its nullability. */
public sealed interface PropertyType extends ValueType {
    /** Whether values of a type are floats. */
    static boolean isFloat(ValueType type) {
        return type instanceof Scalar scalar && scalar.scalar().isFloat();
    }

    /** Whether values of a type are integers that need not fit I64. */
    static boolean exceedsI64(ValueType type) {
        return type.equals(U64) || type.equals(ANY_INTEGER);
    }

    record Scalar(ScalarType scalar) implements PropertyType {
        @Override
        public String toString() {
            return scalar.schemaName();
        }
    }

    record ListOf(ScalarType item) implements PropertyType {
        @Override
        public String toString() {
            return "[" + item.schemaName() + "]";
        }
    }

    /** A closed set of words, sorted and without duplicates, because order and repetition have no meaning. */
    record EnumOf(List<String> values) implements PropertyType {
        public EnumOf {
            values = values.stream().distinct().sorted().toList();
        }

        @Override
        public String toString() {
            return "enum(" + String.join(", ", values) + ")";
        }
    }

    record VectorOf(int dimensions) implements PropertyType {
        @Override
        public String toString() {
            return "Vector(" + dimensions + ")";
        }
    }

    /**
     * An integer that fits I64 or U64: what arithmetic with a U64 gives. Only expressions have this type, never a
     * property or a parameter.
     */
    record AnyInteger() implements PropertyType {
        @Override
        public String toString() {
            return "an integer (I64 or U64)";
        }

        /** The error of a place that only declared types reach. */
        public IllegalStateException undeclared() {
            return new IllegalStateException("no property and no parameter is declared as " + this);
        }
    }

    PropertyType ANY_INTEGER = new AnyInteger();
    PropertyType STRING = new Scalar(ScalarType.STRING);
    PropertyType BOOL = new Scalar(ScalarType.BOOL);
    PropertyType I64 = new Scalar(ScalarType.I64);
    PropertyType U64 = new Scalar(ScalarType.U64);
    PropertyType F64 = new Scalar(ScalarType.F64);
    PropertyType DATE = new Scalar(ScalarType.DATE);
    PropertyType DATETIME = new Scalar(ScalarType.DATETIME);
}
