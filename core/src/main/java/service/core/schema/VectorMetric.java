package service.core.schema;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The metrics that {@code @search} can name on a Vector: how similar two vectors are. Greater is nearer. */
public enum VectorMetric {
    /** The cosine of the angle between the vectors, −1 to 1; a vector of length 0 has none. */
    COSINE,
    /** The scalar product. */
    DOT,
    /** {@code 1 / (1 + d²)}, where d is the Euclidean distance. */
    L2;

    /** The name as a schema writes it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The metric of that name; null when there is none. */
    public static @Nullable VectorMetric named(String text) {
        return Arrays.stream(values())
                .filter(metric -> metric.text().equals(text))
                .findFirst()
                .orElse(null);
    }

    public static List<String> names() {
        return Arrays.stream(values()).map(VectorMetric::text).toList();
    }
}
