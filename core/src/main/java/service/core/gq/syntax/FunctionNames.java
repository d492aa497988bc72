package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import service.core.error.Suggestion;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.SearchFunction;

/** The names of all functions: scalar ones, aggregates and those of search. */
final class FunctionNames {
    static final Map<String, AggregateFunction> AGGREGATES = byLowerName(AggregateFunction.values());
    static final Map<String, SearchFunction> SEARCHES = byLowerName(SearchFunction.values());

    private FunctionNames() {}

    /** What a name that no function has may have meant. */
    static String hint(String name) {
        String foreign = ForeignWords.ofFunction(name);
        if (foreign != null) {
            return foreign;
        }
        List<String> known = new ArrayList<>(Function.words());
        known.addAll(AggregateFunction.words());
        known.addAll(SEARCHES.keySet());
        String near = Suggestion.didYouMean(name, known);
        if (near == null) {
            near = known.stream()
                    .filter(each -> isShortFor(name, each))
                    .min(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                    .map(each -> "did you mean `" + each + "`?")
                    .orElse(null);
        }
        return near != null
                ? near
                : "the functions are " + String.join(", ", Function.words()) + "; the aggregates "
                        + String.join(", ", AggregateFunction.words());
    }

    /** What a name that begins with a capital may have meant where a value must stand. */
    static String hintOfCapital(String name) {
        String lowered = name.toLowerCase(Locale.ROOT);
        if (lowered.equals("case")) {
            return ForeignWords.CASE;
        }
        if (lowered.equals("select")) {
            return "a subquery is a block: `count { … }`, `exists { … }`, `max($x.age) { … }`";
        }
        boolean known = Function.named(lowered) != null
                || AGGREGATES.containsKey(lowered)
                || List.of("true", "false", "null", "not", "exists").contains(lowered);
        return known
                ? "write `" + lowered + "` in lower case"
                : "names with an upper-case initial are types; a property is written `$x.name`";
    }

    /** Whether the letters of a short form occur in a name in their order, the first one first: {@code cnt}. */
    private static boolean isShortFor(String wrong, String name) {
        int found = 0;
        for (int i = 0; i < name.length() && found < wrong.length(); i++) {
            if (name.charAt(i) == wrong.charAt(found)) {
                found++;
            }
        }
        return wrong.length() > 2 && wrong.charAt(0) == name.charAt(0) && found == wrong.length();
    }

    /** Constants by their names in lower case. */
    static <E extends Enum<E>> Map<String, E> byLowerName(E[] values) {
        return Arrays.stream(values)
                .collect(Collectors.toUnmodifiableMap(
                        value -> value.name().toLowerCase(Locale.ROOT), UnaryOperator.identity()));
    }
}
