package service.core.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
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

    /** The same property with other annotations. */
    Property withAnnotations(List<Annotation> other) {
        return new Property(identity, name, type, nullable, defaultValue, other, missing);
    }

    /** How a search compares the texts of the property; null without {@code @search}, and for other types. */
    public @Nullable AnalyzerName analyzer() {
        Annotation search = isText() ? search() : null;
        return search == null
                ? null
                : search.argument() == null ? AnalyzerName.STANDARD : AnalyzerName.named(search.argument());
    }

    /** How a search compares the vectors of the property; null without {@code @search}, and for other types. */
    public @Nullable VectorMetric metric() {
        Annotation search = type instanceof PropertyType.VectorOf ? search() : null;
        return search == null
                ? null
                : search.argument() == null ? VectorMetric.COSINE : VectorMetric.named(search.argument());
    }

    /** Whether text functions apply: a String or a list of Strings. */
    public boolean isText() {
        return isText(type);
    }

    /** Whether text functions apply to values of a type. */
    public static boolean isText(PropertyType type) {
        return type.equals(PropertyType.STRING)
                || (type instanceof PropertyType.ListOf list && list.item() == ScalarType.STRING);
    }

    /** The annotation that asks for search: {@code @index} on a Vector does as well. */
    private @Nullable Annotation search() {
        boolean vector = type instanceof PropertyType.VectorOf;
        return annotations.stream()
                .filter(annotation -> annotation.name().equals("search")
                        || (vector && annotation.name().equals("index")))
                .findFirst()
                .orElse(null);
    }
}
