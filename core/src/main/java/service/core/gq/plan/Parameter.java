package service.core.gq.plan;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/**
 * A declared parameter. It is required unless it is nullable or has a default.
 *
 * @param type of a list of records, a type without a meaning
 * @param fields of the records that the parameter is a list of; empty for any other parameter
 */
public record Parameter(
        String name,
        PropertyType type,
        boolean nullable,
        @Nullable Value defaultValue,
        List<Parameter> fields) {
    /** A parameter that is no list of records. */
    public Parameter(String name, PropertyType type, boolean nullable, @Nullable Value defaultValue) {
        this(name, type, nullable, defaultValue, List.of());
    }

    /** Whether it is a list of records. */
    public boolean isRecords() {
        return !fields.isEmpty();
    }

    /** The type of its values. */
    public ValueType valueType() {
        return isRecords()
                ? new ValueType.ListOf(new ValueType.Struct(fields.stream()
                        .map(field -> new ValueType.Field(field.name, field.type))
                        .toList()))
                : type;
    }

    /** The type as it is declared, without its {@code ?}. */
    public String typeName() {
        return isRecords()
                ? fields.stream()
                        .map(field -> field.name + ": " + field.typeName() + (field.nullable ? "?" : ""))
                        .collect(Collectors.joining(", ", "[{", "}]"))
                : type.toString();
    }
}
