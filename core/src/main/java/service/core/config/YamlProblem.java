package service.core.config;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A mistake in the syntax of YAML, in the words of the person who wrote the file. The parser names its tokens.
 *
 * @param message what is wrong
 * @param hint what to write instead, or null
 */
public record YamlProblem(String message, @Nullable String hint) {
    private record Known(Pattern words, YamlProblem problem) {}

    private static final List<Known> KNOWN = List.of(
            known(
                    "expected <block end>, but found",
                    "the line does not fit the indentation of those above",
                    "keys of one mapping begin in the same column"),
            known(
                    "mapping values are not allowed here",
                    "a `:` cannot stand here",
                    "indent the key like its neighbours, and put a text with `: ` in quotes"),
            known("found character '\\\\t", "a line is indented with a tab", "indent with spaces"),
            known("could not find expected ':'", "a key has no `:`", "write `key: value`"),
            known(
                    "expected ',' or '\\]'",
                    "a list in brackets is not closed",
                    "separate its items by commas, and write `]`"),
            known(
                    "expected ',' or '}'",
                    "a mapping in braces is not closed",
                    "separate its keys by commas, and write `}`"),
            known("expected the node content, but found", "a value is missing", "write one, or leave the key out"),
            known("found unexpected end of stream", "a quoted text is not closed", "write the closing quote"));

    private static Known known(String words, String message, String hint) {
        return new Known(Pattern.compile(words), new YamlProblem(message, hint));
    }

    /** The problem that the parser describes; its own text where it is none of the known ones. */
    public static YamlProblem of(@Nullable String problem) {
        String text = String.valueOf(problem).replaceAll("\\s+", " ");
        return KNOWN.stream()
                .filter(known -> known.words().matcher(text).find())
                .map(Known::problem)
                .findFirst()
                .orElse(new YamlProblem(text, null));
    }
}
