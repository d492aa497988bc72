package service.core.graph;

import service.core.error.ServiceException;
import service.core.schema.Property;
import service.core.value.Value;
import service.core.value.ValueConversion;

/**
 * Brings a computed value to the type of the property that is to hold it. The type checker has seen
 * to families; widths, signs, enum words and nulls in lists show only at run time. Whether null is
 * allowed is a constraint and decided with the others.
 */
final class Coercion {
    private Coercion() {}

    /**
     * The value as the property stores it; BAD_REQUEST naming the property when it does not fit.
     */
    static Value toProperty(Property property, Value value) {
        String what = "property `" + property.name() + "`";
        if (value instanceof Value.ListOf list && list.items().contains(Value.NULL)) {
            throw ServiceException.badRequest(what + " cannot store a list that holds null");
        }
        try {
            return ValueConversion.convert(value, property.type());
        } catch (IllegalArgumentException e) {
            throw ServiceException.badRequest(what + ": " + e.getMessage());
        }
    }
}
