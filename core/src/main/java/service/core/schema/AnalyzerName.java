package service.core.schema;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The analyzers that {@code @search} can name: how a text is turned into the terms that a search compares. */
public enum AnalyzerName {
    /** Words at Unicode word boundaries, in lower case. */
    STANDARD,
    /** As {@link #STANDARD}, without accents and width. */
    FOLDED,
    /** The whole value as one term, in lower case. */
    WHOLE,
    /** As {@link #STANDARD}, with Chinese, Japanese and Korean as overlapping pairs of characters. */
    CJK,
    ARABIC,
    DANISH,
    DUTCH,
    ENGLISH,
    FINNISH,
    FRENCH,
    GERMAN,
    GREEK,
    HUNGARIAN,
    ITALIAN,
    NORWEGIAN,
    PORTUGUESE,
    ROMANIAN,
    RUSSIAN,
    SPANISH,
    SWEDISH,
    TURKISH;

    /** The name as a schema writes it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The analyzer of that name; null when there is none. */
    public static @Nullable AnalyzerName named(String text) {
        return Arrays.stream(values())
                .filter(name -> name.text().equals(text))
                .findFirst()
                .orElse(null);
    }

    public static List<String> names() {
        return Arrays.stream(values()).map(AnalyzerName::text).toList();
    }
}
