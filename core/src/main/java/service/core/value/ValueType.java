package service.core.value;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The type of what an expression gives, without its nullability: a {@link PropertyType}, or one of the types that only
 * expressions have. Lists do not nest.
 */
public sealed interface ValueType
        permits PropertyType, ValueType.ListOf, ValueType.Entity, ValueType.Struct, ValueType.Path {
    /** A list whose items are not of a scalar type; such a list is a {@link PropertyType.ListOf}. */
    record ListOf(ValueType item) implements ValueType {
        public ListOf {
            if (isList(item)) {
                throw new IllegalArgumentException("lists do not nest");
            }
        }

        @Override
        public String toString() {
            return "[" + item + "]";
        }
    }

    /**
     * A node or an edge.
     *
     * @param types the possible type identities, ascending
     */
    record Entity(EntityKind kind, List<Integer> types) implements ValueType {
        public Entity {
            types = List.copyOf(new TreeSet<>(types));
        }

        @Override
        public String toString() {
            return kind == EntityKind.NODE ? "node" : "edge";
        }
    }

    /** Named values, in the order in which they were written. */
    record Struct(List<Field> fields) implements ValueType {
        public Struct {
            fields = List.copyOf(fields);
        }

        /** The field of that name, or null. */
        public @Nullable Field field(String name) {
            for (Field field : fields) {
                if (field.name.equals(name)) {
                    return field;
                }
            }
            return null;
        }

        public List<String> names() {
            return fields.stream().map(Field::name).toList();
        }

        @Override
        public String toString() {
            return fields.stream()
                    .map(field -> field.name + ": " + (field.type == null ? "null" : field.type))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
    }

    /**
     * A field of a record.
     *
     * @param type null when the field is always null
     */
    record Field(String name, @Nullable ValueType type) {}

    /**
     * A walk along edges.
     *
     * @param nodes the type of its nodes
     * @param edges the type of its edges
     * @param isCosted whether it has a cost
     */
    record Path(Entity nodes, Entity edges, boolean isCosted) implements ValueType {
        @Override
        public String toString() {
            return "path";
        }
    }

    /** The type of lists with such items, which are no lists. */
    static ValueType listOf(ValueType item) {
        return switch (item) {
            case PropertyType.Scalar scalar -> new PropertyType.ListOf(scalar.scalar());
            case PropertyType.EnumOf ignored -> new PropertyType.ListOf(ScalarType.STRING);
            default -> new ListOf(item);
        };
    }

    static boolean isList(@Nullable ValueType type) {
        return type instanceof ListOf || type instanceof PropertyType.ListOf;
    }

    /** The type of the items of a list; null for what is no list. */
    static @Nullable ValueType itemOf(@Nullable ValueType list) {
        return switch (list) {
            case ListOf of -> of.item;
            case PropertyType.ListOf of -> new PropertyType.Scalar(of.item());
            case null, default -> null;
        };
    }

    /** The number of types that a type is made of: itself and, for lists and records, those within. */
    static int size(@Nullable ValueType type) {
        return switch (type) {
            case ListOf list -> 1 + size(list.item);
            case Struct of -> {
                int size = 1;
                for (Field field : of.fields) {
                    size += size(field.type);
                }
                yield size;
            }
            case null, default -> 1;
        };
    }

    /** The union of two lists of type identities. */
    static List<Integer> union(Collection<Integer> one, Collection<Integer> other) {
        List<Integer> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }
}
