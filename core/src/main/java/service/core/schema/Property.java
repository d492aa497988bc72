package service.core.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * A property of one type.
 *
 * @param identity stable identity, unique in the graph over types and properties, never reused
 * @param defaultValue the value that an insert stores when it gives none, or null
 * @param missing the value of entities that were stored before the property existed and were not changed since, or null
 */
public record Property(
        int identity,
        String name,
        PropertyType type,
        boolean nullable,
        @Nullable Value defaultValue,
        List<Annotation> annotations,
        @Nullable Value missing) {
    public Property {
        annotations = List.copyOf(annotations);
    }

    /** A property that every entity of its type was stored with. */
    public Property(
            int identity,
            String name,
            PropertyType type,
            boolean nullable,
            @Nullable Value defaultValue,
            List<Annotation> annotations) {
        this(identity, name, type, nullable, defaultValue, annotations, null);
    }
}
