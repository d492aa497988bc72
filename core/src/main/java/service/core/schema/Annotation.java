package service.core.schema;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An annotation that the catalog stores and shows but does not use, such as {@code @description("…")}.
 *
 * @param argument the first argument as it was written, or null
 * @param named the other {@code name = literal} arguments, as written
 */
public record Annotation(String name, @Nullable String argument, Map<String, String> named) {
    public Annotation {
        named = Map.copyOf(named);
    }

    /** The first argument of the annotation of that name, or null. */
    public static @Nullable String argumentOf(List<Annotation> annotations, String name) {
        return annotations.stream()
                .filter(annotation -> annotation.name().equals(name))
                .findFirst()
                .map(Annotation::argument)
                .orElse(null);
    }
}
