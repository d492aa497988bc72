package service.projection.query.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import service.core.gq.plan.Expression;
import service.core.value.KeyText;
import service.core.value.PropertyType;
import service.core.value.Value;

/** The ids of a look-up, evaluated when the arguments are known. */
public sealed interface Ids {
    /** The distinct ids; a null gives none, because null equals nothing. */
    List<String> of(List<Value> arguments);

    /**
     * Ids given by the query.
     *
     * @param constant a text or a list of texts
     */
    record Given(Expression constant) implements Ids {
        @Override
        public List<String> of(List<Value> arguments) {
            Set<String> texts = new LinkedHashSet<>();
            for (Value value : Constants.items(constant, arguments)) {
                if (value instanceof Value.Text(String text)) {
                    texts.add(text);
                }
            }
            return List.copyOf(texts);
        }
    }

    /** The id formed by the values of a type's key. */
    record OfKey(List<String> names, List<PropertyType> types, List<Expression> constants) implements Ids {
        @Override
        public List<String> of(List<Value> arguments) {
            List<Value> stored = new ArrayList<>();
            for (int i = 0; i < types.size(); i++) {
                Value value = StoredForm.of(types.get(i), Constants.value(constants.get(i), arguments));
                if (value == null) {
                    return List.of();
                }
                stored.add(value);
            }
            return List.of(KeyText.id(types, stored));
        }
    }
}
