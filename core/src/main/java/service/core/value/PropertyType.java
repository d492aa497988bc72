package service.core.value;

import java.util.List;

/** The type of a property, parameter or expression, without its nullability. */
public sealed interface PropertyType {
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

    PropertyType STRING = new Scalar(ScalarType.STRING);
    PropertyType BOOL = new Scalar(ScalarType.BOOL);
    PropertyType I64 = new Scalar(ScalarType.I64);
    PropertyType F64 = new Scalar(ScalarType.F64);
    PropertyType DATE = new Scalar(ScalarType.DATE);
    PropertyType DATETIME = new Scalar(ScalarType.DATETIME);
}
