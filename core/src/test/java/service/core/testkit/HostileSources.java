package service.core.testkit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sources that repeat one construct, valid ones and faulty ones. Each grows with the number of repetitions. */
public final class HostileSources {
    private HostileSources() {}

    /**
     * By name, each of about so many characters.
     *
     * @param characters a multiple of a thousand
     */
    public static Map<String, String> of(int characters) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("numbers in a list", filter(characters, "$p.age in [", "]", i -> "7,"));
        all.put("texts in a list", filter(characters, "$p.name in [", "]", i -> "\"\","));
        all.put("parameters", "query q(" + repeat(characters, i -> "$p" + i + ":I64?,") + ") " + READ);
        all.put("words of an enum", "query q($p: enum(" + repeat(characters, i -> "a" + i + ",") + "z)) " + READ);
        all.put(
                "default of an enum",
                "query q($p: enum(a,b) = \"a\", $l: [String] = [" + repeat(characters, i -> "\"a\",") + "]) " + READ);
        all.put(
                "sums",
                "query q() { match { $p: Person } return { "
                        + repeat(characters, i -> "$p.age" + "+1".repeat(199) + " as c" + i + ", ", 900) + "} }");
        all.put("conditions", filter(characters, "true", "", i -> " or $p.age=7"));
        all.put(
                "filters",
                "query q() { match { $p: Person " + repeat(characters, i -> "$p.age=7 ") + "} return { 1 } }");
        all.put("negations", filter(characters, "true", "", i -> " and not true"));
        all.put("brackets", filter(characters, "1=1", "", i -> " and " + "(".repeat(90) + "1=1" + ")".repeat(90)));
        all.put(
                "properties of an interface",
                "query q() { match { $n: Named } return { 1 } order { coalesce(" + repeat(characters, i -> "$n.name,")
                        + "$n.name) } }");
        all.put(
                "arguments",
                "query q() { match { $p: Person } return { coalesce(" + repeat(characters, i -> "null,")
                        + "1) as c } }");
        all.put(
                "fields of a binding",
                "query q() { match { $p: Person { " + repeat(characters, i -> "age:7,") + "} } return { 1 } }");
        all.put(
                "alternatives of an edge",
                "query q() { match { $p: Person $p (knows" + repeat(characters, i -> "|knows")
                        + ") $b } return { 1 } }");
        all.put("inserts", "query q() { " + repeat(characters, i -> "insert City{name:\"\"}") + " }");
        all.put("inserts without their key", "query q() { " + repeat(characters, i -> "insert City{}") + " }");
        all.put("updates", "query q() { " + repeat(characters, i -> "update City set{}where true ") + " }");
        all.put(
                "fields of an insert",
                "query q() { insert City { name:\"\"" + repeat(characters, i -> ",name:\"\"") + "} }");
        all.put("queries", repeat(characters, i -> "query q" + i + "(){match{$p:Person}return{1}}"));
        all.put("faulty queries", repeat(characters, i -> "query q(){match{$p:Persn}return{1}}"));
        all.put("settings", repeat(characters, i -> "set work_limit=1;") + "query q() " + READ);
        all.put("annotations", "query q() " + repeat(characters, i -> "@a(\"\")") + READ);
        all.put("unknown variables", filter(characters, "true", "", i -> " or $q" + i + ".age=7"));
        all.put(
                "unknown variables beside many parameters",
                "query q("
                        + repeat(20_000, i -> "$name" + i + ":I64?,") + ") { match { $p: Person "
                        + repeat(characters, i -> "$nam" + i + ".age=7 ") + "} return { 1 } }");
        all.put("unknown properties", filter(characters, "true", "", i -> " or $p.ag" + i + "=7"));
        all.put("unknown functions", filter(characters, "true", "", i -> " or lowr(\"a\")=\"a\""));
        all.put("unknown words", filter(characters, "true", "", i -> " or $p.mood=\"hapy\""));
        all.put("type mistakes", filter(characters, "true", "", i -> " or $p.age=\"a\""));
        all.put("one long name", filter(0, "$" + "x".repeat(characters) + ".age = 7", "", i -> ""));
        all.put(
                "one long name, used often",
                "query q() { match { $p: Person } return { "
                        + repeat(20_000, i -> "$p.age as " + "x".repeat(characters / 100) + i % 90 + ", ", 90)
                        + " } order { " + repeat(20_000, i -> "y" + i + ", ", 60) + " } }");
        all.put("one long text", filter(0, "$p.name = \"" + "x".repeat(characters) + "\"", "", i -> ""));
        all.put("one long number", filter(0, "$p.age = " + "7".repeat(characters), "", i -> ""));
        all.put(
                "a long text in sums",
                "query q() { match { $p: Person } return { length(\"" + "x".repeat(characters) + "\")"
                        + "+1".repeat(190) + " as c } }");
        all.put(
                "a long text in calls",
                "query q() { match { $p: Person } return { " + "lower(".repeat(90) + "\"" + "x".repeat(characters)
                        + "\"" + ")".repeat(90) + " as c } }");
        all.put("blanks", filter(0, "$p.age" + " ".repeat(characters) + "+ \"\" = 7", "", i -> ""));
        all.put("lines", "\n".repeat(characters) + "query q() { match { $p: Persn } return { 1 } }");
        all.put("comments", repeat(characters, i -> "/**/") + "query q() " + READ);
        all.put("opened brackets", "(".repeat(characters));
        all.put("opened braces", "query q() { match " + "{".repeat(characters));
        all.put("signs", "query q() { match { " + repeat(characters, i -> "$a:- ") + "} }");
        all.put(
                "columns of aggregates",
                "query q() { match { $p: Person } return { "
                        + repeat(characters, i -> "sum($p.age" + "+1".repeat(60) + ")*2 as c" + i + ", ", 900) + "} }");
        all.put(
                "equal columns",
                "query q() { match { $p: Person } return { " + repeat(characters, i -> "$p.age, ", 900) + "} }");
        all.put("patterns", filter(characters, "true", "", i -> " or $p.name matches \"[a-z]{100}\""));
        all.put("faulty patterns", filter(characters, "true", "", i -> " or $p.name matches \"(\""));
        all.put(
                "blocks",
                "query q() { match { $p: Person " + repeat(characters, i -> "exists{$p knows $_} ")
                        + "} return { 1 } }");
        return all;
    }

    private static final String READ = "{ match { $p: Person } return { $p.age } }";

    private static String filter(int characters, String first, String last, IntFunction<String> part) {
        return "query q() { match { $p: Person " + first + repeat(characters, part) + last + " } return { 1 as one } }";
    }

    private static String repeat(int characters, IntFunction<String> part) {
        return repeat(characters, part, Integer.MAX_VALUE);
    }

    private static String repeat(int characters, IntFunction<String> part, int most) {
        int count = Math.min(most, characters / Math.max(1, part.apply(10_000).length()));
        return IntStream.range(0, count).mapToObj(part).collect(Collectors.joining());
    }
}
