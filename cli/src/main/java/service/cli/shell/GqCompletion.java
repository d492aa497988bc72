package service.cli.shell;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.value.ScalarType;

/** What may follow an unfinished text in GQ: types, properties, edges, variables and keywords. Any thread. */
public final class GqCompletion {
    private static final List<String> WORDS = List.of(
            "query",
            "match",
            "with",
            "return",
            "union",
            "all",
            "distinct",
            "order",
            "asc",
            "desc",
            "skip",
            "limit",
            "per",
            "optional",
            "not",
            "exists",
            "and",
            "or",
            "in",
            "is",
            "null",
            "true",
            "false",
            "as",
            "contains",
            "starts_with",
            "ends_with",
            "matches",
            "insert",
            "update",
            "set",
            "delete",
            "for",
            "where",
            "case",
            "when",
            "then",
            "else",
            "end",
            "let",
            "for",
            "any",
            "all",
            "none",
            "explain",
            "analyze",
            "show",
            "branch",
            "commit");

    /** What may be written where neither a type nor a property is asked for. */
    private static final List<String> KEYWORDS = Stream.of(WORDS, AggregateFunction.words(), Function.words())
            .flatMap(List::stream)
            .toList();

    private static final List<String> META = List.of("@id", "@type");
    private static final List<String> EDGE_META = List.of("@id", "@type", "@src", "@dst");

    private static final Pattern MEMBER = Pattern.compile("\\$(\\w+)\\.(@?\\w*)$");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\w*$");
    private static final Pattern TYPE_OF_PARAMETER = Pattern.compile("query\\s+\\w+\\s*\\([^){]*:\\s*\\[?\\w*$");
    private static final Pattern TYPE_OF_VARIABLE = Pattern.compile("\\$\\w+\\s*:\\s*\\w*$");
    private static final Pattern WRITTEN_TYPE = Pattern.compile("\\b(insert|update|delete)\\s+\\w*$");
    private static final Pattern FIELD =
            Pattern.compile("(?:insert\\s+|update\\s+|:\\s*)([A-Z]\\w*)\\s*(?:set\\s*)?\\{(?:[^{}]*,)?\\s*\\w*$");
    private static final Pattern CONDITION = Pattern.compile("(?:update|delete)\\s+([A-Z]\\w*)[^$]*\\bwhere\\b[^$]*$");
    private static final Pattern EDGE = Pattern.compile("\\$(\\w+)\\s+(?:\\$\\w+\\s*:\\s*)?[<(]?\\s*[a-z]*$");

    private GqCompletion() {}

    /**
     * The candidates for the last word of a text; they need not begin as it does.
     *
     * @param known the schema, if there is one
     * @param parameters names without {@code $}
     */
    public static Collection<String> at(String before, @Nullable ShellSchema known, Collection<String> parameters) {
        return known == null ? KEYWORDS : of(before, known, parameters);
    }

    private static Collection<String> of(String before, ShellSchema known, Collection<String> parameters) {
        Matcher member = MEMBER.matcher(before);
        if (member.find()) {
            return members(member.group(1), before, known);
        }
        if (TYPE_OF_PARAMETER.matcher(before).find()) {
            return scalars();
        }
        if (TYPE_OF_VARIABLE.matcher(before).find()) {
            List<String> types = new ArrayList<>(known.nodeTypes());
            types.addAll(known.edges(null));
            return types;
        }
        if (VARIABLE.matcher(before).find()) {
            List<String> names = new ArrayList<>();
            known.variables(before).keySet().forEach(name -> names.add("$" + name));
            parameters.forEach(name -> names.add("$" + name));
            return names;
        }
        if (WRITTEN_TYPE.matcher(before).find()) {
            return known.types();
        }
        Matcher field = FIELD.matcher(before);
        if (field.find()) {
            List<String> names = new ArrayList<>(known.properties(field.group(1)));
            if (known.isEdge(field.group(1))) {
                names.addAll(List.of("from", "to"));
            }
            return names;
        }
        List<String> words = new ArrayList<>();
        Matcher edge = EDGE.matcher(before);
        if (edge.find()) {
            words.addAll(known.edges(known.variables(before).get(edge.group(1))));
        }
        Matcher condition = CONDITION.matcher(before);
        if (condition.find()) {
            words.addAll(known.properties(condition.group(1)));
            words.addAll(EDGE_META);
        }
        words.addAll(KEYWORDS);
        return words;
    }

    private static Collection<String> members(String variable, String before, ShellSchema known) {
        String type = known.variables(before).get(variable);
        List<String> names = new ArrayList<>(known.properties(type));
        names.addAll(known.isEdge(type) ? EDGE_META : META);
        return names.stream().map(name -> "$" + variable + "." + name).toList();
    }

    private static Collection<String> scalars() {
        List<String> names = new ArrayList<>();
        for (ScalarType scalar : ScalarType.values()) {
            names.add(scalar.schemaName());
        }
        return names;
    }
}
