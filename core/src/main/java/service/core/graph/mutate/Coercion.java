package service.core.graph.mutate;

import java.util.ArrayList;
import java.util.List;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueConversion;

/**
 * Converts a computed value to the type of the property that will store it. The type checker has checked families;
 * widths, signs, enum words, dimensions and nulls in lists are known only at run time.
 */
final class Coercion {
    private Coercion() {}

    /**
     * The value as a property of the type stores it. A value, or an item of a list, that does not fit stays as it is:
     * the check of the constraints refuses it later and names the entity, in the order of all entities.
     */
    static Value toProperty(PropertyType type, Value value) {
        if (type instanceof PropertyType.ListOf list && value instanceof Value.ListOf(List<Value> given)) {
            List<Value> items = new ArrayList<>(given.size());
            given.forEach(item -> items.add(converted(item, new PropertyType.Scalar(list.item()))));
            return new Value.ListOf(items);
        }
        return converted(value, type);
    }

    private static Value converted(Value value, PropertyType type) {
        try {
            return ValueConversion.convert(value, type);
        } catch (IllegalArgumentException e) {
            return value;
        }
    }
}
