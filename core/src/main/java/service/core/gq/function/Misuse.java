package service.core.gq.function;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;

/**
 * Why a literal is refused as an argument before the query runs.
 *
 * @param remedy what to write instead; may be null
 */
public record Misuse(String message, @Nullable String remedy) {
    /** Of a word that is none of the units. */
    static Misuse ofUnit(String word, List<String> units) {
        String meant = Suggestion.didYouMean(word, units);
        return new Misuse(
                "`" + word + "` is not a unit", meant != null ? meant : "the units are " + String.join(", ", units));
    }
}
