package service.core.graph.mutate;

import service.core.error.ServiceException;
import service.core.schema.Property;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueConversion;

/**
 * Brings a computed value to the type of the property that is to hold it. The type checker has seen to families;
 * widths, signs, enum words and nulls in lists show only at run time. Whether null is allowed, a word is one of an
 * enum's and an integer fits its width are constraints and decided with the others, which name the entity.
 */
final class Coercion {
    private Coercion() {}

    /** The value as the property stores it; BAD_REQUEST naming the property when it does not fit. */
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

    /** Whether the value has the form that the type is stored in, so that a constraint can judge. */
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
