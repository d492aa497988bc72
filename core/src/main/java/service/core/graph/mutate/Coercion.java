package service.core.graph.mutate;

import service.core.error.ServiceException;
import service.core.schema.Property;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueConversion;

/**
 * Converts a computed value to the type of the property that will store it. The type checker has checked families;
 * widths, signs, enum words and nulls in lists are known only at run time. Whether null is allowed, a word belongs to
 * the enum and an integer fits its width are constraints: their check comes later and names the entity.
 */
final class Coercion {
    private Coercion() {}

    /** The value as the property stores it; BAD_REQUEST with the property when it does not fit. */
    static Value toProperty(Property property, Value value) {
        String what = "property `" + property.name() + "`";
        if (value instanceof Value.ListOf list && list.items().contains(Value.NULL)) {
            throw ServiceException.badRequest(what + " cannot store a list that holds null");
        }
        if (isConstraint(property.type(), value)) {
            return value;
        }
        try {
            return ValueConversion.convert(value, property.type());
        } catch (IllegalArgumentException e) {
            throw ServiceException.badRequest(what + ": " + e.getMessage());
        }
    }

    /** Whether the value has the form in which the type is stored, so that a constraint can check it. */
    private static boolean isConstraint(PropertyType type, Value value) {
        return switch (type) {
            case PropertyType.EnumOf ignored -> value instanceof Value.Text;
            case PropertyType.Scalar scalar ->
                value instanceof Value.Int && (scalar.scalar() == ScalarType.I32 || scalar.scalar() == ScalarType.U32);
            case PropertyType.ListOf ignored -> false;
            case PropertyType.VectorOf ignored -> false;
        };
    }
}
